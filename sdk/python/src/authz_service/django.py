"""A decorator and middleware for Django."""

from __future__ import annotations

import asyncio
from functools import wraps
from typing import Any, Callable, TypeVar, Union, cast

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string

from ._async.client import AsyncClient
from ._sync.client import Client
from .guard import (
    ActionPart,
    ContextPart,
    ResourcePart,
    SubjectPart,
    Verdict,
    async_mapper_of,
    mapper_of,
    problem_json,
    verdict_async,
    verdict_of,
)

View = TypeVar("View", bound=Callable[..., Any])


def require(
    client: Union[Client, AsyncClient],
    subject: SubjectPart[HttpRequest],
    action: ActionPart[HttpRequest],
    resource: ResourcePart[HttpRequest],
    context: ContextPart[HttpRequest] = None,
) -> Callable[[View], View]:
    """Asks before the view, which may be a coroutine: 403 where denied, 503 where that could not be decided.

    Each part is given as it is, or as a function of the request, whose `resolver_match.kwargs` holds what the URL says;
    a subject that is None is 401, a part that is `NOT_FOUND` is 404. The view finds the decision as
    `request.authz_decision`. An `AsyncClient`, or a part that is a coroutine, needs a view that is a coroutine.
    """
    question = mapper_of(subject, action, resource, context)
    question_async = async_mapper_of(subject, action, resource, context)

    def guard(view: View) -> View:
        if asyncio.iscoroutinefunction(view):

            @wraps(view)
            async def guarded_async(request: Any, *values: Any, **named: Any) -> Any:
                refused = _refused(request, await verdict_async(client, question_async(request)))
                return await view(request, *values, **named) if refused is None else refused

            return cast(View, guarded_async)
        if not isinstance(client, Client):
            raise ImproperlyConfigured("A view that is no coroutine needs a Client, not an AsyncClient.")
        threads_client = client

        @wraps(view)
        def guarded(request: Any, *values: Any, **named: Any) -> Any:
            refused = _refused(request, verdict_of(threads_client, question(request)))
            return view(request, *values, **named) if refused is None else refused

        return cast(View, guarded)

    return guard


class AuthzMiddleware:
    """Asks before every view.

    The setting `AUTHZ_CLIENT` names a `Client` by its dotted path, `AUTHZ_QUESTION` a function of the request that gives a
    question, `PUBLIC` where none needs to be asked, `NOT_FOUND`, or None, which is denied. The view finds the decision as
    `request.authz_decision`.
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
        return _refused(request, verdict_of(self._client, self._question(request)))


def _setting(name: str) -> Any:
    path = getattr(settings, name, None)
    if not isinstance(path, str):
        raise ImproperlyConfigured(f"The setting {name} is missing: give a dotted path.")
    return import_string(path)


def _refused(request: Any, verdict: Verdict) -> Any:
    """The answer in the place of the view; None where the request may go on."""
    if verdict.refusal is None:
        request.authz_decision = verdict.decision
        return None
    return HttpResponse(problem_json(verdict.refusal), status=verdict.refusal[0], content_type="application/problem+json")
