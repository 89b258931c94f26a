"""The vectors that all SDKs share, for both clients."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import pytest
from authz_service import AsyncClient, Client, Decision, InvalidConfig, Outcome, ServiceError
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


#: Calls of management by their names in the vectors, with what they are asked.
MANAGED: Dict[str, Callable[..., Any]] = {
    "changeset": lambda client, changes: client.change_set(changes),
    "state": lambda client: client.state(),
    "whoami": lambda client: client.whoami(),
}


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
            if call["op"] == "metadata":
                return client.metadata(**named_of(call))
            if call["op"] in SEARCHES:
                return list(getattr(client, SEARCHES[call["op"]])(**search_of(call)))
            return MANAGED[call["op"]](client, **call.get("request", {}))
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
            if call["op"] == "metadata":
                return await client.metadata(**named_of(call))
            if call["op"] in SEARCHES:
                return [result async for result in getattr(client, SEARCHES[call["op"]])(**search_of(call))]
            answer = MANAGED[call["op"]](client, **call.get("request", {}))
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


KNOWN = {"decision", "reason", "policyId", "accessPath", "revision", "decided", "error", "pointers", "detailHas", "detailLacks", "withinMs"}


def check(found: Any, outcome: Dict[str, Any], server: ScriptedServer) -> None:
    if "metadata" in outcome:
        expected = json.loads(json.dumps(outcome["metadata"]).replace("BASE", server.url))
        assert {name: value for name, value in vars(found).items() if value is not None} == expected
        return
    if "results" in outcome:
        assert isinstance(found, list), found
        assert len(found) == len(outcome["results"])
        for one, expected in zip(found, outcome["results"]):
            if isinstance(one, Outcome):
                check(one.error if one.decision is None else one.decision, expected, server)
            else:
                assert vars(one) == expected
        return
    if "answer" in outcome:
        assert not isinstance(found, ServiceError), found
        assert outcome["answer"].items() <= found.items()
        return
    assert set(outcome) <= KNOWN, outcome
    if "error" in outcome:
        assert isinstance(found, ServiceError), found
        assert found.code == outcome["error"], found
        assert [one.pointer for one in found.pointers] == outcome.get("pointers", [one.pointer for one in found.pointers])
        for text in outcome.get("detailHas", []):
            assert text in found.detail
        for text in outcome.get("detailLacks", []):
            assert text not in f"{found!r} {found} {vars(found)}"
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
