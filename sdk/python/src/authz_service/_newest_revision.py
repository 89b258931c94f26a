"""The revision that requests carry along, for both clients."""

from __future__ import annotations

import re
import threading
from typing import Optional, Tuple

from ._per_process import PerProcess
from .errors import InvalidRequest, ServiceError

#: `NUMBER.DIGEST`, and `.EPOCH-ID` where the service has declared an epoch: whatever its number, a revision of a later epoch is
#: newer. What else follows the number is the service's affair.
_TOKEN = re.compile(r"([0-9]{1,15})\.[0-9a-z.-]{1,100}")
_EPOCH = re.compile(r"\.([0-9]{1,15})-[0-9a-f]{8}\Z")

_NONE: Tuple[Tuple[int, int], Optional[str]] = ((0, -1), None)


class NewestRevision:
    """The newest revision of its tenant that a client has seen in answers, or was told of.

    Requests carry it along, so that none is answered from before it. A decision point that names no revisions is never sent
    one.
    """

    def __init__(self) -> None:
        #: Its place in the order of revisions, and its token. It is one value, so that no fork comes between the two.
        self._newest: Tuple[Tuple[int, int], Optional[str]] = _NONE
        self._lock = PerProcess(threading.Lock)

    @property
    def token(self) -> Optional[str]:
        return self._newest[1]

    def saw(self, token: Optional[str]) -> None:
        """Takes over a revision that is newer. Among two of one number the later heard of counts: the other one is lost."""
        found = None if token is None or token == self.token else _TOKEN.fullmatch(token)
        if found is None:
            return
        epoch = _EPOCH.search(found.group())
        place = (int(epoch.group(1)) if epoch else 0, int(found.group(1)))
        with self._lock.get():
            if place >= self._newest[0]:
                self._newest = (place, token)

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
        with self._lock.get():
            if self.token == token:
                self._newest = _NONE
        return True
