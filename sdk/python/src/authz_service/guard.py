"""What the guards of all frameworks share: allowed goes on, denied is 403, could not decide is 503, nobody is 401."""

from __future__ import annotations

import json
from typing import Any, Callable, Optional, Tuple, TypeVar, Union

from ._async.client import AsyncClient
from ._sync.client import Client
from .errors import ServiceError
from .questions import Question, QuestionLike

R = TypeVar("R")


class Public:
    """What a mapper gives for a request that needs no decision: `PUBLIC`."""

    def __repr__(self) -> str:
        return "PUBLIC"


PUBLIC = Public()

#: The question that a request asks; one without a subject is refused with 401, since nobody has logged in. None denies: a
#: request that nobody thought of is not let in.
Mapper = Callable[[R], Union[QuestionLike, Public, None]]

Part = Union[Any, Callable[[R], Any]]


def mapper_of(subject: Part[R], action: Part[R], resource: Part[R], context: Optional[Part[R]]) -> Mapper[R]:
    """A mapper made from parts, each given as a value or as a function of the request."""

    def question(request: R) -> Optional[Question]:
        who, what, which, moment = (part(request) if callable(part) else part for part in (subject, action, resource, context))
        return None if what is None or which is None else Question(who, what, which, moment)

    return question


#: None lets the request through. Otherwise, the status and what the caller may be told.
Refusal = Optional[Tuple[int, str]]

UNAUTHENTICATED: Tuple[int, str] = (401, "Log in first.")
DENIED: Tuple[int, str] = (403, "You may not do this.")
UNDECIDED: Tuple[int, str] = (503, "Whether you may do this could not be decided. Try again later.")


def _refused_unasked(question: Union[QuestionLike, None]) -> Refusal:
    if question is None:
        return DENIED
    subject = question.subject if isinstance(question, Question) else question.get("subject")
    return UNAUTHENTICATED if subject is None else None


def refusal(client: Client, question: Union[QuestionLike, Public, None]) -> Refusal:
    if isinstance(question, Public):
        return None
    refused = _refused_unasked(question)
    if refused is not None or question is None:
        return refused
    try:
        return None if client.ask(question).allowed else DENIED
    except ServiceError:
        return UNDECIDED


async def refusal_async(
    client: Union[Client, AsyncClient], question: Union[QuestionLike, Public, None]
) -> Refusal:
    """The same in an event loop, where a `Client` is asked in a thread."""
    if isinstance(client, Client):
        import asyncio

        return await asyncio.get_running_loop().run_in_executor(None, refusal, client, question)
    if isinstance(question, Public):
        return None
    refused = _refused_unasked(question)
    if refused is not None or question is None:
        return refused
    try:
        return None if (await client.ask(question)).allowed else DENIED
    except ServiceError:
        return UNDECIDED


def problem_json(refused: Tuple[int, str]) -> bytes:
    return json.dumps({"status": refused[0], "detail": refused[1]}).encode()
