"""One exchange over HTTP, by `http.client`. `_async/transport.py` is the same by h11."""

from __future__ import annotations

import select
import socket
import threading
import time
from concurrent import futures
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, List, Mapping, Optional, Protocol, Set

from .._addresses import Addresses, look_up
from .._answers import ANSWER_BYTES_MAX, Answer, is_anothers
from .._per_process import PerProcess
from .._request import FINAL, UNCLEAR, UNPROCESSED, TransportFault
from .._route import TUNNEL_HEAD_MAX, Route
from .deadline_socket import DeadlineSocket

#: How many connections without work are kept.
_IDLE_MAX = 64

_PIECE = 1 << 16


class Transport(Protocol):
    """A transport sends a request and reads its answer."""

    def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        """Raises `TransportFault` where there is no answer within so many seconds."""
        ...

    def close(self) -> None: ...


class HttpClientTransport:
    """`http.client` with a pool of connections, for any number of threads, and with deadlines that are total."""

    def __init__(self, route: Route) -> None:
        self._route = route
        self._pool = PerProcess(_Pool, _Pool.abandon)
        self._closed = False

    def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        ends = time.monotonic() + seconds
        pool = self._pool.get()
        connection = self._taken(pool)
        reusable = False
        try:
            connection.ready(ends)
            answer = connection.exchange(method, self._route.target(url), self._route.headers(headers), body)
            reusable = connection.in_step(answer.status) and not is_anothers(answer, headers)
            return answer
        except socket.timeout:
            raise TransportFault("it was silent", connection.state, timed_out=True) from None
        except (OSError, HTTPException, ValueError) as error:
            raise TransportFault(str(error) or type(error).__name__, connection.state) from None
        finally:
            self._give_back(pool, connection, reusable)

    def _taken(self, pool: _Pool) -> _Connection:
        while True:
            with pool.lock:
                connection = pool.idle.pop() if pool.idle else None
                if connection is None:
                    connection = _Connection(self._route)
                    pool.open.add(connection)
                    return connection
            if connection.alive():
                return connection
            self._give_back(pool, connection, False)

    def _give_back(self, pool: _Pool, connection: _Connection, reusable: bool) -> None:
        with pool.lock:
            if reusable and not self._closed and len(pool.idle) < _IDLE_MAX:
                pool.idle.append(connection)
                return
            pool.open.discard(connection)
        connection.end()

    def close(self) -> None:
        self._closed = True
        pool = self._pool.get()
        with pool.lock:
            idle, pool.idle = pool.idle, []
            pool.open.difference_update(idle)
        for connection in idle:
            connection.end()


class _Pool:
    """The connections of one process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.idle: List[_Connection] = []
        #: All of them, those in use as well.
        self.open: Set[_Connection] = set()

    def abandon(self) -> None:
        """Closes a forked process's own handles of its parent's connections; nothing is sent on them."""
        for connection in list(self.open):
            connection.end()


class _Response(HTTPResponse):
    """An answer after any number of interim ones (RFC 9110 section 15.2), of which `http.client` knows 100 alone."""

    def begin(self) -> None:
        super().begin()
        while 100 <= self.status < 200 and self.status != 101:
            self.headers = self.msg = None  # type: ignore[assignment]
            super().begin()
        lengths = set(self.headers.get_all("content-length", []))
        if len(lengths) > 1 or not all(length.strip().isdigit() for length in lengths):
            raise HTTPException("its answer does not say how long it is")


class _Connection(HTTPConnection):
    """A connection on a socket that keeps a deadline."""

    response_class = _Response

    def __init__(self, route: Route) -> None:
        super().__init__(route.host, route.port)
        if route.context is not None:
            self.default_port = 443
        self._route = route
        self._deadline: Optional[DeadlineSocket] = None
        self._unsent: List[bytes] = []
        #: What became of the request, should it fail now.
        self.state = UNPROCESSED

    def ready(self, ends: float) -> None:
        """Connects where that has not been done, and sets until when everything has to be done."""
        self.state = UNPROCESSED
        if self._deadline is None:
            self._deadline = DeadlineSocket(_connected(self._route, ends))
            self.sock = self._deadline
        self._deadline.ends = ends

    def exchange(self, method: str, target: str, headers: Mapping[str, str], body: Optional[bytes]) -> Answer:
        self._unsent.clear()
        self.request(method, target, body, headers)
        self.state = UNCLEAR
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

    def in_step(self, status: int) -> bool:
        """Whether what comes next on the connection will be the answer to the next request."""
        deadline = self._deadline
        return self.sock is not None and deadline is not None and status >= 200 and not deadline.has_unread()

    def end(self) -> None:
        """Closes the socket, which `close` leaves open for the answer that is still to be read."""
        self.close()
        if self._deadline is not None:
            self._deadline.end()

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


def _connected(route: Route, ends: float) -> socket.socket:
    addresses = _addresses(route, ends)
    fault: OSError = OSError(f"{route.host} has no address")
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        # Those that follow have a chance as well where one is silent.
        seconds = (ends - time.monotonic()) / (len(addresses) - index)
        if seconds <= 0:
            break
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(seconds)
            try:
                sock.connect(address)
            except OSError as error:
                raise route.unreachable(error) from None
            if route.socket_path is None:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if route.context is None:
                return sock
            _open_tunnel(route, sock, ends)
            sock.settimeout(max(0.001, ends - time.monotonic()))
            return route.context.wrap_socket(sock, server_hostname=route.host)
        except OSError as error:
            sock.close()
            fault = error
        except BaseException:
            sock.close()
            raise
    if time.monotonic() >= ends:
        raise socket.timeout("timed out")
    raise fault


def _addresses(route: Route, ends: float) -> Addresses:
    if route.socket_path is not None:
        return [(socket.AF_UNIX, socket.SOCK_STREAM, 0, "", route.socket_path)]
    to = route.proxy or route
    found = look_up(to.host, to.port)
    if not futures.wait([found], max(0.0, ends - time.monotonic())).done:
        raise socket.timeout("timed out")
    try:
        return found.result()
    except OSError as error:
        raise route.unreachable(error) from None


def _open_tunnel(route: Route, sock: socket.socket, ends: float) -> None:
    asked, proxy = route.tunnel(), route.proxy
    if asked is None or proxy is None:
        return
    sock.settimeout(max(0.001, ends - time.monotonic()))
    sock.sendall(asked)
    head = b""
    # Byte by byte, since what follows belongs to the tunnel.
    while not head.endswith(b"\r\n\r\n"):
        sock.settimeout(max(0.001, ends - time.monotonic()))
        byte = sock.recv(1)
        if not byte or len(head) > TUNNEL_HEAD_MAX:
            raise proxy.fault("opened no tunnel")
        head += byte
    proxy.opened(head)
