"""Both clients against a real cloud and a real agent, which test/src/sdk/python-live.test.ts starts."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List
from urllib.parse import urlsplit

import pytest
from authz_service import AsyncClient, Client, Conflict, NotFound, Question, Resource, Subject, Unauthorized

pytestmark = pytest.mark.skipif("AUTHZ_LIVE_AGENT" not in os.environ, reason="python-live.test.ts names the programs")

ALICE, BOB, INVOICE = Subject("user", "alice"), Subject("user", "bob"), Resource("invoice", "INV-1")


def options_of(where: str) -> Dict[str, Any]:
    if where == "agent":
        return {"url": os.environ["AUTHZ_LIVE_AGENT"]}
    names = {"url": "CLOUD", "client_id": "CLIENT_ID", "client_secret": "CLIENT_SECRET"}
    return {option: os.environ[f"AUTHZ_LIVE_{name}"] for option, name in names.items()}


@pytest.mark.parametrize("options", [{}, {"discover": True}, {"batch_window": 0.002}])
@pytest.mark.parametrize("where", ["cloud", "agent"])
def test_threads_are_answered(where: str, options: Dict[str, Any]) -> None:
    with Client(**options_of(where), **options) as client:
        decision = client.decide(ALICE, "read", INVOICE, explain=True)
        assert decision and decision.access_path == "direct" and decision.policy_id and decision.reason
        assert decision.explanation is not None and len(decision.explanation) == 1
        assert not client.decide(BOB, "read", INVOICE)
        first, second, third = client.decide_all(
            [Question(subject) for subject in (ALICE, BOB, ALICE)],
            action="read",
            resource=INVOICE,
            semantic="deny_on_first_deny",
            reasons=True,
        )
        assert first and first.result().reason and not second
        assert third.error is not None and third.error.code == "not_evaluated"
        assert [found.id for found in client.search_subjects("user", "read", INVOICE, limit=1)] == ["alice"]
        assert [found.name for found in client.search_actions(ALICE, INVOICE)] == ["read"]
        assert list(client.search_resources(BOB, "read", "invoice")) == []


@pytest.mark.parametrize("where", ["cloud", "agent"])
def test_tasks_are_answered(where: str) -> None:
    async def ask() -> None:
        async with AsyncClient(**options_of(where), batch_window=0.005) as client:
            asked = [client.decide(subject, "read", INVOICE) for subject in (ALICE, BOB) * 20]
            assert [bool(decision) for decision in await asyncio.gather(*asked)] == [True, False] * 20
            assert [found.id async for found in client.search_subjects("user", "read", INVOICE)] == ["alice"]

    asyncio.run(ask())


def test_the_cloud_is_managed() -> None:
    with Client(**options_of("cloud")) as client:
        assert client.whoami()["credential"]["kind"] == "oauth_client"
        made = client.records.applications.create({"name": "shop", "description": "Sells"})
        role = client.records.roles.create({"application": "shop", "name": "clerk"})
        assert [one["id"] for one in client.records.roles.list(application="shop")] == [role["id"]]
        changed = client.records.roles.update("shop/clerk", {"description": "Serves"}, if_match=role["revision"])
        assert changed["description"] == "Serves"
        with pytest.raises(Conflict):
            client.records.roles.update(role["id"], {"description": None}, if_match=role["revision"])
        key = client.records.api_keys.create({"name": "caller", "scopes": ["decisions"]})
        with Client(os.environ["AUTHZ_LIVE_CLOUD"], api_key=key["secret"]) as caller:
            assert caller.decide(ALICE, "read", INVOICE)
        client.records.api_keys.delete(key["id"])
        with Client(os.environ["AUTHZ_LIVE_CLOUD"], api_key=key["secret"]) as caller, pytest.raises(Unauthorized):
            caller.decide(ALICE, "read", INVOICE)
        changes = [{"op": "delete", "address": address} for address in ("role/shop/clerk", made["address"])]
        done = client.change_set(changes, idempotency_key="over")
        assert client.change_set(changes, idempotency_key="over") == done and done["removed"] == 2
        with pytest.raises(NotFound):
            client.records.roles.get(role["id"])
        state = client.state()
        assert state is not None and client.state(if_none_match=state["revision"]) is None
        bundle = client.bundle()
        assert bundle is not None and client.bundle(if_none_match=bundle.etag) is None
        assert next(iter(client.audit(limit=2)))["counts"]["removed"] == 2
    with Client(**options_of("agent")) as client:
        assert client.agent_status()["status"]


@pytest.mark.skipif("SDK_BENCH" not in os.environ, reason="SDK_BENCH=1 measures")
def test_what_a_decision_costs() -> None:
    url = os.environ["AUTHZ_LIVE_AGENT"]
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port or 80)

    def bare() -> None:
        entities = {"subject": {"type": "user", "id": "alice"}, "resource": {"type": "invoice", "id": "INV-1"}}
        body = json.dumps({**entities, "action": {"name": "read"}}).encode()
        connection.request("POST", "/access/v1/evaluation", body, {"content-type": "application/json"})
        assert json.loads(connection.getresponse().read())["decision"] is True

    patient: Dict[str, Any] = {"decision_timeout": 30.0, "decision_attempt_timeout": 30.0}
    with Client(url) as client:

        def sdk() -> None:
            assert client.decide(ALICE, "read", INVOICE)

        ratios = [_micros(sdk, 200) / _micros(bare, 200) for _ in range(11)][1:]
    connection.close()
    print(f"a decision over bare http.client: {statistics.median(ratios):.2f} x")

    def threads(window: Any) -> float:
        with Client(url, batch_window=window, **patient) as client, ThreadPoolExecutor(100) as pool:
            started = time.perf_counter()
            assert all(pool.map(lambda _: client.decide(ALICE, "read", INVOICE).allowed, range(1000)))
            return 1000 / (time.perf_counter() - started)

    async def tasks(window: Any) -> float:
        async with AsyncClient(url, batch_window=window, **patient) as client:
            started = time.perf_counter()
            for _ in range(5):
                await asyncio.gather(*[client.decide(ALICE, "read", INVOICE) for _ in range(100)])
            return 500 / (time.perf_counter() - started)

    gains: List[float] = [threads(0.002) / threads(None) for _ in range(3)]
    print(f"100 threads, joined over single: {statistics.median(gains):.1f} x")
    gains = [asyncio.run(tasks(0.002)) / asyncio.run(tasks(None)) for _ in range(3)]
    print(f"100 tasks, joined over single: {statistics.median(gains):.1f} x")


def _micros(work: Callable[[], None], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - started) / times * 1e6
