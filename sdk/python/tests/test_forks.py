"""A client that was made, and asked, before its process forks: each process gets the answers to its own questions."""

from __future__ import annotations

import asyncio
import concurrent.futures
import http.client
import http.server
import json
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, List

import pytest
from authz_service import AsyncClient, Client, Resource, Subject, Timeout
from authz_service._addresses import _look_ups

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

INVOICE = Resource("invoice", "1")
PATIENT: Any = {"decision_timeout": 30.0, "decision_attempt_timeout": 30.0}


class ByUser(http.server.BaseHTTPRequestHandler):
    """Allows those whose id begins with "alice"; the reason names who was asked about."""

    protocol_version = "HTTP/1.1"
    token_asked: threading.Event
    token_given: threading.Event

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/oauth/token":
            self.token_asked.set()
            self.token_given.wait(10)
            self._answer({"access_token": "t", "token_type": "Bearer", "expires_in": 3600})
            return
        body = json.loads(text)
        if "evaluations" in body:
            self._answer({"evaluations": [self._decision(item) for item in body["evaluations"]]})
        else:
            self._answer(self._decision(body))

    def _decision(self, question: Any) -> Any:
        who = question["subject"]["id"]
        return {"decision": who.startswith("alice"), "context": {"reason": who}}

    def _answer(self, value: Any) -> None:
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def by_user() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ByUser)
    server.daemon_threads = True
    ByUser.token_asked, ByUser.token_given = threading.Event(), threading.Event()
    serving = threading.Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    serving.join()
    server.server_close()


def ask(client: Client, who: str, times: int = 1) -> None:
    """Raises where an answer is not the one to the question."""
    for _ in range(times):
        decision = client.decide(Subject("user", who), "read", INVOICE)
        assert (decision.reason, decision.allowed) == (who, who.startswith("alice"))


def at_once(count: int, work: Callable[[int], None]) -> None:
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))


def fork(work: Callable[[], None]) -> int:
    """Does the work in a forked process, which then exits with 0, or with 1 if the work raises."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return process


def exit_codes(processes: List[int]) -> List[int]:
    return [os.waitpid(process, 0)[1] for process in processes]


@pytest.mark.parametrize("options", [{}, {"batch_window": 0.001}, {"client_id": "c", "client_secret": "s"}])
def test_processes_do_not_read_each_others_answers(options: Any) -> None:
    with by_user() as url, Client(url, **PATIENT, **options) as client:
        ByUser.token_given.set()
        at_once(4, lambda _: ask(client, "alice"))

        def child(number: int) -> Callable[[], None]:
            who = f"alice{number}" if number % 2 == 0 else f"mallory{number}"
            return lambda: at_once(2, lambda _: ask(client, who, 50))

        children = [fork(child(number)) for number in range(4)]
        ask(client, "alice-the-parent", 50)
        assert exit_codes(children) == [0, 0, 0, 0]
        ask(client, "mallory-the-parent")


def test_a_forked_process_leaves_its_parents_connections_open_to_the_parent_alone() -> None:
    with by_user() as url, Client(url, **PATIENT) as client:
        at_once(4, lambda _: ask(client, "alice"))
        kept = [connection.sock.fileno() for connection in client._transport._pool.get().open]

        def child() -> None:
            ask(client, "bob")
            with Client(url, **PATIENT) as other:
                ask(other, "carol")
            own = {connection.sock.fileno() for connection in client._transport._pool.get().open}
            for descriptor in set(kept) - own:
                with pytest.raises(OSError):
                    os.fstat(descriptor)

        assert exit_codes([fork(child)]) == [0]
        ask(client, "alice")


def test_no_lock_that_is_held_at_the_fork_holds_up_a_process() -> None:
    options: Any = {"batch_window": 0.001, "client_id": "c", "client_secret": "s"}
    with by_user() as url, Client(url, **PATIENT, **options) as client:
        ByUser.token_given.set()
        ask(client, "alice")
        tokens: Any = client._batcher._endpoints._sender._authorization  # type: ignore[union-attr]
        newest: Any = client._newest
        batcher: Any = client._batcher
        with tokens._lock.get(), newest._lock.get(), batcher._lock.get(), client._transport._pool.get().lock:
            with _look_ups.get().lock:
                child = fork(lambda: at_once(2, lambda _: ask(client, "bob")))
        assert exit_codes([child]) == [0]


def test_no_work_that_is_under_way_at_the_fork_is_waited_for_by_the_child() -> None:
    options: Any = {"batch_window": 0.2, "client_id": "c", "client_secret": "s"}
    with by_user() as url, Client(url, **PATIENT, **options) as client:
        parent = threading.Thread(target=ask, args=(client, "alice"))
        parent.start()
        assert ByUser.token_asked.wait(10)
        # The parent's batch and its request for a token are under way. The child has a batch and a token of its own.
        ByUser.token_asked.clear()
        child = fork(lambda: ask(client, "bob"))
        assert ByUser.token_asked.wait(10)
        ByUser.token_given.set()
        assert exit_codes([child]) == [0]
        parent.join()


def test_a_look_up_that_is_under_way_at_the_fork_is_not_waited_for_by_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, over = threading.Event(), threading.Event()
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, *rest: Any, **named: Any) -> Any:
        if host != "by-user.invalid":
            return real(host, *rest, **named)
        if named.get("flags"):
            raise socket.gaierror("that is a name")
        if os.getpid() == parent:
            asked.set()
            over.wait(10)
        return real("127.0.0.1", *rest, **named)

    parent = os.getpid()
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with by_user() as url, Client(url.replace("127.0.0.1", "by-user.invalid"), retries=0) as client:
        with pytest.raises(Timeout):
            client.decide(Subject("user", "alice"), "read", INVOICE, timeout=0.1)
        assert asked.is_set()
        assert exit_codes([fork(lambda: ask(client, "bob"))]) == [0]
        over.set()


def test_processes_of_multiprocessing_have_their_own_connections() -> None:
    context: Any = multiprocessing.get_context("fork")
    with by_user() as url, Client(url, **PATIENT) as client:
        at_once(2, lambda _: ask(client, "alice"))
        processes = [context.Process(target=ask, args=(client, who, 100)) for who in ("alice", "mallory", "bob")]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        assert [process.exitcode for process in processes] == [0, 0, 0]


def test_an_event_loop_of_a_forked_process_has_its_own_connections() -> None:
    with by_user() as url:
        client = AsyncClient(url, batch_window=0.001, **PATIENT)

        async def ask_all(who: str) -> None:
            for _ in range(20):
                asked = [client.decide(Subject("user", who), "read", INVOICE) for _ in range(3)]
                assert [decision.reason for decision in await asyncio.gather(*asked)] == [who] * 3

        loop = asyncio.new_event_loop()
        loop.run_until_complete(ask_all("alice"))
        kept = list(client._transport._pools.get().values())  # type: ignore[attr-defined]

        def child(who: str) -> Callable[[], None]:
            def work() -> None:
                asyncio.run(ask_all(who))
                assert not set(kept) & set(client._transport._pools.get().values())  # type: ignore[attr-defined]

            return work

        children = [fork(child("mallory")), fork(child("alice2"))]
        loop.run_until_complete(ask_all("bob"))
        assert exit_codes(children) == [0, 0]
        loop.run_until_complete(client.close())
        loop.close()


APP = """
import os
from authz_service import Client, Resource, Subject
client = Client(os.environ["URL"], decision_timeout=30, decision_attempt_timeout=30)
client.decide(Subject("user", "alice"), "read", Resource("invoice", "1"))

def app(environ, start_response):
    who = environ["PATH_INFO"].strip("/")
    decision = client.decide(Subject("user", who), "read", Resource("invoice", "1"))
    start_response("200 OK" if decision.allowed and decision.reason == who else "403 Forbidden", [("content-length", "0")])
    return [b""]
"""


@pytest.mark.skipif(shutil.which("gunicorn") is None, reason="gunicorn is not installed")
def test_workers_of_gunicorn_that_preloads_have_their_own_connections(tmp_path: Path) -> None:
    (tmp_path / "preloaded.py").write_text(APP)
    with by_user() as url, socket.create_server(("127.0.0.1", 0)) as listener:
        environment = {**os.environ, "URL": url, "PYTHONPATH": f"{Path(__file__).parents[1] / 'src'}:{tmp_path}"}
        command = [sys.executable, shutil.which("gunicorn") or "", "--preload", "-w", "4", "--threads", "2"]
        bind = ["--bind", f"fd://{listener.fileno()}", "preloaded:app"]
        with subprocess.Popen(
            [*command, *bind], env=environment, pass_fds=[listener.fileno()], stderr=subprocess.DEVNULL
        ) as server:
            try:

                def browse(number: int) -> None:
                    who, status = (("alice", 200), ("mallory", 403))[number % 2]
                    for _ in range(40):
                        connection = http.client.HTTPConnection(*listener.getsockname(), timeout=30)
                        connection.request("GET", f"/{who}")
                        assert connection.getresponse().status == status
                        connection.close()

                at_once(8, browse)
            finally:
                server.terminate()
