"""Typed errors. A denial is no error: it is a `Decision`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, Mapping, Optional, Sequence, Tuple, Type


@dataclass(frozen=True)
class Pointer:
    """A fault at one place of what was sent."""

    pointer: str
    detail: str
    address: Optional[str] = None


class ServiceError(Exception):
    """A call that has no answer. For a question, it means that it could not be decided.

    `code` is stable (docs/problems.md); `detail` names the value at fault and the remedy; `pointers` name the places in
    what was sent; `request_id` finds the line in the service's log; `status` is that of the answer, where there was one.
    """

    code = "internal"

    def __init__(
        self,
        detail: str,
        code: Optional[str] = None,
        pointers: Sequence[Pointer] = (),
        request_id: Optional[str] = None,
        status: Optional[int] = None,
    ) -> None:
        super().__init__(detail, code, tuple(pointers), request_id, status)
        self.detail = detail
        if code is not None:
            self.code = code
        self.pointers: Tuple[Pointer, ...] = tuple(pointers)
        self.request_id = request_id
        self.status = status

    def __str__(self) -> str:
        return f"{self.detail} ({self.code})"

    def with_detail(self, detail: str) -> ServiceError:
        """The same error in other words, and without the traceback of this one."""
        return type(self)(detail, self.code, self.pointers, self.request_id, self.status)

    def rewritten(self, rewrite: Callable[[str], str]) -> ServiceError:
        """The same error with each of its texts rewritten."""
        pointers = [
            Pointer(rewrite(one.pointer), rewrite(one.detail), None if one.address is None else rewrite(one.address))
            for one in self.pointers
        ]
        request_id = None if self.request_id is None else rewrite(self.request_id)
        return type(self)(rewrite(self.detail), self.code, pointers, request_id, self.status)


class Timeout(ServiceError):
    """There was no answer in time."""

    code = "timeout"


class Network(ServiceError):
    """The service could not be reached, or something else answered in its place."""

    code = "network"


class Unauthorized(ServiceError):
    """The credential is missing, wrong or no longer valid."""

    code = "unauthorized"


class Forbidden(ServiceError):
    """The credential may not do this. It says nothing about the subject of a question."""

    code = "forbidden"


class EvaluationFailed(ServiceError):
    """The decision point failed while it evaluated the question."""

    code = "evaluation_failed"


class NotEvaluated(ServiceError):
    """An item of a batch that ended before it."""

    code = "not_evaluated"


class InvalidRequest(ServiceError):
    """The request is malformed, or names what is ambiguous or invalid."""

    code = "invalid_request"


class NotFound(ServiceError):
    code = "not_found"


class Conflict(ServiceError):
    """The change contradicts the present state, or that state has moved on."""

    code = "conflict"


class TooManyRequests(ServiceError):
    code = "too_many_requests"


class NotReady(ServiceError):
    """The decision point has no records to decide by yet."""

    code = "not_ready"


class InvalidConfig(ServiceError):
    """The client is configured with something that cannot work."""

    code = "invalid_config"


_CLASSES: Mapping[str, Type[ServiceError]] = {
    "access_rule_violated": Conflict,
    "ambiguous_name": InvalidRequest,
    "behind_revision": NotReady,
    "conflict": Conflict,
    "evaluation_failed": EvaluationFailed,
    "filter_too_large": InvalidRequest,
    "forbidden": Forbidden,
    "idempotency_mismatch": InvalidRequest,
    "internal": ServiceError,
    "invalid_address": InvalidRequest,
    "invalid_bundle": ServiceError,
    "invalid_client": Unauthorized,
    "invalid_config": InvalidConfig,
    "invalid_cursor": InvalidRequest,
    "invalid_records": InvalidRequest,
    "invalid_request": InvalidRequest,
    "method_not_allowed": InvalidRequest,
    "network": Network,
    "not_evaluated": NotEvaluated,
    "not_filterable": InvalidRequest,
    "not_found": NotFound,
    "not_owner": Conflict,
    "not_ready": NotReady,
    "outside_history": NotFound,
    "outside_limits": Forbidden,
    "payload_too_large": InvalidRequest,
    "precondition_failed": Conflict,
    "stale_base": Conflict,
    "storage_failed": ServiceError,
    "timeout": Timeout,
    "too_old": NotReady,
    "too_many_requests": TooManyRequests,
    "unauthorized": Unauthorized,
    "unknown_application": NotFound,
    "unknown_revision": Conflict,
    "unsupported_media_type": InvalidRequest,
}

#: What a status means if the answer has no code that this client knows, as with other vendors.
_CODES: Dict[int, str] = {
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "timeout",
    409: "conflict",
    412: "precondition_failed",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "too_many_requests",
    502: "network",
    503: "network",
    504: "network",
}


def code_of_status(status: int) -> str:
    return _CODES.get(status, "invalid_request" if 400 <= status < 500 else "internal")


def is_code(value: object) -> bool:
    return isinstance(value, str) and value in _CLASSES


def error_of(
    code: str,
    detail: str,
    pointers: Sequence[Pointer] = (),
    request_id: Optional[str] = None,
    status: Optional[int] = None,
) -> ServiceError:
    """An error of the class that stands for the code."""
    return _CLASSES[code](detail, code, pointers, request_id, status)
