"""Questions for decisions."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Dict, Mapping, Optional, Sequence, Union

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Subject:
    """Who asks. `roles` add to the recorded roles; `properties` override the recorded ones."""

    type: str
    id: str
    properties: Optional[Json] = None
    roles: Optional[Sequence[str]] = None


@dataclass(frozen=True)
class Action:
    """The action that is asked about."""

    name: str
    properties: Optional[Json] = None


@dataclass(frozen=True)
class Resource:
    """The resource that is asked about, by `id` or else `name`."""

    type: str
    id: Optional[str] = None
    name: Optional[str] = None
    properties: Optional[Json] = None


#: A subject, or its JSON as AuthZEN has it.
SubjectLike = Union[Subject, Json]
#: An action, its name, or its JSON.
ActionLike = Union[Action, str, Json]
#: A resource, or its JSON.
ResourceLike = Union[Resource, Json]
#: The type to search for, or its JSON, whose properties then count for each candidate.
TypeLike = Union[str, Json]


@dataclass(frozen=True)
class Question:
    """May the subject do the action to the resource? In a batch, the batch's own members stand in for those left out."""

    subject: Optional[SubjectLike] = None
    action: Optional[ActionLike] = None
    resource: Optional[ResourceLike] = None
    context: Optional[Json] = None


#: A question, or its JSON as AuthZEN has it.
QuestionLike = Union[Question, Json]


def body_of(question: QuestionLike) -> Dict[str, Any]:
    """The JSON of a question. What is None is not sent."""
    if not isinstance(question, Question):
        return dict(question)
    body: Dict[str, Any] = {}
    if question.subject is not None:
        body["subject"] = entity_body(question.subject)
    if question.action is not None:
        body["action"] = {"name": question.action} if isinstance(question.action, str) else entity_body(question.action)
    if question.resource is not None:
        body["resource"] = entity_body(question.resource)
    if question.context is not None:
        body["context"] = {name: value for name, value in question.context.items() if value is not None}
    return body


_NAMES = {kind: tuple(field.name for field in fields(kind)) for kind in (Subject, Action, Resource)}


def entity_body(entity: Union[Subject, Action, Resource, Json]) -> Json:
    if isinstance(entity, (Subject, Action, Resource)):
        members = entity.__dict__
        return {name: members[name] for name in _NAMES[type(entity)] if members[name] is not None}
    return entity


def type_body(kind: TypeLike) -> Json:
    return {"type": kind} if isinstance(kind, str) else kind


def filter_body(
    subject: SubjectLike,
    action: ActionLike,
    resource: TypeLike,
    context: Optional[Json],
    explain: bool,
    takes_partial: bool,
) -> Json:
    body = {**body_of(Question(subject, action, None, context)), "resource": type_body(resource)}
    options: Json = {**({"explain": True} if explain else {}), **({"partial": "ask"} if takes_partial else {})}
    return {**body, "options": options} if options else body
