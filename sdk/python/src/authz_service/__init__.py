"""Authorization decisions from the service, its agent, or any AuthZEN 1.0 decision point.

    from authz_service import Client, Resource, Subject

    with Client("http://127.0.0.1:8181") as client:
        if client.is_allowed(Subject("user", "alice"), "read", Resource("invoice", "INV-1")):
            ...
"""

from ._async.client import AsyncClient
from ._sync.client import Client
from .decision import Candidate, Clause, Decision, Entity, FoundAction, LeftOut, Metadata, Outcome
from .errors import (
    Conflict,
    EvaluationFailed,
    Forbidden,
    InvalidConfig,
    InvalidRequest,
    Network,
    NotEvaluated,
    NotFound,
    NotReady,
    Pointer,
    ServiceError,
    Timeout,
    TooManyRequests,
    Unauthorized,
)
from .questions import Action, Question, Resource, Subject

__all__ = [
    "Action",
    "AsyncClient",
    "Candidate",
    "Clause",
    "Client",
    "Conflict",
    "Decision",
    "Entity",
    "EvaluationFailed",
    "Forbidden",
    "FoundAction",
    "InvalidConfig",
    "InvalidRequest",
    "LeftOut",
    "Metadata",
    "Network",
    "NotEvaluated",
    "NotFound",
    "NotReady",
    "Outcome",
    "Pointer",
    "Question",
    "Resource",
    "ServiceError",
    "Subject",
    "Timeout",
    "TooManyRequests",
    "Unauthorized",
]
