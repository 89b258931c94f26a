# Generated from _async/token_source.py by scripts/unasync.py. Do not edit.
"""Access tokens of an OAuth client."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence, Tuple
from urllib.parse import quote_plus

from .._answers import object_of
from .._authorization import basic, bearer
from .._per_process import PerProcess
from .._request import Request
from ..errors import InvalidConfig, Network, NotFound, Timeout
from .sender import Sender
from .transport import Transport
from .waiting import Shared, Tasks

#: After an early renewal, the next one waits at least this long.
_RENEWAL_PAUSE = 5.0
#: A service without a token endpoint is treated as an agent for this long before it is asked
#: again.
_TOKENLESS = 60.0


@dataclass
class _Token:
    #: None where the service takes no tokens.
    header: Optional[str]
    #: From then on a new token is fetched, while this one is still used.
    renew_at: float
    expires_at: float


class TokenSource:
    """Tokens by the client-credentials grant (RFC 6749 section 4.4), shared by all calls.

    One request for a token is under way at a time, whoever gives up waiting for it. An agent has no token endpoint and
    needs no credential: calls to it go without, so that a caller's credentials may stay set.
    """

    def __init__(
        self,
        transport: Transport,
        base: str,
        client_id: str,
        client_secret: str,
        user_agent: str,
        headers: Mapping[str, str],
        retries: int,
        tasks: Tasks,
        hidden: Sequence[str],
    ) -> None:
        if not client_id or not client_secret:
            raise InvalidConfig("The client id or the client secret is empty: give both.")
        self._basic = basic(client_id, client_secret)
        self._secrets = (client_secret, quote_plus(client_secret), self._basic.partition(" ")[2])
        self._sender = Sender(transport, base, None, user_agent, headers, (*self._secrets, *hidden))
        self._retries = retries
        self._tasks = tasks
        self._lock = PerProcess(threading.Lock)
        self._token: Optional[_Token] = None
        self._flight: Optional[Shared[_Token]] = None

    def header(self, seconds: float) -> Tuple[Optional[str], bool]:
        with self._lock.get():
            token = self._token
            now = time.monotonic()
            if token is not None and now < token.expires_at:
                if now >= token.renew_at:
                    token.renew_at = now + _RENEWAL_PAUSE
                    self._refresh()
                return token.header, True
            flight = self._refresh()
        fetched = flight.wait(seconds)
        if fetched is None:
            raise Timeout(f"POST {self._sender.base}/oauth/token gave no token in time.")
        return fetched[0].header, False

    def discard(self, header: Optional[str]) -> None:
        with self._lock.get():
            if self._token is not None and self._token.header == header:
                self._token = None

    def secrets(self) -> Sequence[str]:
        token = self._token
        if token is None or token.header is None:
            return self._secrets
        return (*self._secrets, token.header.partition(" ")[2])

    def _refresh(self) -> Shared[_Token]:
        flight = self._flight
        if flight is None or flight.over:
            flight = self._flight = Shared(self._fetch, self._tasks)
        return flight

    def _fetch(self) -> _Token:
        started = time.monotonic()
        request = Request(
            "POST",
            "/oauth/token",
            total=30.0,
            attempt=5.0,
            retries=self._retries,
            backoff=0.05,
            body=b"grant_type=client_credentials",
            headers={"authorization": self._basic, "content-type": "application/x-www-form-urlencoded"},
        )
        at = f"POST {self._sender.base}/oauth/token"
        try:
            body = object_of(self._sender.send(request), at)
        except NotFound:
            return self._keep(_Token(None, started + _TOKENLESS, started + _TOKENLESS))
        access_token = body.get("access_token")
        if not isinstance(access_token, str):
            raise Network(f"{at} answered without an access token: that is not the service's.")
        told = body.get("expires_in")
        life = float(told) if isinstance(told, (int, float)) and not isinstance(told, bool) and told > 0 else 60.0
        renew_at = started + life - min(60.0, life / 10)
        return self._keep(_Token(bearer(access_token, "The access token"), renew_at, started + life))

    def _keep(self, token: _Token) -> _Token:
        with self._lock.get():
            self._token = token
        return token
