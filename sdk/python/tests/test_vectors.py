"""The vectors that all SDKs share, for both clients."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import time
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

import pytest
from authz_service import (
    ArrayColumn,
    AsyncClient,
    Client,
    Decision,
    Filter,
    FilterColumns,
    InvalidConfig,
    LeftOut,
    Outcome,
    ServiceError,
    filter_sql,
)
from authz_service.management import Bundle
from tests.scripted_server import ScriptedServer

VECTORS = Path(__file__).parents[3] / "test" / "vectors"

CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(VECTORS.glob("*.json"))
    for case in json.loads(file.read_text(), object_hook=lambda one: float(one["NUMBER"]) if "NUMBER" in one else one)["cases"]
]


def test_there_are_vectors() -> None:
    assert len(CASES) > 60


@pytest.mark.parametrize("case", CASES)
def test_threads(case: Dict[str, Any], tmp_path: Path) -> None:
    with ScriptedServer(case["script"], socket_of(case, tmp_path)) as server:
        started = time.monotonic()
        try:
            with Client(**options_of(case, server)) as client:
                told(client, case)
                found = run_sync(client, case["call"])
        except InvalidConfig as error:
            found = error
        took = time.monotonic() - started
    compare(case, found, took, server)


@pytest.mark.parametrize("case", CASES)
def test_asyncio(case: Dict[str, Any], tmp_path: Path) -> None:
    async def run() -> Tuple[Any, float]:
        started = time.monotonic()
        try:
            async with AsyncClient(**options_of(case, server)) as client:
                told(client, case)
                return await run_async(client, case["call"]), time.monotonic() - started
        except InvalidConfig as error:
            return error, time.monotonic() - started

    with ScriptedServer(case["script"], socket_of(case, tmp_path)) as server:
        found, took = asyncio.run(run())
    compare(case, found, took, server)


def told(client: Union[Client, AsyncClient], case: Dict[str, Any]) -> None:
    if "notBefore" in case.get("client", {}):
        client.not_before(case["client"]["notBefore"])


def socket_of(case: Dict[str, Any], folder: Path) -> Optional[str]:
    return str(folder / "agent.sock") if case.get("client", {}).get("url") == "SOCKET" else None


NAMES = {
    "apiKey": "api_key",
    "clientId": "client_id",
    "clientSecret": "client_secret",
    "retries": "retries",
    "proxy": "proxy",
    "ca": "ca",
    "headers": "headers",
    "maxAgeSeconds": "max_age",
    "at": "at",
}


def options_of(case: Dict[str, Any], server: ScriptedServer) -> Dict[str, Any]:
    given = case.get("client", {})
    options = {NAMES[name]: value for name, value in given.items() if name in NAMES}
    options["url"] = server.url if given.get("url", "SOCKET") == "SOCKET" else given["url"]
    if "proxy" in options:
        options["proxy"] = options["proxy"].replace("HOST", server.url.partition("//")[2])
    if "decisionTimeoutMs" in given:
        options["decision_timeout"] = given["decisionTimeoutMs"] / 1000
    if "attemptTimeoutMs" in given:
        options["decision_attempt_timeout"] = given["attemptTimeoutMs"] / 1000
    if given.get("batching"):
        options["batch_window"] = 0.25
    if "readsOwnWrites" in given:
        options["reads_own_writes"] = given["readsOwnWrites"]
    others = {"decisionTimeoutMs", "attemptTimeoutMs", "batching", "readsOwnWrites", "notBefore", "url"}
    assert set(given) <= {*NAMES, *others}
    return options


def sql_of(filter: Dict[str, Any], columns: Dict[str, Any], dialect: Any) -> Dict[str, Any]:
    """What a filter is in SQL, as JSON."""
    properties = {
        name: one if isinstance(one, str) else ArrayColumn(one["column"]) for name, one in columns.get("properties", {}).items()
    }
    given = FilterColumns(columns.get("name"), properties, columns.get("parents", {}))
    said = vars(filter_sql(Filter(**filter), given, dialect))
    return {**said, "params": [float(one) if isinstance(one, Decimal) else one for one in said["params"]]}


def row_question_of(call: Dict[str, Any]) -> Dict[str, Any]:
    question = dict(call["question"])
    options = question.pop("options", {})
    return {**question, "explain": options.get("explain", False), "takes_partial": "partial" in options, **named_of(call)}


def named_of(call: Dict[str, Any]) -> Dict[str, Any]:
    named: Dict[str, Any] = {"timeout": call["timeoutMs"] / 1000} if "timeoutMs" in call else {}
    if "requestId" in call:
        named["request_id"] = call["requestId"]
    if "orDeny" in call:
        named["or_deny"] = call["orDeny"]
    if "limit" in call:
        named["limit"] = call["limit"]
    return named


def question_of(call: Dict[str, Any], turn: int) -> Any:
    return call["questions"][turn] if "questions" in call else call["question"]


def batch_of(request: Dict[str, Any]) -> Tuple[List[Any], Dict[str, Any]]:
    shared = {name: request[name] for name in ("subject", "action", "resource", "context") if name in request}
    options = request.get("options", {})
    if "evaluations_semantic" in options:
        shared["semantic"] = options["evaluations_semantic"]
    return request["evaluations"], shared


def search_of(call: Dict[str, Any]) -> Dict[str, Any]:
    return {**call["request"], **named_of(call)}


SEARCHES = {
    "searchSubjects": "search_subjects",
    "searchResources": "search_resources",
    "searchActions": "search_actions",
}


class Found(List[Any]):
    """The results of a search, and what its pages left out."""

    def __init__(self, results: List[Any], left_out: List[LeftOut]) -> None:
        super().__init__(results)
        self.left_out = left_out


#: Calls of management by their names in the vectors, with what they are asked.
MANAGED: Dict[str, Callable[..., Any]] = {
    "changeset": lambda client, **given: client.change_set(**given),
    "state": lambda client, ifNoneMatch=None: client.state(if_none_match=ifNoneMatch),
    "bundle": lambda client, tenant: client.bundle(tenant=tenant),
    "origins": lambda client, **given: client.origins(**given),
    "whoami": lambda client, **given: client.whoami(**given),
    "consoleLink": lambda client: client.console_link(),
    "accessRuleViolations": lambda client: client.access_rule_violations(),
    "agents": lambda client, waitSeconds=None, **given: client.agents(wait=waitSeconds, **given),
    "enforced": lambda client, revision, timeoutMs: client.enforced(revision, timeout=timeoutMs / 1000),
    "retireAgent": lambda client, id, **given: client.retire_agent(id, **given),
    "retireAgents": lambda client, **given: client.retire_agents(**given),
    "agentStatus": lambda client: client.agent_status(),
    "rotateBundleKeys": lambda client, **given: client.rotate_bundle_keys(**given),
    "audit": lambda client, **given: client.audit(**given),
    "tenantAudit": lambda client: client.tenants.audit(),
    "tenants.list": lambda client: client.tenants.list(),
    "tenants.get": lambda client, **given: client.tenants.get(**given),
    "tenants.create": lambda client, **given: client.tenants.create(**given),
    "tenants.delete": lambda client, **given: client.tenants.delete(**given),
    "tenants.erase": lambda client, **given: client.tenants.erase(**given),
    "tenants.disabledCredentials": lambda client, **given: client.tenants.disabled_credentials(**given),
    "tenants.enableCredentials": lambda client, **given: client.tenants.enable_credentials(**given),
    "tenants.deleteDisabledCredentials": lambda client, **given: client.tenants.delete_disabled_credentials(**given),
    "directories.status": lambda client, **given: client.directories.status(**given),
    "directories.decide": lambda client, **given: client.directories.decide(**given),
    "directories.plan": lambda client, **given: client.directories.plan(**given),
    "directories.adopt": lambda client, baseRevision=None, **given: client.directories.adopt(
        base_revision=baseRevision, **given
    ),
    "directories.scim": lambda client, **given: client.directories.scim(**given),
    "records.list": lambda client, filter, limit=None: client.records.roles.list(limit=limit, **filter),
    "records.get": lambda client, **given: client.records.roles.get(**given),
    "records.create": lambda client, fields, **given: client.records.roles.create(fields, **given),
    "records.update": lambda client, name, patch, ifMatch: client.records.roles.update(name, patch, if_match=ifMatch),
    "records.delete": lambda client, name, ifMatch: client.records.roles.delete(name, if_match=ifMatch),
    "records.rotateSecret": lambda client, name, overlapSeconds=None: client.records.api_keys.rotate_secret(
        name, overlap=overlapSeconds
    ),
}


def managed(client: Any, call: Dict[str, Any]) -> Any:
    given = call.get("request", {})
    return MANAGED[call["op"]](client, **{**given, **named_of(call)} if "requestId" in call else given)


def run_sync(client: Client, call: Dict[str, Any]) -> Any:
    def once(turn: int = 0) -> Any:
        try:
            if call["op"] == "isAllowed":
                return client.is_allowed(**question_of(call, turn), **named_of(call))
            if call["op"] == "decide":
                return client.ask(question_of(call, turn), **named_of(call))
            if call["op"] == "decideAll":
                questions, shared = batch_of(call["request"])
                return client.decide_all(questions, **shared, **named_of(call))
            if call["op"] == "filterSql":
                return sql_of(**call["request"])
            if call["op"] == "filterRows":
                return vars(client.filter_rows(**row_question_of(call)))
            if call["op"] == "filterParts":
                return [vars(part) for part in client.filter_parts(**row_question_of(call))]
            if call["op"] == "metadata":
                return client.metadata(**named_of(call))
            if call["op"] in SEARCHES:
                left_out: List[LeftOut] = []
                search = getattr(client, SEARCHES[call["op"]])
                return Found(list(search(**search_of(call), on_left_out=left_out.append)), left_out)
            answer = managed(client, call)
            return list(answer) if isinstance(answer, Iterator) else answer
        except ServiceError as error:
            return error

    if "together" in call:
        with concurrent.futures.ThreadPoolExecutor(call["together"]) as pool:
            rounds = [
                [future.result() for future in [pool.submit(once, turn) for _ in range(call["together"])]]
                for turn in range(call.get("times", 1))
            ]
            return [found for one_round in rounds for found in one_round]
    if "times" in call:
        return [once(turn) for turn in range(call["times"])]
    return once()


async def run_async(client: AsyncClient, call: Dict[str, Any]) -> Any:
    async def once(turn: int = 0) -> Any:
        try:
            if call["op"] == "isAllowed":
                return await client.is_allowed(**question_of(call, turn), **named_of(call))
            if call["op"] == "decide":
                return await client.ask(question_of(call, turn), **named_of(call))
            if call["op"] == "decideAll":
                questions, shared = batch_of(call["request"])
                return await client.decide_all(questions, **shared, **named_of(call))
            if call["op"] == "filterSql":
                return sql_of(**call["request"])
            if call["op"] == "filterRows":
                return vars(await client.filter_rows(**row_question_of(call)))
            if call["op"] == "filterParts":
                return [vars(part) async for part in client.filter_parts(**row_question_of(call))]
            if call["op"] == "metadata":
                return await client.metadata(**named_of(call))
            if call["op"] in SEARCHES:
                left_out: List[LeftOut] = []
                search = getattr(client, SEARCHES[call["op"]])
                return Found([one async for one in search(**search_of(call), on_left_out=left_out.append)], left_out)
            answer = managed(client, call)
            return [item async for item in answer] if hasattr(answer, "__aiter__") else await answer
        except ServiceError as error:
            return error

    if "together" in call:
        rounds = [
            await asyncio.gather(*[once(turn) for _ in range(call["together"])]) for turn in range(call.get("times", 1))
        ]
        return [found for one_round in rounds for found in one_round]
    if "times" in call:
        return [await once(turn) for turn in range(call["times"])]
    return await once()


def compare(case: Dict[str, Any], found: Any, took: float, server: ScriptedServer) -> None:
    outcome = case["outcome"]
    if "each" in outcome:
        assert len(found) == len(outcome["each"])
        for one, expected in zip(found, outcome["each"]):
            check(one, expected, server)
    else:
        check(found, outcome, server)
    assert server.faults == []
    if "withinMs" in outcome:
        assert took <= outcome["withinMs"] / 1000 + 0.5


def held_by(error: Optional[BaseException]) -> str:
    """All texts that an error holds, and those that it stems from, which tools that report errors show, too."""
    if error is None:
        return ""
    return f"{error!r} {error} {vars(error)} {held_by(error.__cause__)} {held_by(error.__context__)}"


def holds(found: Any, wanted: Any) -> bool:
    """Whether what is found has all that is wanted."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(name in found and holds(found[name], one) for name, one in wanted.items())
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(holds, found, wanted))
    return bool(found == wanted)


KNOWN = {"decision", "reason", "policyId", "accessPath", "revision", "decided", "error", "pointers", "detailHas", "detailLacks", "withinMs"}


def check(found: Any, outcome: Dict[str, Any], server: ScriptedServer) -> None:
    if "metadata" in outcome:
        expected = json.loads(json.dumps(outcome["metadata"]).replace("BASE", server.url))
        assert {name: value for name, value in vars(found).items() if value is not None} == expected
        return
    if "results" in outcome:
        assert isinstance(found, list), found
        assert len(found) == len(outcome["results"])
        if "leftOut" in outcome:
            assert [vars(one) for one in found.left_out] == outcome["leftOut"]
        for one, expected in zip(found, outcome["results"]):
            if isinstance(one, Outcome):
                check(one.error if one.decision is None else one.decision, expected, server)
            else:
                assert vars(one) == expected
        return
    if "answer" in outcome:
        assert not isinstance(found, ServiceError), found
        assert holds(vars(found) if isinstance(found, Bundle) else found, outcome["answer"]), found
        return
    assert set(outcome) <= KNOWN, outcome
    if "error" in outcome:
        assert isinstance(found, ServiceError), found
        assert found.code == outcome["error"], found
        assert [one.pointer for one in found.pointers] == outcome.get("pointers", [one.pointer for one in found.pointers])
        for text in outcome.get("detailHas", []):
            assert text in found.detail
        for text in outcome.get("detailLacks", []):
            assert text not in held_by(found)
        return
    if isinstance(found, bool):
        assert outcome == {"decision": found}
        return
    assert isinstance(found, Decision), found
    assert found.allowed is outcome["decision"]
    assert bool(found) is outcome["decision"]
    names = {"reason": "reason", "policyId": "policy_id", "accessPath": "access_path", "decided": "decided", "revision": "revision"}
    for name, attribute in names.items():
        if name in outcome:
            assert getattr(found, attribute) == outcome[name]
