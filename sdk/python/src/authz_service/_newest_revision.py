"""The revision that requests carry along, for both clients."""

from __future__ import annotations

import re
import threading
from typing import Optional

from .errors import InvalidRequest, ServiceError

#: `NUMBER.DIGEST`, and `.EPOCH-ID` where the service has declared an epoch: whatever its number, a revision of a later epoch is
#: newer. What else follows the number is the service's affair.
_TOKEN = re.compile(r"([0-9]{1,15})\.[0-9a-z.-]{1,100}")
_EPOCH = re.compile(r"\.([0-9]{1,15})-[0-9a-f]{8}\Z")


class NewestRevision:
    """The newest revision of its tenant that a client has seen in answers, or was told of.

    Requests carry it along, so that none is answered from before it. A decision point that names no revisions is never sent
    one.
    """

    def __init__(self) -> None:
        self.token: Optional[str] = None
        self._place = (0, -1)
        self._lock = threading.Lock()

    def saw(self, token: Optional[str]) -> None:
        """Takes over a revision that is newer. Among two of one number the later heard of counts: the other one is lost."""
        found = None if token is None or token == self.token else _TOKEN.fullmatch(token)
        if found is None:
            return
        epoch = _EPOCH.search(found.group())
        place = (int(epoch.group(1)) if epoch else 0, int(found.group(1)))
        with self._lock:
            if place >= self._place:
                self._place, self.token = place, token

    def told(self, token: str) -> None:
        """The same for a revision that the caller names. Raises `InvalidRequest` for anything else."""
        if not _TOKEN.fullmatch(token):
            like = "give one as answers name it, like 42.9f86d081884c7d65."
            raise InvalidRequest(f'"{token[:100]}" is no revision: {like}')
        self.saw(token)

    def is_refused(self, token: str, error: ServiceError) -> bool:
        """Whether a request that carried this revision was refused for it.

        The tenant never had it, or lost it when its database was set back: then it is forgotten, and the request may go again
        without.
        """
        if error.code != "unknown_revision" and not (error.status == 400 and "Service-Min-Revision" in error.detail):
            return False
        with self._lock:
            if self.token == token:
                self._place, self.token = (0, -1), None
        return True
