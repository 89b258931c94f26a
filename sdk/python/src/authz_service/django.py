"""A decorator and middleware for Django."""

from __future__ import annotations

import asyncio
from functools import wraps
from typing import Any, Callable, Optional, TypeVar, Union, cast

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.utils.module_loading import import_string

from ._async.client import AsyncClient
from ._sync.client import Client
from .guard import Mapper, Part, mapper_of, problem_json, refusal, refusal_async

View = TypeVar("View", bound=Callable[..., Any])


def require(
    client: Union[Client, AsyncClient],
    subject: Part[Any],
    action: Part[Any],
    resource: Part[Any],
    context: Optional[Part[Any]] = None,
) -> Callable[[View], View]:
    """Asks before the view, which may be a coroutine: 403 where denied, 503 where that could not be decided.

    Each part is given as it is, or as a function of the request, whose `resolver_match.kwargs` holds what the URL says;
    a subject that is None is 401. An `AsyncClient` needs a view that is a coroutine.
    """
    question: Mapper[Any] = mapper_of(subject, action, resource, context)

    def guard(view: View) -> View:
        if asyncio.iscoroutinefunction(view):

            @wraps(view)
            async def guarded_async(request: Any, *values: Any, **named: Any) -> Any:
                refused = await refusal_async(client, question(request))
                return await view(request, *values, **named) if refused is None else _response(refused)

            return cast(View, guarded_async)
        if not isinstance(client, Client):
            raise ImproperlyConfigured("A view that is no coroutine needs a Client, not an AsyncClient.")
        threads_client = client

        @wraps(view)
        def guarded(request: Any, *values: Any, **named: Any) -> Any:
            refused = refusal(threads_client, question(request))
            return view(request, *values, **named) if refused is None else _response(refused)

        return cast(View, guarded)

    return guard


class AuthzMiddleware:
    """Asks before every view.

    The setting `AUTHZ_CLIENT` names a `Client` by its dotted path, `AUTHZ_QUESTION` a function of the request that gives a
    question, `PUBLIC` where none needs to be asked, or None, which is denied.
    """

    def __init__(self, get_response: Callable[[Any], Any]) -> None:
        self._get_response = get_response
        self._client = _setting("AUTHZ_CLIENT")
        self._question = _setting("AUTHZ_QUESTION")
        if not isinstance(self._client, Client):
            raise ImproperlyConfigured("AUTHZ_CLIENT does not name an authz_service.Client.")

    def __call__(self, request: Any) -> Any:
        return self._get_response(request)

    def process_view(self, request: Any, view: Any, values: Any, named: Any) -> Any:
        refused = refusal(self._client, self._question(request))
        return None if refused is None else _response(refused)


def _setting(name: str) -> Any:
    path = getattr(settings, name, None)
    if not isinstance(path, str):
        raise ImproperlyConfigured(f"The setting {name} is missing: give a dotted path.")
    return import_string(path)


def _response(refused: Any) -> Any:
    return HttpResponse(problem_json(refused), status=refused[0], content_type="application/problem+json")
