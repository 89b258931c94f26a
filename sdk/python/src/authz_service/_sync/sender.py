# Generated from _async/sender.py by scripts/unasync.py. Do not edit.
"""Sends requests: attempts with time-outs, retries where they are safe, credentials, and faults as errors."""

from __future__ import annotations

import re
import time
from secrets import token_hex
from typing import Dict, Mapping, Optional, Protocol, Sequence, Tuple, Union

from .._answers import Answer, is_anothers, problem_of
from .._newest_revision import NewestRevision
from .._request import FINAL, UNCLEAR, Fault, Request, RetryBudget, TransportFault, backoff, state_of, may_repeat, retry_after
from .._own_headers import secrets_in
from ..errors import InvalidRequest, Network, ServiceError, Timeout
from .transport import Transport
from .waiting import Slots, pause

#: How many attempts of a client run at once; the others wait in line within their deadlines.
_AT_ONCE = 64

_UNCLEAR_NOTE = " It is not known whether the change was made: look before you try again."


class Authorization(Protocol):
    """The source of the `Authorization` header of requests."""

    def header(self, seconds: float) -> Tuple[Optional[str], bool]:
        """The header, if any, and whether it was made for an earlier call, so that a 401 may mean that it has lapsed."""
        ...

    def discard(self, header: Optional[str]) -> None:
        """Forgets a header that the service refused, unless a newer one has taken its place."""
        ...

    def secrets(self) -> Sequence[str]:
        """Texts that no error may hold."""
        ...


class Sender:
    def __init__(
        self,
        transport: Transport,
        base: str,
        authorization: Optional[Authorization],
        user_agent: str,
        callers: Mapping[str, str],
        secrets: Sequence[str] = (),
        newest: Optional[NewestRevision] = None,
        max_age: Optional[str] = None,
        at: Optional[str] = None,
    ) -> None:
        self.base = base
        #: Learns the revisions of answers, and is carried along by what only reads.
        self._newest = newest
        self._transport = transport
        self._authorization = authorization
        self._user_agent = user_agent
        #: The caller's headers, which go with every request.
        self._callers = callers
        self._secrets = (*secrets, *secrets_in(callers))
        self._max_age = max_age
        #: The moment of the past that the client asks about.
        self._at = at
        self._slots = Slots(_AT_ONCE)
        self._retries = RetryBudget()

    def send(self, request: Request) -> Answer:
        """The answer, of a status that answers the request. Raises `ServiceError`."""
        at = f"{request.method} {request.url or self.base + request.path}"
        if request.request_id is not None and re.fullmatch("[!-~]{1,256}", request.request_id) is None:
            raise InvalidRequest("A request id has 1 to 256 visible ASCII characters: choose another one.")
        self._date(request)
        headers = self._headers(request)
        ends = time.monotonic() + request.total
        retried = 0
        renewed = unclear = False
        newest = self._newest
        carries = reads = request.harmless and not request.writes
        self._retries.asked()
        try:
            while True:
                credential: Optional[str] = None
                reused = False
                if self._authorization is not None:
                    credential, reused = self._authorization.header(ends - time.monotonic())
                    if credential is not None:
                        headers["authorization"] = credential
                    else:
                        headers.pop("authorization", None)
                # The time of an attempt begins when it is sent, and not while it waits in line.
                free = self._slots.take(ends - time.monotonic())
                if free is None:
                    raise _timeout(at, request.total)
                request.attempts += 1
                headers["x-request-id"] = request.request_id or token_hex(16)
                headers.pop("service-min-revision", None)
                if reads and self._max_age is not None:
                    headers["service-max-age"] = self._max_age
                carried = newest.token if newest is not None and carries else None
                if carried is not None:
                    headers["service-min-revision"] = carried
                try:
                    seconds = max(0.001, ends - time.monotonic())
                    outcome = self._attempt(request, at, headers, min(seconds, request.attempt))
                finally:
                    free()
                if isinstance(outcome, Answer):
                    request.revision = outcome.headers.get("service-revision") or None
                    if newest is not None:
                        newest.saw(request.revision)
                    return outcome
                error, state = outcome.error, outcome.state
                if newest is not None and carried is not None and newest.is_refused(carried, error):
                    carries = False
                    continue
                if error.code == "unauthorized" and reused and not renewed and self._authorization is not None:
                    renewed = True
                    self._authorization.discard(credential)
                    continue
                unclear = unclear or state == UNCLEAR
                if time.monotonic() >= ends and error.code == "timeout":
                    raise _timeout(at, request.total)
                wait = max(outcome.wait, backoff(retried, request.backoff))
                hopeless = time.monotonic() + wait >= ends or not request.wanted()
                if retried >= request.retries or hopeless or not may_repeat(request.harmless, state):
                    raise error
                if not self._retries.take():
                    raise error
                pause(wait)
                if not request.wanted():
                    raise error
                retried += 1
        except ServiceError as error:
            told = self._told(error, request.writes and unclear)
        # Raised here, so that it has no context: that would be the error with the credential.
        raise told

    def _attempt(
        self, request: Request, at: str, headers: Dict[str, str], seconds: float
    ) -> Union[Answer, Fault]:
        try:
            answer = self._transport.exchange(
                request.method, request.url or self.base + request.target, headers, request.body, seconds
            )
        except TransportFault as fault:
            if fault.timed_out:
                return Fault(_timeout(at, seconds), fault.state)
            return Fault(Network(f"{at} could not be answered: {fault.why}."), fault.state)
        if is_anothers(answer, headers):
            what = "names another request in X-Request-ID: it is not used. Does a proxy on the way change that header?"
            return Fault(Network(f"{at} was answered, but the answer {what}"), UNCLEAR)
        if answer.status in request.answered_by:
            return answer
        state = state_of(answer.status) if answer.status >= 400 else FINAL
        return Fault(problem_of(answer, at), state, retry_after(answer.headers.get("retry-after")))

    def _date(self, request: Request) -> None:
        """Lets a request ask about the client's moment. Raises `InvalidRequest` for writes, which the past takes none of."""
        if self._at is None:
            return
        if request.writes or not request.harmless:
            raise InvalidRequest(f'This client asks about the past, "{self._at}": write with a client without at.')
        if request.past:
            request.query = {**request.query, "at": self._at}

    def _headers(self, request: Request) -> Dict[str, str]:
        headers = {**self._callers, "accept": "application/json", "user-agent": self._user_agent}
        if request.body is not None:
            headers["content-type"] = "application/json"
        headers.update(request.headers)
        return headers

    def _told(self, error: ServiceError, unclear: bool) -> ServiceError:
        """The error without the credential, in case an answer has repeated it."""
        hidden = [*self._secrets, *(self._authorization.secrets() if self._authorization is not None else ())]

        def clean(text: str) -> str:
            for secret in hidden:
                text = text.replace(secret, "[redacted]")
            return text

        told = error.rewritten(clean)
        return told.with_detail(told.detail + _UNCLEAR_NOTE) if unclear else told


class ApiKey:
    """An API key as a bearer token."""

    def __init__(self, header: str) -> None:
        self._header = header

    def header(self, seconds: float) -> Tuple[Optional[str], bool]:
        return self._header, False

    def discard(self, header: Optional[str]) -> None:
        pass

    def secrets(self) -> Sequence[str]:
        return (self._header.partition(" ")[2],)


def _timeout(at: str, seconds: float) -> Timeout:
    return Timeout(f"{at} gave no answer within {seconds:.3g} s.")
