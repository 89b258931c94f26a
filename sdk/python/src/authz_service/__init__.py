"""Authorization decisions from the service, its agent, or any AuthZEN 1.0 decision point.

    from authz_service import Client, Resource, Subject

    with Client("http://127.0.0.1:8181") as client:
        if client.is_allowed(Subject("user", "alice"), "read", Resource("invoice", "INV-1")):
            ...
"""

from ._async.client import AsyncClient
from ._filter_sql import ArrayColumn, FilterColumns, SqlFilter, filter_sql
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
from .filters import Filter, FilterPolicy
from .questions import Action, Question, Resource, Subject

__all__ = [
    "Action",
    "ArrayColumn",
    "AsyncClient",
    "Candidate",
    "Clause",
    "Client",
    "Conflict",
    "Decision",
    "Entity",
    "EvaluationFailed",
    "Filter",
    "FilterColumns",
    "FilterPolicy",
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
    "SqlFilter",
    "Subject",
    "Timeout",
    "TooManyRequests",
    "Unauthorized",
    "filter_sql",
]
