"""Certificate authorities of one's own, and proxies, with real TLS."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Tuple

import pytest
from authz_service import AsyncClient, Client, InvalidConfig, Network, Resource, Subject
from authz_service._route import route_of

QUESTION = (Subject("user", "alice"), "read", Resource("invoice", "INV-1"))


def certify(folder: Path, name: str) -> Tuple[Path, Path]:
    key, certificate = folder / f"{name}-key.pem", folder / f"{name}.pem"
    algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    names = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:localhost,DNS:{name}"]
    command = ["openssl", "req", "-x509", *algorithm, *names, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return key, certificate


class _Point(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "17")
        self.end_headers()
        self.wfile.write(b'{"decision":true}')

    def log_message(self, *_: Any) -> None:
        pass


class _Proxy:
    """Opens a tunnel to one port, whatever it is asked for, and keeps the heads of the questions."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.heads: List[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://app:pa%20ss@127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self._listener.accept()
                threading.Thread(target=self._tunnel, args=(sock,), daemon=True).start()

    def _tunnel(self, sock: socket.socket) -> None:
        with sock, socket.create_connection(("127.0.0.1", self.port)) as target:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += sock.recv(1)
            self.heads.append(head.decode())
            sock.sendall(b"HTTP/1.1 200 Connection established\r\nvia: a proxy\r\n\r\n")
            back = threading.Thread(target=_pump, args=(target, sock), daemon=True)
            back.start()
            _pump(sock, target)
            back.join()

    def close(self) -> None:
        self._listener.close()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            data = source.recv(1 << 16)
            if not data:
                break
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def point(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tuple[int, Path]]:
    """The port of a decision point, and the file of its certificate."""
    key, certificate = certify(tmp_path_factory.mktemp("tls"), "pdp.test")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Point)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1], certificate
    server.shutdown()
    server.server_close()


def by_threads(options: Dict[str, Any]) -> List[bool]:
    with Client(**options) as client:
        return [client.is_allowed(*QUESTION) for _ in range(3)]


def by_asyncio(options: Dict[str, Any]) -> List[bool]:
    async def run() -> List[bool]:
        async with AsyncClient(**options) as client:
            return [await client.is_allowed(*QUESTION) for _ in range(3)]

    return asyncio.run(run())


both = pytest.mark.parametrize("asked", [by_threads, by_asyncio])
Asked = Callable[[Dict[str, Any]], List[bool]]


@both
@pytest.mark.parametrize("form", [str, lambda path: path.read_text()], ids=["file", "text"])
def test_an_authority_of_ones_own(asked: Asked, form: Callable[[Path], str], point: Tuple[int, Path]) -> None:
    port, certificate = point
    assert asked({"url": f"https://localhost:{port}", "ca": form(certificate)}) == [True, True, True]


@both
def test_only_that_authority(asked: Asked, point: Tuple[int, Path], tmp_path: Path) -> None:
    _, other = certify(tmp_path, "other.test")
    for ca in (None, str(other)):
        with pytest.raises(Network):
            asked({"url": f"https://localhost:{point[0]}", "ca": ca, "retries": 0})


@both
def test_a_tunnel_through_a_proxy(asked: Asked, point: Tuple[int, Path]) -> None:
    port, certificate = point
    proxy = _Proxy(port)
    options = {"url": "https://pdp.test:8443", "ca": str(certificate), "proxy": proxy.url, "api_key": "svc_test"}
    assert asked(options) == [True, True, True]
    lines = ["CONNECT pdp.test:8443 HTTP/1.1", "Host: pdp.test:8443", "proxy-authorization: Basic YXBwOnBhIHNz", "", ""]
    assert proxy.heads == ["\r\n".join(lines)]
    with pytest.raises(Network, match="other.test|CERTIFICATE|certificate") as raised:
        asked({**options, "url": "https://other.test", "retries": 0})
    assert "proxy" not in raised.value.detail
    proxy.close()


def test_a_key_is_no_certificate(tmp_path: Path) -> None:
    key, _ = certify(tmp_path, "other.test")
    for ca in (str(key), key.read_text(), "/dev/null"):
        with pytest.raises(InvalidConfig, match="no certificates") as raised:
            Client("https://localhost", ca=ca)
        assert "BEGIN" not in raised.value.detail


def test_options_that_contradict_each_other() -> None:
    with pytest.raises(InvalidConfig, match="ssl_context"):
        Client("https://pdp.test", ca="x", ssl_context=ssl.create_default_context())
    with pytest.raises(InvalidConfig, match="transport"):
        Client("https://pdp.test", proxy="http://proxy.test:3128", transport=object())  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "pdp.localhost"])
def test_ones_own_machine_is_asked_without_the_proxy(host: str) -> None:
    assert route_of(f"http://{host}:8181", None, None, "http://proxy.test:3128").proxy is None


def test_what_shows_variables_shows_no_password_of_a_proxy() -> None:
    route = route_of("https://pdp.test", None, None, "http://app:pa55word@proxy.test:3128")
    assert "YXBwOnBhNTV3b3Jk" in str(route.proxy.headers if route.proxy else "")
    assert "YXBwOnBhNTV3b3Jk" not in repr(route)
    assert "pa55word" not in repr(route)


@pytest.mark.parametrize("age", [math.nan, math.inf, -1, 0.5, 1e9, "30", True])
def test_a_maximum_age_in_anything_but_whole_seconds(age: Any) -> None:
    with pytest.raises(InvalidConfig, match="give a whole number"):
        Client("https://pdp.test", max_age=age)


@pytest.mark.parametrize("given", ["http://[::1", "http://app:pa55word@[::1", "http://proxy.test:x"])
def test_what_is_no_address_of_a_proxy(given: str) -> None:
    with pytest.raises(InvalidConfig, match="is no http address of a proxy") as raised:
        Client("https://pdp.test", proxy=given)
    assert "pa55word" not in raised.value.detail


def test_a_header_that_is_no_text() -> None:
    with pytest.raises(InvalidConfig, match='The value of the header "x-zone"'):
        Client("https://pdp.test", headers={"x-zone": 5})  # type: ignore[dict-item]
