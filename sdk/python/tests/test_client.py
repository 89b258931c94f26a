"""Tests beside the vectors: truthiness, batches that join, deadlines of names, leaks, management."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import importlib.util
import os
import pickle
import socket
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest
from authz_service import (
    AsyncClient,
    Client,
    Decision,
    InvalidConfig,
    InvalidRequest,
    Network,
    Outcome,
    Question,
    Resource,
    ServiceError,
    Subject,
    Timeout,
    Unauthorized,
)
from authz_service._request import BatchSize
from authz_service.records import COLLECTIONS
from authz_service.testing import FakeDecisionPoint
from tests.scripted_server import ScriptedServer

ALICE, READ, INVOICE = Subject("user", "alice"), "read", Resource("invoice", "1")
ASKED = {"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"}}
YES: Dict[str, Any] = {"status": 200, "headers": {"content-type": "application/json"}, "json": {"decision": True}}


def question(id: str) -> Dict[str, Any]:
    return {**ASKED, "resource": {"type": "invoice", "id": id}}


def test_a_decision_counts_as_what_was_decided() -> None:
    assert Decision(True) and not Decision(False)


def test_an_outcome_without_a_decision_is_neither_true_nor_false() -> None:
    with pytest.raises(Network):
        bool(Outcome(error=Network("away")))


def test_a_question_that_was_not_awaited_has_no_truth() -> None:
    async def ask() -> None:
        client = FakeDecisionPoint().async_client()
        with pytest.raises(TypeError, match="await"):
            if client.decide(ALICE, READ, INVOICE):
                raise AssertionError("let in")
        with pytest.raises(TypeError, match="await"):
            if client.is_allowed(ALICE, READ, INVOICE):
                raise AssertionError("let in")
        assert not await asyncio.create_task(client.decide(ALICE, READ, INVOICE))

    asyncio.run(ask())


def test_errors_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(Timeout("late", status=504)))
    assert (type(error), error.code, error.detail, error.status) == (Timeout, "timeout", "late", 504)


def batch_script(*ids: str) -> List[Dict[str, Any]]:
    """The order in which threads come is theirs."""
    return [{"expect": {"path": "/access/v1/evaluations"}, "reply": {**YES, "json": {"evaluations": [{"decision": True}] * len(ids)}}}]


def test_threads_that_ask_within_the_window_share_one_request() -> None:
    ids = ["1", "2", "3", "4"]
    with ScriptedServer(batch_script(*ids)) as server, Client(server.url, batch_window=0.25) as client:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda id: client.decide(ALICE, READ, Resource("invoice", id)), ids))
    assert server.faults == [] and [answer.allowed for answer in answers] == [True] * 4


def test_tasks_that_ask_within_the_window_share_one_request() -> None:
    evaluations = [question("1"), question("2"), question("3")]
    answers = [{"decision": True, "context": {"reason": "because"}}, {"decision": False}]
    failed = {"decision": False, "context": {"error": {"status": 500, "code": "evaluation_failed", "message": "no"}}}
    script = [
        {
            "expect": {
                "path": "/access/v1/evaluations",
                "body": {"evaluations": evaluations, "options": {"reasons": True}},
            },
            "reply": {**YES, "json": {"evaluations": [*answers, failed]}},
        }
    ]

    async def ask(url: str) -> List[Any]:
        async with AsyncClient(url, batch_window=0.01) as client:
            asked = [client.decide(ALICE, READ, Resource("invoice", id)) for id in ("1", "2", "3")]
            return list(await asyncio.gather(*asked, return_exceptions=True))

    with ScriptedServer(script) as server:
        first, second, third = asyncio.run(ask(server.url))
    assert server.faults == []
    assert first.allowed and first.reason == "because" and not second.allowed
    assert isinstance(third, ServiceError) and third.code == "evaluation_failed"


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_decision_point_without_batches_gets_single_calls_from_then_on(status: int) -> None:
    single = [{"expect": {"path": "/access/v1/evaluation"}, "reply": YES} for _ in range(4)]
    script = [{"expect": {"path": "/access/v1/evaluations"}, "reply": {"status": status, "json": {}}}, *single]

    async def ask(url: str) -> None:
        async with AsyncClient(url, batch_window=0.01) as client:
            for _ in range(2):
                assert all(await asyncio.gather(*[client.decide(ALICE, READ, INVOICE) for _ in range(2)]))

    with ScriptedServer(script) as server:
        asyncio.run(ask(server.url))
    assert server.faults == []


@pytest.mark.parametrize(
    ("attempt", "timeout", "wait", "sent"), [(30.0, None, 50, 20), (30.0, None, 3, 3), (3.0, None, 50, 2), (30.0, 9.0, 50, 6)]
)
def test_an_answer_is_held_back_for_less_than_an_attempt(attempt: float, timeout: Any, wait: int, sent: int) -> None:
    script = [{"expect": {"path": f"/v1/agents?wait={sent}"}, "reply": {**YES, "json": {"agents": []}}}]
    with ScriptedServer(script) as server, Client(server.url, attempt_timeout=attempt) as client:
        assert client.agents(wait=wait, timeout=timeout) == {"agents": []}
    assert server.faults == []


def test_each_caller_of_a_joined_batch_keeps_its_own_deadline() -> None:
    script = [{"reply": {**YES, "json": {"evaluations": [{"decision": True}] * 2}, "delayMs": 400}}]

    async def ask(url: str) -> List[Any]:
        async with AsyncClient(url, batch_window=0.01) as client:
            asked = [client.decide(ALICE, READ, INVOICE, timeout=timeout) for timeout in (0.1, 2.0)]
            return list(await asyncio.gather(*asked, return_exceptions=True))

    with ScriptedServer(script) as server:
        first, second = asyncio.run(ask(server.url))
    assert isinstance(first, Timeout) and second.allowed


@pytest.mark.parametrize(
    "options, detail",
    [
        ({"batch_max": 0}, "batch_max is 0"),
        ({"batch_max": 1.5}, "batch_max is 1.5"),
        ({"batch_max": True}, "batch_max is True"),
        ({"batch_window": -1.0}, "batch_window is -1.0"),
        ({"batch_window": float("inf")}, "batch_window is inf"),
        ({"retries": -1}, "retries is -1"),
        ({"decision_timeout": 0}, "decision_timeout is 0"),
        ({"decision_timeout": float("nan")}, "decision_timeout is nan"),
        ({"decision_attempt_timeout": "1"}, "decision_attempt_timeout is '1'"),
        ({"timeout": 1e10}, "timeout is 10000000000.0"),
        ({"attempt_timeout": -1}, "attempt_timeout is -1"),
        ({"user_agent": "shop\nx: y"}, "user_agent is 'shop"),
    ],
)
@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_options_that_no_call_could_use_are_refused(client: Any, options: Dict[str, Any], detail: str) -> None:
    with pytest.raises(InvalidConfig, match=detail):
        client("http://127.0.0.1:1", **options)


def test_long_batches_go_in_chunks_and_end_with_their_semantic() -> None:
    pdp = FakeDecisionPoint()
    pdp.allow()
    pdp.deny(resource=Resource("invoice", "3"))
    outcomes = pdp.client(batch_max=2).decide_all(
        [Question(resource=Resource("invoice", str(id))) for id in range(1, 7)],
        subject=ALICE,
        action=READ,
        semantic="deny_on_first_deny",
    )
    told = [one.error.code if one.error else bool(one) for one in outcomes]
    assert told == [True, True, False, "not_evaluated", "not_evaluated", "not_evaluated"]
    assert len(pdp.asked) == 3


def test_a_question_of_a_long_batch_is_named_by_its_place_among_all_of_them() -> None:
    pdp = FakeDecisionPoint()
    pdp.allow()
    questions = [Question(resource=INVOICE)] * 3 + [Question(resource=INVOICE, context={"n": float("nan")})]
    with pytest.raises(InvalidRequest) as refused:
        pdp.client(batch_max=2).decide_all(questions, subject=ALICE, action=READ)
    assert [one.pointer for one in refused.value.pointers] == ["/evaluations/3/context/n"]
    assert "/evaluations/3/context/n" in refused.value.detail


def test_searches_of_the_fake_find_what_its_table_allows() -> None:
    pdp = FakeDecisionPoint()
    pdp.allow(ALICE)
    pdp.allow(Subject("user", "bob"), READ, INVOICE)
    pdp.allow(Subject("robot", "r2"), READ, INVOICE)
    pdp.allow(Subject("user", "carol"), READ, Resource("invoice", "2"))
    pdp.deny(ALICE, "write", Resource("invoice", "2"))
    client = pdp.client()
    assert [found.id for found in client.search_subjects("user", READ, INVOICE, limit=5)] == ["alice", "bob"]
    assert [found.id for found in client.search_resources(ALICE, "write", "invoice")] == ["1"]
    assert [found.name for found in client.search_actions(ALICE, INVOICE)] == ["read", "write"]
    assert list(client.search_actions(Subject("user", "dave"), INVOICE)) == []


def test_a_batch_size_is_found_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    size = BatchSize(1000)

    def serve(most: int) -> None:
        for _ in range(20):
            limit = int(size.limit)
            (size.took if limit <= most else size.refused)(limit)

    serve(100)
    assert int(size.limit) == 100
    monkeypatch.setattr(BatchSize, "TRIED_AGAIN", -1.0)
    for _ in range(10):
        assert size.limit
    assert size.limit == 1000


@pytest.mark.parametrize("value, says", [(float("nan"), "nan"), (float("inf"), "inf"), (object(), "object")])
def test_what_json_does_not_hold_is_refused_at_its_place_and_fails_no_joined_call(value: Any, says: str) -> None:
    pdp = FakeDecisionPoint()
    pdp.allow(ALICE)
    client = pdp.client(batch_window=0.05)

    def ask(context: Any) -> Any:
        try:
            return client.decide(ALICE, READ, INVOICE, context).allowed
        except ServiceError as error:
            return error

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        first, error, last = pool.map(ask, [{"n": 2**63 + 1}, {"a/b": [1, value]}, {"n": 0.1}])
    assert (first, last) == (True, True)
    assert error.code == "invalid_request" and says in error.detail
    assert [one.pointer for one in error.pointers] == ["/context/a~1b/1"]
    assert any(asked.get("context") == {"n": 9223372036854775809} for asked in pdp.asked)


def test_a_burst_waits_in_line_for_longer_than_an_attempt_may_take() -> None:
    patient: Dict[str, Any] = {"retries": 0, "decision_timeout": 60.0, "decision_attempt_timeout": 10.0}

    async def ask(url: str) -> None:
        async with AsyncClient(url, **patient) as client:
            decisions = await asyncio.gather(*[client.decide(ALICE, READ, INVOICE) for _ in range(300)])
            assert all(decision.allowed for decision in decisions)

    with ScriptedServer([{"reply": {**YES, "delayMs": 20}} for _ in range(600)]) as server:
        asyncio.run(ask(server.url))
        assert server.connections <= 64
        with Client(server.url, **patient) as client, concurrent.futures.ThreadPoolExecutor(100) as pool:
            assert all(pool.map(lambda _: client.decide(ALICE, READ, INVOICE).allowed, range(300)))
        assert server.connections <= 128
    assert server.faults == []


def test_work_that_begins_in_the_same_turn_takes_none_of_the_time_of_an_attempt() -> None:
    async def ask(url: str) -> None:
        async def busy() -> None:
            time.sleep(0.4)

        async with AsyncClient(url, retries=0, decision_timeout=60.0, decision_attempt_timeout=0.3) as client:
            decision, _ = await asyncio.gather(client.decide(ALICE, READ, INVOICE), busy())
            assert decision

    with ScriptedServer([{"reply": YES}]) as server:
        asyncio.run(ask(server.url))


def test_filter_keeps_what_is_allowed_and_raises_what_could_not_be_decided() -> None:
    pdp = FakeDecisionPoint()
    pdp.allow(resource=Resource("invoice", "2"))
    client = pdp.client()

    def keep(**options: Any) -> List[int]:
        return client.filter([1, 2, 3], lambda id: Resource("invoice", str(id)), subject=ALICE, action=READ, **options)

    assert keep() == [2]
    pdp.fail(resource=Resource("invoice", "3"))
    with pytest.raises(ServiceError):
        keep()
    assert keep(or_deny=True) == [2]


@pytest.fixture
def silent_resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Names are not resolved before the test is over."""
    hanging = threading.Event()
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, *rest: Any, **named: Any) -> Any:
        if host not in ("nowhere.invalid", b"nowhere.invalid") or named.get("flags"):
            return real(host, *rest, **named)
        hanging.wait(10)
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield
    hanging.set()
    for thread in threading.enumerate():
        if thread.name == "authz-service-dns":
            thread.join()


def test_a_name_that_is_not_resolved_holds_no_call_longer_than_its_deadline(silent_resolver: None) -> None:
    before = threading.active_count()
    started = time.monotonic()
    with Client("http://nowhere.invalid", retries=0) as client:
        for _ in range(3):
            with pytest.raises(Timeout):
                client.decide(ALICE, READ, INVOICE, timeout=0.1)
    assert time.monotonic() - started < 0.9
    assert threading.active_count() <= before + 1


def test_a_name_that_is_not_resolved_holds_no_task_longer_than_its_deadline(silent_resolver: None) -> None:
    async def ask() -> float:
        async with AsyncClient("http://nowhere.invalid", retries=0) as client:
            started = time.monotonic()
            for _ in range(3):
                with pytest.raises(Timeout):
                    await client.decide(ALICE, READ, INVOICE, timeout=0.1)
            return time.monotonic() - started

    loop = asyncio.new_event_loop()
    assert loop.run_until_complete(ask()) < 0.9
    loop.close()


def test_a_name_that_is_not_resolved_leaves_the_executor_of_the_loop_to_the_application(silent_resolver: None) -> None:
    async def ask() -> str:
        asyncio.get_running_loop().set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
        async with AsyncClient("http://nowhere.invalid", retries=0) as client:
            with pytest.raises(Timeout):
                await client.decide(ALICE, READ, INVOICE, timeout=0.1)
        return await asyncio.wait_for(asyncio.get_running_loop().run_in_executor(None, lambda: "free"), 5)

    assert asyncio.run(ask()) == "free"


def test_an_unknown_name_is_a_network_error() -> None:
    with Client("http://nowhere.invalid", retries=0) as client, pytest.raises(Network):
        client.decide(ALICE, READ, INVOICE)


def open_sockets() -> int:
    """How many sockets this process has."""
    count = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            count += os.readlink(f"/proc/self/fd/{name}").startswith("socket:")
        except OSError:
            pass
    return count


def settled(value: Callable[[], int], most: int) -> int:
    """The value, once it is no more than that; what is ending has ten seconds for it."""
    ends = time.monotonic() + 10
    while value() > most and time.monotonic() < ends:
        time.sleep(0.01)
    return value()


#: A server answers well, cuts the connection, breaks off in the middle, is silent, or is not ready, in turns.
UNSTEADY: List[Dict[str, Any]] = [
    {"reply": reply}
    for reply in (
        {**YES, "json": {"decision": True, "evaluations": []}},
        {"fault": "reset"},
        {"fault": "half"},
        {"fault": "silent"},
        {"status": 503, "json": {}},
    )
] * 400


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="sockets are counted by /proc")
@pytest.mark.parametrize("window", [None, 0.001])
def test_a_load_of_threads_on_an_unsteady_server_leaves_nothing_behind(window: Any) -> None:
    def ask(client: Client) -> None:
        for _ in range(5):
            client.decide(ALICE, READ, INVOICE, or_deny=True, timeout=0.2)

    threads, sockets = threading.active_count(), open_sockets()
    with ScriptedServer(UNSTEADY) as server:
        with Client(server.url, batch_window=window, decision_attempt_timeout=0.05) as client:
            with concurrent.futures.ThreadPoolExecutor(30) as pool:
                list(pool.map(ask, [client] * 30))
        # What is done for several callers together ends with their deadlines.
        assert settled(lambda: sum(thread.name == "authz-service" for thread in threading.enumerate()), 0) == 0
    assert settled(threading.active_count, threads) <= threads
    gc.collect()
    assert settled(open_sockets, sockets) <= sockets


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="sockets are counted by /proc")
@pytest.mark.parametrize("window", [None, 0.001])
def test_a_load_of_tasks_on_an_unsteady_server_leaves_nothing_behind(window: Any) -> None:
    async def ask(url: str) -> None:
        async with AsyncClient(url, batch_window=window, decision_attempt_timeout=0.05) as client:
            for _ in range(5):
                asked = [client.decide(ALICE, READ, INVOICE, or_deny=True, timeout=0.2) for _ in range(30)]
                await asyncio.gather(*asked)
        assert len(asyncio.all_tasks()) == 1

    threads, sockets = threading.active_count(), open_sockets()
    with ScriptedServer(UNSTEADY) as server:
        asyncio.run(ask(server.url))
    gc.collect()
    assert settled(threading.active_count, threads) <= threads
    assert settled(open_sockets, sockets) <= sockets


def test_connections_are_reused_and_closed() -> None:
    with ScriptedServer([{"reply": YES} for _ in range(6)]) as server:
        with Client(server.url) as client:
            for _ in range(3):
                assert client.decide(ALICE, READ, INVOICE)
        assert server.connections == 1

        async def ask() -> None:
            async with client:
                for _ in range(3):
                    assert await client.decide(ALICE, READ, INVOICE)
            assert len(asyncio.all_tasks()) == 1

        client: Any = AsyncClient(server.url, batch_window=0.001)
        asyncio.run(ask())
        assert server.connections == 2
    gc.collect()


def test_bytes_after_an_answer_answer_no_other_question() -> None:
    unasked = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 17\r\n\r\n{"decision":true}'
    script = [{"reply": {**YES, "json": {"decision": False}, "after": unasked}} for _ in range(6)]
    with ScriptedServer(script) as server:
        with Client(server.url) as client:
            assert [client.decide(ALICE, READ, INVOICE).allowed for _ in range(3)] == [False] * 3
        assert server.connections == 3

        async def ask() -> List[bool]:
            async with AsyncClient(server.url) as client:
                return [(await client.decide(ALICE, READ, INVOICE)).allowed for _ in range(3)]

        assert asyncio.run(ask()) == [False] * 3
        assert server.connections == 6
    assert server.faults == []


def test_a_client_serves_one_event_loop_after_another() -> None:
    with ScriptedServer([{"reply": YES} for _ in range(2)]) as server:
        client = AsyncClient(server.url)

        async def ask() -> None:
            async with client:
                assert await client.decide(ALICE, READ, INVOICE)

        asyncio.run(ask())
        asyncio.run(ask())


def test_a_write_that_may_have_happened_is_not_repeated_and_says_so() -> None:
    with ScriptedServer([{"reply": {"fault": "reset"}}]) as server, Client(server.url) as client:
        with pytest.raises(Network, match="not known whether the change was made"):
            client.records.roles.create({"name": "clerk"})
    assert server.faults == []


def test_a_change_set_is_repeated_under_its_idempotency_key() -> None:
    headers = {"idempotency-key": "k"}
    done = {"revision": "2.x", "added": 0, "changed": 0, "removed": 0, "created": [], "secrets": []}
    script = [
        {"expect": {"headers": headers}, "reply": {"fault": "reset"}},
        {"expect": {"headers": headers, "body": {"changes": []}}, "reply": {**YES, "json": done}},
    ]
    with ScriptedServer(script) as server, Client(server.url) as client:
        assert client.change_set([], idempotency_key="k")["revision"] == "2.x"
    assert server.faults == []


def test_records_have_a_collection_for_each_kind() -> None:
    with Client("http://127.0.0.1:1") as client:
        paths = {collection._path for collection in vars(client.records).values()}
    assert paths == {f"/v1/{collection}" for collection in COLLECTIONS.values()}


def test_nothing_that_a_client_shows_of_itself_holds_its_secret() -> None:
    with Client("http://127.0.0.1:1", api_key="svc_secret") as client:
        assert "svc_secret" not in repr(client)


def test_the_codes_are_those_of_the_documentation() -> None:
    from authz_service.errors import _CLASSES

    page = (Path(__file__).parents[3] / "docs/problems.md").read_text()
    codes = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}
    assert codes | {"not_evaluated"} == set(_CLASSES)


class _Span:
    """A tracer of OpenTelemetry, as far as the client asks for it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.attributes: Dict[str, Any] = {}

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def set_attribute(self, name: str, value: Any) -> None:
        self.attributes[name] = value


class _Trace:
    class SpanKind:
        CLIENT = "client"

    def __init__(self) -> None:
        self.spans: List[_Span] = []

    def get_tracer(self, _name: str) -> Any:
        return self

    def start_as_current_span(self, name: str, **_: Any) -> _Span:
        self.spans.append(_Span(name))
        return self.spans[-1]


@pytest.mark.parametrize("personal", [False, True])
def test_spans_tell_the_decision_and_the_attempts_and_persons_only_when_asked(
    monkeypatch: pytest.MonkeyPatch, personal: bool
) -> None:
    trace = _Trace()
    monkeypatch.setattr("authz_service._telemetry._trace", trace)
    pdp = FakeDecisionPoint()
    pdp.allow(ALICE)
    pdp.fail(Subject("user", "broken"))
    with pdp.client(personal_data_in_spans=personal) as client:
        assert client.decide(ALICE, READ, INVOICE)
        assert not client.decide(Subject("user", "broken"), READ, INVOICE, or_deny=True)
    allowed, failed = trace.spans
    assert allowed.name == "authz decide"
    named = {"authz.subject": "user:alice", "authz.resource": "invoice:1"} if personal else {}
    assert allowed.attributes == {"authz.decision": True, "authz.attempts": 1, **named}
    assert failed.attributes["error.type"] == "evaluation_failed" and "authz.decision" not in failed.attributes


def test_spans_tell_the_revision_that_the_answer_names(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = _Trace()
    monkeypatch.setattr("authz_service._telemetry._trace", trace)
    named = {"content-type": "application/json", "Service-Revision": "7.x"}
    script = [
        {"reply": {**YES, "headers": named}},
        {"reply": {"status": 200, "headers": named, "json": {"evaluations": [{"decision": True}, {"decision": True}]}}},
        {"reply": {"status": 200, "headers": named, "json": {"results": []}}},
        {"reply": YES},
    ]
    with ScriptedServer(script) as server, Client(server.url) as client:
        client.ask(question("1"))
        assert [one.result().revision for one in client.decide_all([question("1"), question("2")])] == ["7.x", "7.x"]
        list(client.search_actions(ALICE, INVOICE))
        assert client.ask(question("1")).revision is None
    told = [(span.name, span.attributes.get("authz.revision")) for span in trace.spans]
    assert told == [("authz decide", "7.x"), ("authz decide_all", "7.x"), ("authz search", "7.x"), ("authz decide", None)]


def test_spans_of_management_calls_tell_the_route_and_not_whom_the_path_names(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = _Trace()
    monkeypatch.setattr("authz_service._telemetry._trace", trace)
    named = {"content-type": "application/json", "Service-Revision": "7.x"}
    with ScriptedServer([{"reply": {"status": 200, "headers": named, "json": {}}}] * 2) as server:
        with Client(server.url) as client:
            client.records.subjects.get("user/alice")
            client.state()
    told = [(span.name, span.attributes) for span in trace.spans]
    sent = {"authz.revision": "7.x", "authz.attempts": 1}
    assert told == [("authz GET /v1/subjects/{id}", sent), ("authz GET /v1/state", sent)]


def test_without_opentelemetry_there_are_no_spans() -> None:
    assert FakeDecisionPoint().client()._spans.on is (importlib.util.find_spec("opentelemetry") is not None)


def test_discovery_sends_questions_where_the_decision_point_says() -> None:
    found = {"policy_decision_point": "BASE", "access_evaluation_endpoint": "BASE/pdp/one"}
    script = [
        {"expect": {"path": "/.well-known/authzen-configuration"}, "reply": {**YES, "json": found}},
        *[{"expect": {"path": "/pdp/one", "body": question(id)}, "reply": YES} for id in ("1", "1", "2")],
    ]
    with ScriptedServer(script) as server, Client(server.url, discover=True) as client:
        assert client.decide(ALICE, READ, INVOICE)
        # It names no endpoint for batches, and so gets single calls.
        assert all(client.decide_all([question("1"), question("2")]))
        with pytest.raises(ServiceError, match="search_subject_endpoint"):
            list(client.search_subjects("user", READ, INVOICE))
    assert server.faults == []


@pytest.mark.parametrize("proxied", [False, True])
def test_discovery_finds_the_metadata_of_a_decision_point_below_a_path(proxied: bool) -> None:
    found = {"policy_decision_point": "BASE/pdp", "access_evaluation_endpoint": "BASE/pdp/one"}
    behind, before = "/.well-known/authzen-configuration/pdp", "/pdp/.well-known/authzen-configuration"
    script = [
        *([{"expect": {"path": behind}, "reply": {"status": 404, "json": {}}}] if proxied else []),
        {"expect": {"path": before if proxied else behind}, "reply": {**YES, "json": found}},
        {"expect": {"path": "/pdp/one"}, "reply": YES},
    ]
    with ScriptedServer(script) as server, Client(f"{server.url}/pdp", discover=True) as client:
        assert client.decide(ALICE, READ, INVOICE)
    assert server.faults == []


def test_a_token_is_renewed_before_it_lapses_while_it_still_serves() -> None:
    renewed = threading.Event()
    script = [
        {"expect": {"path": "/oauth/token"}, "reply": {**YES, "json": {"access_token": "t1", "expires_in": 100}}},
        {"expect": {"headers": {"authorization": "Bearer t1"}}, "reply": YES},
    ]
    with ScriptedServer(script) as server, Client(server.url, client_id="a", client_secret="b") as client:
        assert client.decide(ALICE, READ, INVOICE)
        source: Any = client._sender._authorization
        token = source._token
        assert token.renew_at < token.expires_at - 9
        source._fetch = renewed.set
        token.renew_at = 0.0
        assert source.header(1.0) == ("Bearer t1", True)
        assert renewed.wait(5)
        assert source.header(1.0) == ("Bearer t1", True)
    assert server.faults == []


def test_an_answer_that_repeats_the_secret_is_told_without_it() -> None:
    told = {"code": "unauthorized", "detail": "There is no key svc_secret."}
    refused = {"status": 401, "headers": {"content-type": "application/json"}}
    with ScriptedServer([{"reply": {**refused, "json": told}}]) as server:
        with Client(server.url, api_key="svc_secret") as client, pytest.raises(Unauthorized) as caught:
            client.decide(ALICE, READ, INVOICE)
    assert caught.value.detail == "There is no key [redacted]."
    echoed = {"error": "invalid_client", "error_description": "not b/c, nor b%2Fc"}
    with ScriptedServer([{"reply": {**refused, "json": echoed}}]) as server:
        with Client(server.url, client_id="a", client_secret="b/c") as client, pytest.raises(Unauthorized) as caught:
            client.decide(ALICE, READ, INVOICE)
    assert "b/c" not in caught.value.detail and "b%2Fc" not in caught.value.detail
