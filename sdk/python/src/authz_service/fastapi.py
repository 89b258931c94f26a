"""A dependency for FastAPI."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from fastapi import HTTPException, Request

from ._async.client import AsyncClient
from ._sync.client import Client
from .guard import Mapper, Part, mapper_of, refusal_async


def require(
    client: Union[Client, AsyncClient],
    subject: Part[Request],
    action: Part[Request],
    resource: Part[Request],
    context: Optional[Part[Request]] = None,
) -> Callable[[Request], Any]:
    """For `dependencies=[Depends(require(…))]`: 403 where denied, 503 where that could not be decided.

    Each part is given as it is, or as a function of the request; a subject that is None is 401.
    """
    question: Mapper[Request] = mapper_of(subject, action, resource, context)

    async def guard(request: Request) -> None:
        refused = await refusal_async(client, question(request))
        if refused is not None:
            raise HTTPException(status_code=refused[0], detail=refused[1])

    # FastAPI reads the annotation, which the future import above makes a text that it cannot always resolve.
    guard.__annotations__ = {"request": Request, "return": None}
    return guard
