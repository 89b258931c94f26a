"""A dependency for FastAPI."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Coroutine, Dict, Optional, Union

from fastapi import HTTPException, Request
from fastapi.params import Depends

from ._async.client import AsyncClient
from ._sync.client import Client
from .decision import Decision
from .guard import ActionPart, AsyncMapper, ContextPart, ResourcePart, SubjectPart, async_mapper_of, verdict_async


def require(
    client: Union[Client, AsyncClient],
    subject: Union[SubjectPart[Request], Depends],
    action: Union[ActionPart[Request], Depends],
    resource: Union[ResourcePart[Request], Depends],
    context: Union[ContextPart[Request], Depends] = None,
) -> Callable[..., Coroutine[Any, Any, Optional[Decision]]]:
    """For `Depends(require(…))`, which gives the decision: 403 where denied, 503 where that could not be decided.

    Each part is given as it is, as a function of the request, which may be a coroutine, or as `Depends(…)`, with
    dependencies of its own. A subject that is None is 401, a part that is `NOT_FOUND` is 404.
    """
    parts: Dict[str, Any] = {"subject": subject, "action": action, "resource": resource, "context": context}

    async def guard(request: Request, **found: Any) -> Optional[Decision]:
        mapper: AsyncMapper[Request] = async_mapper_of(**{**parts, **found})
        verdict = await verdict_async(client, mapper(request))
        if verdict.refusal is not None:
            raise HTTPException(status_code=verdict.refusal[0], detail=verdict.refusal[1])
        return verdict.decision

    # FastAPI resolves what stands in the signature.
    named = inspect.Parameter.KEYWORD_ONLY
    guard.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("request", named, annotation=Request)]
        + [inspect.Parameter(name, named, default=part) for name, part in parts.items() if isinstance(part, Depends)]
    )
    return guard
