"""Requests, and when they are retried: the rules of docs/decisions/0016, for both clients."""

from __future__ import annotations

import json
import math
import random
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Mapping, Optional, Sequence
from urllib.parse import quote, urlencode, urlsplit

from .errors import InvalidConfig, InvalidRequest, Pointer, ServiceError

#: The longest wait between two attempts, in seconds.
_BACKOFF_MAX = 10.0

#: What is known about a failed request: it did nothing, may have done its work, or got a final
#: answer.
UNPROCESSED, UNCLEAR, FINAL = "unprocessed", "unclear", "final"

#: The statuses by which calls of management succeed.
SUCCESS = range(200, 300)


@dataclass
class Request:
    """A request to a path below the base address. Times are in seconds."""

    method: str
    path: str
    #: The longest that the call may take with all its attempts and waits.
    total: float
    #: The longest that one attempt may take.
    attempt: float
    retries: int
    #: The first wait before another attempt is at most this long.
    backoff: float
    body: Optional[bytes] = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    #: Whether it may be repeated although it may have been processed.
    harmless: bool = True
    #: Whether it changes something, so that a failure that leaves open whether it did says so.
    writes: bool = False
    #: The statuses that are an answer and no fault. Whoever decides, searches or gives tokens answers 200.
    answered_by: Sequence[int] = (200,)
    #: Whether somebody still waits for the answer; where nobody does, nothing is tried again.
    wanted: Callable[[], bool] = lambda: True
    #: Whether the answer may be about the past, as of the client's `at`.
    past: bool = False
    #: An address on the origin of the base, instead of the path below it.
    url: Optional[str] = None
    attempts: int = 0
    #: Sent as `X-Request-ID`; else each attempt has an id of its own.
    request_id: Optional[str] = None
    #: The tenant's revision at which the answer was found, if the decision point names it.
    revision: Optional[str] = None

    @property
    def target(self) -> str:
        query = urlencode([(name, value) for name, value in self.query.items() if value is not None], quote_via=quote)
        return f"{self.path}?{query}" if query else self.path


@dataclass(frozen=True)
class Fault:
    """A failed attempt: what went wrong, what became of the request, and how long the service asks to wait."""

    error: ServiceError
    state: str
    wait: float = 0.0


class TransportFault(Exception):
    """There is no answer. `timed_out`: in the time given; else the connection failed, as `why` says."""

    def __init__(self, why: str, state: str, timed_out: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.state = state
        self.timed_out = timed_out


def may_repeat(harmless: bool, state: str) -> bool:
    return state == UNPROCESSED or (state == UNCLEAR and harmless)


def state_of(status: int) -> str:
    """A gateway's 502 or 504 says nothing of what the service did."""
    if status in (429, 503):
        return UNPROCESSED
    return UNCLEAR if status in (502, 504) else FINAL


def is_passing(error: ServiceError) -> bool:
    """Whether the same request may well be answered later."""
    return error.code in ("network", "timeout") or state_of(error.status or 200) != FINAL


def backoff(attempt: int, base: float) -> float:
    """The wait before another attempt: exponential with full jitter. `attempt` counts from 0."""
    return random.random() * min(_BACKOFF_MAX, base * 2.0 ** min(attempt, 30))


def retry_after(header: Optional[str]) -> float:
    """A `Retry-After` (RFC 9110 section 10.2.3) in seconds from now; 0 where there is none to go by."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, IndexError, OverflowError):
        return 0.0


class RetryBudget:
    """How many retries a client may make: a tenth of its calls, and ten more.

    Where a service fails under load, retries of every call would double the load.
    """

    def __init__(self) -> None:
        self._saved = 10.0

    def asked(self) -> None:
        self._saved = min(10.0, self._saved + 0.1)

    def take(self) -> bool:
        if self._saved < 1:
            return False
        self._saved -= 1
        return True


class BatchSize:
    """How large a batch may be: as large as is allowed, until one is refused; then by halves between what was taken and
    refused. So long after a refusal, a larger size is tried: other questions may be asked by then, or the server has changed."""

    TRIED_AGAIN = 60.0

    def __init__(self, most: float) -> None:
        self._most = most
        self._taken = 0
        self._refused = math.inf
        self._refused_at = 0.0

    @property
    def limit(self) -> float:
        if time.monotonic() - self._refused_at > self.TRIED_AGAIN:
            self._refused *= 2
            self._refused_at = time.monotonic()
        return max(1.0, min(self._most, (self._taken + self._refused) / 2))

    def took(self, size: int) -> None:
        if self._taken < size < self._refused:
            self._taken = size

    def refused(self, size: int) -> None:
        self._refused = min(size, self._refused)
        self._refused_at = time.monotonic()
        if self._taken >= self._refused:
            self._taken = 0


def json_bytes(value: Any) -> bytes:
    """The JSON of what is sent. Raises `InvalidRequest` with the place of what has no form there."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        found = _unsendable(value, "") if isinstance(error, (TypeError, ValueError)) else None
        why = f"The request has no form in JSON: {error}." if found is None else found.detail
        at = "" if found is None or not found.pointer else f" (at {found.pointer})"
        raise InvalidRequest(f"{why}{at}", pointers=[] if found is None else [found]) from None


def _unsendable(value: Any, pointer: str, depth: int = 0) -> Optional[Pointer]:
    """The first member that cannot be sent."""
    if isinstance(value, float) and not math.isfinite(value):
        return Pointer(pointer, f"{value} has no form in JSON: leave it out.")
    if value is None or isinstance(value, (str, int, float)):
        return None
    if depth > 100 or not isinstance(value, (dict, list, tuple)):
        return Pointer(pointer, f"A value of {type(value).__name__} has no form in JSON: give a number, a text, a list or a dict.")
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for name, member in members:
        token = str(name).replace("~", "~0").replace("/", "~1")
        found = _unsendable(member, f"{pointer}/{token}", depth + 1)
        if found is not None:
            return found
    return None


def base_address(url: str) -> str:
    """The address without a slash at its end. The text is quoted only where it can hold no password."""
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise InvalidConfig("The service URL holds a user name or a password: leave them out.")
    try:
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound:
        raise InvalidConfig(f'"{url}" is no http or https address: write it like "http://127.0.0.1:8080".')
    if parts.query or parts.fragment:
        raise InvalidConfig(f'"{url}" holds a query or a fragment: give the base address alone.')
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def public_base(base: str) -> str:
    """The base address by which a decision point knows itself: who listens on a unix socket is localhost."""
    return "http://localhost" if base.startswith("unix:") else base


def origin_of(base: str) -> str:
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.netloc}"


def path_segment(name: str, what: str) -> str:
    """An empty name would mean the whole collection, and a dot segment would vanish from the URL."""
    if name in ("", ".", ".."):
        raise InvalidRequest(f'"{name}" cannot name {what} in a URL: use its id.')
    return quote(name, safe="")
