"""Parts that the guards of all frameworks share.

Allowed goes on; denied is 403, nobody 401, what is not there 404, a malformed question 400, and what could not be decided 503,
which is logged as a warning of the logger `authz_service`.
"""

from __future__ import annotations

import inspect
import json
import logging
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Dict, List, Optional, Tuple, TypeVar, Union

from ._async.client import AsyncClient
from ._sync.client import Client
from .decision import Decision
from .errors import ServiceError
from .questions import ActionLike, Json, Question, QuestionLike, ResourceLike, SubjectLike

R = TypeVar("R")
V = TypeVar("V")

_log = logging.getLogger("authz_service")


class Public:
    """The result of a mapper for a request that needs no decision: `PUBLIC`."""

    def __repr__(self) -> str:
        return "PUBLIC"


class NotThere:
    """The result of a mapper for a request of what is not there, which is answered with 404: `NOT_FOUND`."""

    def __repr__(self) -> str:
        return "NOT_FOUND"


PUBLIC = Public()
NOT_FOUND = NotThere()

#: What a mapper gives: the question that a request asks; one without a subject is refused with 401, since nobody has logged
#: in. None denies: a request that nobody thought of is not let in.
Mapped = Union[QuestionLike, Public, NotThere, None]
#: A mapper of what runs in threads.
Mapper = Callable[[R], Mapped]
#: A mapper of what runs in an event loop, where it may be a coroutine.
AsyncMapper = Callable[[R], Union[Mapped, Awaitable[Mapped]]]

_Mapped = Union[V, NotThere, None]
#: A part of a question, given as a value or as a function of the request, which may be a coroutine in an event loop.
Part = Union[V, None, Callable[[R], Union[_Mapped[V], Awaitable[_Mapped[V]]]]]
SubjectPart = Part[SubjectLike, R]
ActionPart = Part[ActionLike, R]
ResourcePart = Part[ResourceLike, R]
ContextPart = Part[Json, R]


def mapper_of(
    subject: SubjectPart[R], action: ActionPart[R], resource: ResourcePart[R], context: ContextPart[R] = None
) -> Mapper[R]:
    """A mapper made from parts."""

    def question(request: R) -> Mapped:
        return _question([_value(part, request) for part in (subject, action, resource, context)])

    return question


def async_mapper_of(
    subject: SubjectPart[R], action: ActionPart[R], resource: ResourcePart[R], context: ContextPart[R] = None
) -> AsyncMapper[R]:
    """The same for an event loop."""

    async def question(request: R) -> Mapped:
        return _question([await settled(_value(part, request)) for part in (subject, action, resource, context)])

    return question


async def settled(value: Any) -> Any:
    """The value, awaited where it has to be."""
    return await value if inspect.isawaitable(value) else value


def _value(part: Any, request: Any) -> Any:
    return part(request) if callable(part) else part


def _question(parts: List[Any]) -> Mapped:
    for part in parts:
        if inspect.isawaitable(part):
            if inspect.iscoroutine(part):
                part.close()
            raise TypeError("A mapper that is a coroutine guards only what runs in an event loop.")
    subject, action, resource, context = parts
    if any(isinstance(part, NotThere) for part in parts):
        # Who has not logged in learns of nothing whether it is there: 401 comes before 404.
        return Question() if subject is None else NOT_FOUND
    return None if action is None or resource is None else Question(subject, action, resource, context)


#: None lets the request through. Otherwise, the status and what the caller may be told.
Refusal = Optional[Tuple[int, str]]

MALFORMED: Tuple[int, str] = (400, "The request asks for something that cannot be asked about.")
UNAUTHENTICATED: Tuple[int, str] = (401, "Log in first.")
DENIED: Tuple[int, str] = (403, "You may not do this.")
ABSENT: Tuple[int, str] = (404, "There is no such thing.")
UNDECIDED: Tuple[int, str] = (503, "Whether you may do this could not be decided. Try again later.")


@dataclass(frozen=True)
class Verdict:
    """The act of a guard on a request: it refuses, or lets it through with the decision, if there is one."""

    refusal: Refusal = None
    decision: Optional[Decision] = None


def _unasked(question: Mapped) -> Optional[Verdict]:
    """The verdict on what needs no decision."""
    if isinstance(question, Public):
        return Verdict()
    if isinstance(question, NotThere):
        return Verdict(ABSENT)
    if question is None:
        return Verdict(DENIED)
    subject = question.subject if isinstance(question, Question) else question.get("subject")
    return Verdict(UNAUTHENTICATED) if subject is None else None


def _decided(decision: Decision) -> Verdict:
    return Verdict(None if decision.allowed else DENIED, decision)


def _failed(error: ServiceError) -> Verdict:
    if error.code == "invalid_request":
        _log.warning("A guard has asked a malformed question: %s", error)
        return Verdict(MALFORMED)
    _log.warning("A guard could not decide: %s", error)
    return Verdict(UNDECIDED)


def verdict_of(client: Client, question: Mapped) -> Verdict:
    if inspect.isawaitable(question):
        raise TypeError("A mapper that is a coroutine guards only what runs in an event loop.")
    unasked = _unasked(question)
    if unasked is not None or question is None or isinstance(question, (Public, NotThere)):
        return unasked or Verdict(DENIED)
    try:
        return _decided(client.ask(question))
    except ServiceError as error:
        return _failed(error)


async def verdict_async(client: Union[Client, AsyncClient], asked: Union[Mapped, Awaitable[Mapped]]) -> Verdict:
    """The same in an event loop, where a `Client` is asked in a thread."""
    question: Mapped = await settled(asked)
    if isinstance(client, Client):
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(None, verdict_of, client, question)
    unasked = _unasked(question)
    if unasked is not None or question is None or isinstance(question, (Public, NotThere)):
        return unasked or Verdict(DENIED)
    try:
        return _decided(await client.ask(question))
    except ServiceError as error:
        return _failed(error)


def problem_json(refused: Tuple[int, str]) -> bytes:
    body: Dict[str, Any] = {"status": refused[0], "detail": refused[1]}
    return json.dumps(body).encode()
