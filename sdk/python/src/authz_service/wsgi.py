"""Middleware for WSGI."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Callable, Dict, Iterable

from ._sync.client import Client
from .guard import Mapper, problem_json, verdict_of

Environ = Dict[str, Any]
App = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class AuthzMiddleware:
    """Asks before each request. `question` maps the environment to a question, `PUBLIC`, `NOT_FOUND`, or None, which is
    denied. The application finds the decision in the environment, as `authz_service.decision`."""

    def __init__(self, app: App, client: Client, question: Mapper[Environ]) -> None:
        self._app = app
        self._client = client
        self._question = question

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        verdict = verdict_of(self._client, self._question(environ))
        refused = verdict.refusal
        if refused is None:
            environ["authz_service.decision"] = verdict.decision
            return self._app(environ, start_response)
        body = problem_json(refused)
        headers = [("content-type", "application/problem+json"), ("content-length", str(len(body)))]
        start_response(f"{refused[0]} {HTTPStatus(refused[0]).phrase}", headers)
        return [body]
