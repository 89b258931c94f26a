"""Both clients against a real cloud and a real agent, which test/src/sdk/python-live.test.ts starts."""

from __future__ import annotations

import asyncio
import os
from typing import Any, Dict, List

import pytest
from authz_service import AsyncClient, Client, Conflict, Forbidden, NotFound, Question, Resource, Subject, Unauthorized

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
        agents = client.agents(enforces="1", wait=1)
        assert (agents["wanted"], agents["complete"]) == (1, True)
        assert client.retire_agent("nobody") == 0
        assert client.retire_agents("no key") == 0
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
        limited = client.records.api_keys.create(
            {"name": "ours", "scopes": ["records:read", "records:write"], "limits": {"stacks": ["ours"]}}
        )
        with Client(os.environ["AUTHZ_LIVE_CLOUD"], api_key=limited["secret"]) as caller:
            roles = caller.records.roles
            with pytest.raises(Forbidden):
                roles.create({"application": "shop", "name": "guard"})
            assert roles.create({"application": "shop", "name": "guard"}, stack="ours")["managed_by"] == "ours"
            assert roles.update("shop/guard", {"description": "Watches"}, stack="ours")["description"] == "Watches"
            roles.delete("shop/guard", stack="ours")
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
        pages: List[Any] = []
        assert len(list(client.audit(record="role/shop/guard", on_page=pages.append))) == 3
        assert "searched_since" in pages[0]
        origin = {"repository": "https://git.test/acme", "commit": "4f2a1c9", "places": {"a.yaml": {"role/porter": 3}}}
        change = {"op": "create", "kind": "role", "fields": {"name": "porter"}}
        made_at = client.change_set([change], stack="tree", origins=origin)["revision"]
        assert [(one["path"], one["line"]) for one in client.origins(["role/porter"])] == [("a.yaml", 3)]
        assert "/console" in client.console_link()["url"]
        assert client.access_rule_violations()["violations"] == []
        # The bundle that this test has fetched itself counts as an agent that does not report.
        listed = client.enforced(made_at, timeout=20)
        assert (listed["enforcing"], listed["total"], listed["complete"]) == (1, 1, False)
        rotated = client.records.api_keys.rotate_secret("ours", overlap=60)
        assert rotated["secret"] != limited["secret"] and "former_until" in rotated
        with Client(**options_of("cloud"), at=done["revision"]) as past, pytest.raises(NotFound):
            past.records.roles.get("porter")
        with Client(**options_of("cloud"), max_age=0, headers={"x-zone": "north"}) as fresh:
            assert fresh.records.roles.get("porter")["name"] == "porter" and fresh.decide(ALICE, "read", INVOICE)
        tenant = client.tenants.create("python")
        assert client.tenants.disabled_credentials("python") == [] and client.tenants.enable_credentials("python") == []
        with pytest.raises(NotFound):
            client.tenants.erase("python", "user/nobody", ["email"])
        client.tenants.delete(tenant["name"])
    with Client(**options_of("agent")) as client:
        assert client.agent_status()["status"]
