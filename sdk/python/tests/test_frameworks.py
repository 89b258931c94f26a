"""The guards of frameworks: allowed goes on, denied is 403, could not decide is 503, and so is never let in."""

from __future__ import annotations

import asyncio
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Union

import pytest
from authz_service import Decision, Question, Resource, Subject
from authz_service.guard import NOT_FOUND, PUBLIC, mapper_of, verdict_of
from authz_service.testing import FakeDecisionPoint
from tests.django_settings import configure_django

CASES = [("alice", 200), ("bob", 403), ("broken", 503), ("", 401), ("malformed", 400), ("lost", 404)]


@pytest.fixture
def pdp() -> FakeDecisionPoint:
    fake = FakeDecisionPoint()
    fake.allow(Subject("user", "alice"), "read", Resource("invoice", "1"))
    fake.fail(Subject("user", "broken"))
    fake.fail(Subject("user", "malformed"), code="invalid_request", status=400)
    return fake


def subject_of(name: Optional[str]) -> Any:
    if name == "lost":
        return NOT_FOUND
    return Subject("user", name) if name else None


@pytest.mark.parametrize("user, status", CASES)
@pytest.mark.parametrize("kind", ["client", "async_client"])
def test_fastapi(pdp: FakeDecisionPoint, kind: str, user: str, status: int) -> None:
    pytest.importorskip("fastapi")
    import httpx
    from authz_service.fastapi import require
    from fastapi import Depends, FastAPI

    guard = require(
        getattr(pdp, kind)(),
        lambda request: subject_of(request.headers.get("x-user")),
        "read",
        lambda request: Resource("invoice", request.path_params["id"]),
    )
    app = FastAPI()

    def show(id: str, decision: Any) -> Dict[str, str]:
        return {"id": id, "reason": decision.reason}

    # Its annotations are types, not texts, since the dependency is known in this function alone.
    show.__annotations__ = {"id": str, "decision": Decision}
    show.__defaults__ = (Depends(guard),)
    app.get("/invoices/{id}")(show)

    async def ask() -> Any:
        async with httpx.AsyncClient(app=app, base_url="http://app") as browser:
            return await browser.get("/invoices/1", headers={"x-user": user})

    answer = asyncio.run(ask())
    assert answer.status_code == status
    assert status != 200 or answer.json()["reason"] == "The table of the test says so."


@pytest.mark.parametrize("user, status", CASES)
def test_parts_may_be_dependencies_of_fastapi_and_coroutines(pdp: FakeDecisionPoint, user: str, status: int) -> None:
    pytest.importorskip("fastapi")
    import httpx
    from authz_service.fastapi import require
    from fastapi import Depends, FastAPI, Request

    async def user_of(request: Any) -> Any:
        return request.headers.get("x-user")

    user_of.__annotations__ = {"request": Request}

    async def subject(name: Any) -> Any:
        return subject_of(name)

    subject.__defaults__ = (Depends(user_of),)

    async def invoice(request: Any) -> Resource:
        return Resource("invoice", request.path_params["id"])

    app = FastAPI()
    guard = require(pdp.async_client(), Depends(subject), "read", invoice)
    app.get("/invoices/{id}", dependencies=[Depends(guard)])(lambda: {})

    async def ask() -> int:
        async with httpx.AsyncClient(app=app, base_url="http://app") as browser:
            return (await browser.get("/invoices/1", headers={"x-user": user})).status_code

    assert asyncio.run(ask()) == status


def test_a_guard_logs_why_it_could_not_decide(pdp: FakeDecisionPoint, caplog: pytest.LogCaptureFixture) -> None:
    for user, says in {"broken": "could not decide", "malformed": "malformed question"}.items():
        caplog.clear()
        verdict_of(pdp.client(), Question(Subject("user", user), "read", Resource("invoice", "1")))
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert says in caplog.text


def test_a_coroutine_guards_nothing_that_runs_in_a_thread(pdp: FakeDecisionPoint) -> None:
    async def later(request: Any) -> Any:
        return Subject("user", "alice")

    with pytest.raises(TypeError, match="event loop"):
        mapper_of(later, "read", Resource("invoice", "1"))(None)


@pytest.mark.parametrize("user, status", CASES)
def test_flask(pdp: FakeDecisionPoint, user: str, status: int) -> None:
    pytest.importorskip("flask")
    from authz_service.flask import require
    from flask import Flask, g

    app = Flask("app")

    @app.route("/invoices/<id>")
    @require(
        pdp.client(),
        lambda request: subject_of(request.headers.get("x-user")),
        "read",
        lambda request: Resource("invoice", request.view_args["id"]),
    )
    def show(id: str) -> str:
        assert g.authz_decision.allowed
        return id

    assert app.test_client().get("/invoices/1", headers={"x-user": user}).status_code == status


QUESTION: Dict[str, Callable[[Any], Any]] = {}


def django_views(pdp: FakeDecisionPoint) -> None:
    """Django's settings are the process's: they are made once, and its views ask through this module."""
    pytest.importorskip("django")
    views: Any = types.ModuleType("authz_test_urls")
    sys.modules["authz_test_urls"] = views
    configure_django()
    views.client = pdp.client()


def asked_by(request: Any) -> Any:
    subject = subject_of(request.headers.get("x-user"))
    return NOT_FOUND if subject is NOT_FOUND else Question(subject, "read", Resource("invoice", "1"))


@pytest.mark.parametrize("user, status", CASES)
@pytest.mark.parametrize("way", ["decorator", "coroutine", "middleware", "permission", "object permission"])
def test_django(pdp: FakeDecisionPoint, way: str, user: str, status: int) -> None:
    django_views(pdp)
    from authz_service.django import require
    from django.http import HttpResponse
    from django.test import Client as Browser, override_settings
    from django.urls import clear_url_caches, path

    views: Any = sys.modules["authz_test_urls"]
    middleware: List[str] = []
    parts = (
        lambda request: subject_of(request.headers.get("x-user")),
        "read",
        lambda request: Resource("invoice", request.resolver_match.kwargs["id"]),
    )

    def view(request: Any, id: str) -> Any:
        assert request.authz_decision.allowed
        return HttpResponse(id)

    if way == "decorator":
        view = require(views.client, *parts)(view)  # type: ignore[arg-type]
    elif way == "coroutine":

        async def show(request: Any, id: str) -> Any:
            assert request.authz_decision.allowed
            return HttpResponse(id)

        view = require(pdp.async_client(), *parts)(show)
    elif way == "middleware":
        middleware.append("authz_service.django.AuthzMiddleware")
        views.question = asked_by
    else:
        pytest.importorskip("rest_framework")
        from authz_service.rest_framework import AuthzPermission
        from rest_framework.response import Response
        from rest_framework.views import APIView

        class MayRead(AuthzPermission):
            client = views.client

        if way == "permission":
            setattr(MayRead, "question", lambda self, request, view: asked_by(request))
        else:
            setattr(MayRead, "object_question", lambda self, request, view, obj: asked_by(request))

        class Invoice(APIView):
            permission_classes = [MayRead]

            def get(self, request: Any, id: str) -> Any:
                self.check_object_permissions(request, id)
                assert request.authz_decision.allowed
                return Response(id)

        view = Invoice.as_view()
    views.urlpatterns = [path("invoices/<id>", view)]
    clear_url_caches()
    with override_settings(MIDDLEWARE=middleware):
        browser = Browser(raise_request_exception=False)
        # The REST framework knows from its own authentication whether somebody has logged in.
        expected = 403 if status == 401 and "permission" in way else status
        assert browser.get("/invoices/1", HTTP_X_USER=user).status_code == expected


def test_a_permission_that_asks_nothing_denies(pdp: FakeDecisionPoint) -> None:
    django_views(pdp)
    pytest.importorskip("rest_framework")
    from authz_service.rest_framework import AuthzPermission

    permission = AuthzPermission()
    permission.client = pdp.client()
    assert not permission.has_permission(None, None)


def question_of_scope(scope: Any) -> Union[Question, Any]:
    if scope["path"] == "/health":
        return PUBLIC
    subject = subject_of(dict(scope["headers"]).get(b"x-user", b"").decode())
    return NOT_FOUND if subject is NOT_FOUND else Question(subject, "read", Resource("invoice", scope["path"].rpartition("/")[2]))


@pytest.mark.parametrize("path, user, status", [("/invoices/1", *case) for case in CASES] + [("/health", "", 200)])
@pytest.mark.parametrize("kind", ["client", "async_client"])
def test_asgi(pdp: FakeDecisionPoint, kind: str, path: str, user: str, status: int) -> None:
    import httpx
    from authz_service.asgi import AuthzMiddleware

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert path == "/health" or scope["authz_service.decision"].allowed
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"shown"})

    guarded: Any = AuthzMiddleware(app, getattr(pdp, kind)(), question_of_scope)

    async def ask() -> Any:
        async with httpx.AsyncClient(app=guarded, base_url="http://app") as browser:
            return await browser.get(path, headers={"x-user": user})

    answer = asyncio.run(ask())
    assert answer.status_code == status
    assert (answer.text == "shown") is (status == 200)


@pytest.mark.parametrize("path, user, status", [("/invoices/1", *case) for case in CASES] + [("/health", "", 200)])
def test_wsgi(pdp: FakeDecisionPoint, path: str, user: str, status: int) -> None:
    from authz_service.wsgi import AuthzMiddleware

    def app(environ: Any, start_response: Any) -> List[bytes]:
        assert path == "/health" or environ["authz_service.decision"].allowed
        start_response("200 OK", [])
        return [b"shown"]

    def question(environ: Any) -> Any:
        scope = {"path": environ["PATH_INFO"], "headers": [(b"x-user", environ["HTTP_X_USER"].encode())]}
        return question_of_scope(scope)

    seen: List[str] = []
    body = AuthzMiddleware(app, pdp.client(), question)(
        {"PATH_INFO": path, "HTTP_X_USER": user}, lambda line, headers: seen.append(line)
    )
    assert seen[0].startswith(str(status))
    assert (list(body) == [b"shown"]) is (status == 200)


def test_nobody_learns_what_is_there_before_logging_in() -> None:
    with FakeDecisionPoint().client() as client:
        for subject, status in ((None, 401), (Subject("user", "alice"), 404)):
            question = mapper_of(lambda _: subject, "read", lambda _: NOT_FOUND)
            found = verdict_of(client, question(None))
            assert found.refusal is not None and found.refusal[0] == status
