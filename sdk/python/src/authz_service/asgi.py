"""Middleware for ASGI."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, MutableMapping, Union

from ._async.client import AsyncClient
from ._sync.client import Client
from .guard import AsyncMapper, problem_json, verdict_async

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class AuthzMiddleware:
    """Asks before each HTTP request and each WebSocket. `question` maps the scope to a question, `PUBLIC`,
    `NOT_FOUND` or None, and may be a coroutine. The application finds the decision in the scope, as `authz_service.decision`."""

    def __init__(self, app: App, client: Union[Client, AsyncClient], question: AsyncMapper[Scope]) -> None:
        self._app = app
        self._client = client
        self._question = question

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        verdict = await verdict_async(self._client, self._question(scope))
        refused = verdict.refusal
        if refused is None:
            await self._app({**scope, "authz_service.decision": verdict.decision}, receive, send)
        elif scope["type"] == "websocket":
            # Before it is accepted, this answers 403, whatever the reason.
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            body = problem_json(refused)
            headers = [(b"content-type", b"application/problem+json"), (b"content-length", str(len(body)).encode())]
            await send({"type": "http.response.start", "status": refused[0], "headers": headers})
            await send({"type": "http.response.body", "body": body})
