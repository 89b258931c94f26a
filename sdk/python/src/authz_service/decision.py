"""Answers of a decision point."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Tuple

from .errors import ServiceError


@dataclass(frozen=True)
class Clause:
    """A part of a policy's condition, or a modifier, and what came of it: `true`, `false`, `absent` or `failed`."""

    #: As it is written, `modifiers.NAME` or `unless.NAME`; a long one is cut off.
    clause: str
    outcome: str
    #: The attribute that is absent, or the cause of the failure.
    why: Optional[str] = None
    #: What it reads, as JSON texts by attribute; long ones are cut off.
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Candidate:
    """A policy that was considered, and what came of it: `applies`, `does_not_apply` or `failed`."""

    policy: str
    policy_id: str
    effect: str
    priority: int
    access_path: str
    through: Tuple[str, ...]
    outcome: str
    why: str
    #: The address of the resource on which the role is held, unless it is held everywhere.
    place: Optional[str] = None
    #: The clauses of its condition, modifiers and `unless`; none where it has none, or its links do not count now.
    clauses: Tuple[Clause, ...] = ()
    #: How many more clauses it has: the lists are bounded.
    clauses_left_out: int = 0


@dataclass(frozen=True)
class Decision:
    """Allowed or denied. It is true in an `if` when it allows: `if client.decide(…):` lets in who is allowed.

    What could not be decided is no `Decision` but a raised `ServiceError`, unless the call says `or_deny=True`: then
    `decided` is false, and `error` says why. `context` is the answer's own, whoever's words it is in.
    """

    allowed: bool
    reason: Optional[str] = None
    policy_id: Optional[str] = None
    #: How the subject came to the policy: `direct`, `role`, `group` or `none`.
    access_path: Optional[str] = None
    #: All candidates, where the call says `explain=True`.
    explanation: Optional[Tuple[Candidate, ...]] = None
    context: Optional[Mapping[str, Any]] = None
    decided: bool = True
    error: Optional[ServiceError] = None
    #: The tenant's revision at which it was decided, if the decision point names it.
    revision: Optional[str] = None

    def __bool__(self) -> bool:
        return self.allowed


def denied_because(error: ServiceError) -> Decision:
    """The denial for a caller who wants one where the question could not be decided."""
    return Decision(False, reason="This could not be decided.", decided=False, error=error)


@dataclass(frozen=True)
class Outcome:
    """The answer to one question of a batch: `decision`, or `error` if it could not be decided.

    In a condition it counts as what was decided, and raises the error where nothing was: an outcome is never taken for
    an allow because it is there.
    """

    decision: Optional[Decision] = None
    error: Optional[ServiceError] = None

    def result(self) -> Decision:
        """The decision; raises the error where there is none."""
        if self.decision is not None:
            return self.decision
        raise self.error or ServiceError("The outcome holds neither a decision nor an error.")

    def __bool__(self) -> bool:
        return self.result().allowed


@dataclass(frozen=True)
class Entity:
    """A subject or a resource that a search found."""

    type: str
    id: str


@dataclass(frozen=True)
class FoundAction:
    """An action that a search found."""

    name: str


@dataclass(frozen=True)
class LeftOut:
    """The results that a page of a search left out because the question says too little, and the missing attributes."""

    count: int
    #: `context.mfa`
    absent: List[str]


@dataclass(frozen=True)
class Metadata:
    """The endpoints of a decision point (AuthZEN 1.0 section 9). None: it does not offer that."""

    policy_decision_point: str
    access_evaluation_endpoint: str
    access_evaluations_endpoint: Optional[str] = None
    search_subject_endpoint: Optional[str] = None
    search_resource_endpoint: Optional[str] = None
    search_action_endpoint: Optional[str] = None
