"""One exchange over HTTP, by `http.client`. `_async/transport.py` is the same by httpx."""

from __future__ import annotations

import select
import socket
import ssl
import threading
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, List, Mapping, Optional, Protocol
from urllib.parse import urlsplit

from .._answers import ANSWER_BYTES_MAX, Answer
from .._request import FINAL, UNCLEAR, UNPROCESSED, TransportFault
from .deadline_socket import DeadlineSocket
from .resolve import resolve

#: How many connections without work are kept.
_IDLE_MAX = 64

_PIECE = 1 << 16


class Transport(Protocol):
    """What sends a request and reads its answer."""

    def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        """Raises `TransportFault` where there is no answer within so many seconds."""
        ...

    def close(self) -> None: ...


class HttpClientTransport:
    """`http.client` with a pool of connections, for any number of threads, and with deadlines that are total."""

    def __init__(self, base: str, ssl_context: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(base)
        self._host = parts.hostname or ""
        secure = parts.scheme == "https"
        self._port = parts.port or (443 if secure else 80)
        self._origin_length = len(f"{parts.scheme}://{parts.netloc}")
        self._context = (ssl_context or ssl.create_default_context()) if secure else None
        self._idle: List[_Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        ends = time.monotonic() + seconds
        connection = self._taken()
        reusable = False
        try:
            connection.ready(ends)
            answer = connection.exchange(method, url[self._origin_length :], headers, body)
            reusable = connection.sock is not None
            return answer
        except socket.timeout:
            raise TransportFault("it was silent", connection.fate, timed_out=True) from None
        except (OSError, HTTPException, ValueError) as error:
            raise TransportFault(str(error) or type(error).__name__, connection.fate) from None
        finally:
            self._give_back(connection, reusable)

    def _taken(self) -> _Connection:
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return _Connection(self._host, self._port, self._context)
            if connection.alive():
                return connection
            connection.close()

    def _give_back(self, connection: _Connection, reusable: bool) -> None:
        if reusable:
            with self._lock:
                if not self._closed and len(self._idle) < _IDLE_MAX:
                    self._idle.append(connection)
                    return
        connection.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


class _Connection(HTTPConnection):
    """A connection on a socket that keeps a deadline."""

    def __init__(self, host: str, port: int, context: Optional[ssl.SSLContext]) -> None:
        super().__init__(host, port)
        if context is not None:
            self.default_port = 443
        self._context = context
        self._deadline: Optional[DeadlineSocket] = None
        self._unsent: List[bytes] = []
        #: What became of the request, should it fail now.
        self.fate = UNPROCESSED

    def ready(self, ends: float) -> None:
        """Connects where that has not been done, and sets until when everything has to be done."""
        self.fate = UNPROCESSED
        if self._deadline is None:
            self._deadline = DeadlineSocket(_connected(self.host, self.port, self._context, ends))
            self.sock = self._deadline
        self._deadline.ends = ends

    def exchange(self, method: str, target: str, headers: Mapping[str, str], body: Optional[bytes]) -> Answer:
        self._unsent.clear()
        self.request(method, target, body, headers)
        self.fate = UNCLEAR
        try:
            self.sock.sendall(b"".join(self._unsent))
        except (BrokenPipeError, ConnectionResetError):
            # Whoever refuses a long body may answer and close before it has been sent; that answer is wanted.
            pass
        response = self.getresponse()
        try:
            return Answer(
                response.status, {name.lower(): value for name, value in response.getheaders()}, self._body(response)
            )
        finally:
            response.close()

    def send(self, data: Any) -> None:
        """Keeps what is to be sent: `http.client` gives head and body apart, which go in one packet."""
        self._unsent.append(data)

    def _body(self, response: HTTPResponse) -> bytes:
        if response.length is not None:
            if response.length > ANSWER_BYTES_MAX:
                raise TransportFault(f"it answered with more than {ANSWER_BYTES_MAX} bytes", FINAL)
            return response.read()
        pieces: List[bytes] = []
        size = 0
        while True:
            piece = response.read(_PIECE)
            if not piece:
                return b"".join(pieces)
            size += len(piece)
            if size > ANSWER_BYTES_MAX:
                raise TransportFault(f"it answered with more than {ANSWER_BYTES_MAX} bytes", FINAL)
            pieces.append(piece)

    def alive(self) -> bool:
        """Whether the server has neither closed the connection nor sent what nobody asked for."""
        deadline = self._deadline
        if deadline is None or deadline.closed:
            return False
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(deadline.fileno(), select.POLLIN)
            return not poll.poll(0)
        return not select.select([deadline.fileno()], [], [], 0)[0]


def _connected(host: str, port: int, context: Optional[ssl.SSLContext], ends: float) -> socket.socket:
    addresses = resolve(host, port, ends)
    fault: OSError = OSError(f"{host} has no address")
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        # Those that follow have a chance as well where one is silent.
        seconds = (ends - time.monotonic()) / (len(addresses) - index)
        if seconds <= 0:
            break
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(seconds)
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if context is None:
                return sock
            sock.settimeout(max(0.001, ends - time.monotonic()))
            return context.wrap_socket(sock, server_hostname=host)
        except OSError as error:
            sock.close()
            fault = error
        except BaseException:
            sock.close()
            raise
    if time.monotonic() >= ends:
        raise socket.timeout("timed out")
    raise fault
