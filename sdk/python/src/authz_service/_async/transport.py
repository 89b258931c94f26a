"""One exchange over HTTP, by h11. `_sync/transport.py` is the same by `http.client`."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Protocol, Set, Tuple

from .._addresses import Addresses, look_up
from .._answers import ANSWER_BYTES_MAX, Answer, is_anothers
from .._per_process import PerProcess
from .._request import FINAL, UNCLEAR, UNPROCESSED, TransportFault
from .._route import TUNNEL_HEAD_MAX, Route
from ..errors import InvalidConfig
from .waiting import AsyncTasks

if TYPE_CHECKING:
    import h11

#: How many connections without work are kept.
_IDLE_MAX = 64


class AsyncTransport(Protocol):
    """A transport sends a request and reads its answer."""

    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        """Raises `TransportFault` where there is no answer within so many seconds."""
        ...

    async def close(self) -> None: ...


class H11Transport:
    """A pool of connections for each event loop, since connections cannot leave theirs."""

    def __init__(self, route: Route) -> None:
        try:
            import h11  # noqa: F401
        except ImportError:
            raise InvalidConfig("AsyncClient needs h11: pip install 'authz-service[async]'.") from None
        self._route = route
        self._pools: PerProcess[Dict[asyncio.AbstractEventLoop, _Pool]] = PerProcess(dict)
        self._tasks = AsyncTasks()

    def _pool(self) -> _Pool:
        pools = self._pools.get()
        loop = asyncio.get_running_loop()
        pool = pools.get(loop)
        if pool is None:
            for other in [other for other in pools if other.is_closed()]:
                del pools[other]
            pool = pools[loop] = _Pool()
        return pool

    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        loop = asyncio.get_running_loop()
        ends = loop.time() + seconds
        pool = self._pool()
        connection = pool.taken() or await self._connected(pool, ends)
        target = self._route.target(url)
        sent = [("host", self._route.authority), *self._route.headers(headers).items()]
        if body is not None or method != "GET":
            sent.append(("content-length", str(len(body or b""))))
        reusable = False
        try:
            answer = await connection.exchange(method, target, sent, body or b"", ends)
            reusable = connection.in_step() and not is_anothers(answer, headers)
            return answer
        finally:
            pool.give_back(connection, reusable)

    async def _connected(self, pool: _Pool, ends: float) -> _Connection:
        """A new connection. It is made in a task, of which nobody waits for longer than until `ends`."""
        work = asyncio.get_running_loop().create_task(self._connect(pool, ends))
        self._tasks.add(work)
        given_up = True
        try:
            await asyncio.wait({work}, timeout=max(0.0, ends - work.get_loop().time()))
            given_up = not work.done()
        finally:
            if given_up:
                work.add_done_callback(pool.keep)
                work.cancel()
        if given_up:
            raise TransportFault("it was silent", UNPROCESSED, timed_out=True)
        if work.cancelled():
            raise TransportFault("the client was closed meanwhile", UNPROCESSED)
        return work.result()

    async def _connect(self, pool: _Pool, ends: float) -> _Connection:
        loop = asyncio.get_running_loop()
        route = self._route
        try:
            addresses = await self._addresses()
            fault: OSError = OSError(f"{route.host} has no address")
            for index, (family, kind, protocol, _, address) in enumerate(addresses):
                # Those that follow have a chance as well where one is silent.
                seconds = (ends - loop.time()) / (len(addresses) - index)
                sock = socket.socket(family, kind, protocol)
                try:
                    sock.setblocking(False)
                    try:
                        await asyncio.wait_for(loop.sock_connect(sock, address), seconds)
                    except asyncio.TimeoutError:
                        raise
                    except OSError as error:
                        raise route.unreachable(error) from None
                    if route.socket_path is None:
                        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    await self._open_tunnel(sock)
                    name = route.host if route.context is not None else None
                    _, made = await loop.create_connection(
                        lambda: _Connection(loop), sock=sock, ssl=route.context, server_hostname=name
                    )
                    pool.open.add(made)
                    return made
                except asyncio.TimeoutError:
                    sock.close()
                    fault = OSError("it was silent")
                except OSError as error:
                    sock.close()
                    fault = error
                except BaseException:
                    sock.close()
                    raise
            raise fault
        except OSError as error:
            raise TransportFault(str(error) or type(error).__name__, UNPROCESSED) from None

    async def _addresses(self) -> Addresses:
        route = self._route
        if route.socket_path is not None:
            return [(socket.AF_UNIX, socket.SOCK_STREAM, 0, "", route.socket_path)]
        to = route.proxy or route
        try:
            return await asyncio.wrap_future(look_up(to.host, to.port))
        except OSError as error:
            raise route.unreachable(error) from None

    async def _open_tunnel(self, sock: socket.socket) -> None:
        asked, proxy = self._route.tunnel(), self._route.proxy
        if asked is None or proxy is None:
            return
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(sock, asked)
        head = b""
        # Byte by byte, since what follows belongs to the tunnel.
        while not head.endswith(b"\r\n\r\n"):
            byte = await loop.sock_recv(sock, 1)
            if not byte or len(head) > TUNNEL_HEAD_MAX:
                raise proxy.fault("opened no tunnel")
            head += byte
        proxy.opened(head)

    async def close(self) -> None:
        """Closes the connections of this event loop."""
        await self._tasks.end()
        pool = self._pools.get().pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.close()


class _Pool:
    def __init__(self) -> None:
        self.idle: List[_Connection] = []
        self.open: Set[_Connection] = set()
        self.closed = False

    def taken(self) -> Optional[_Connection]:
        while self.idle:
            connection = self.idle.pop()
            if connection.in_step():
                return connection
            self.give_back(connection, False)
        return None

    def give_back(self, connection: _Connection, reusable: bool) -> None:
        if reusable and not self.closed and len(self.idle) < _IDLE_MAX:
            self.idle.append(connection)
            return
        self.open.discard(connection)
        connection.end()

    def keep(self, work: asyncio.Task[_Connection]) -> None:
        """Keeps a connection that came too late for the one who made it."""
        if not work.cancelled() and work.exception() is None:
            self.give_back(work.result(), True)

    async def close(self) -> None:
        self.closed = True
        connections = list(self.open)
        for connection in connections:
            connection.end()
        for connection in connections:
            await connection.ended.wait()


class _Connection(asyncio.Protocol):
    """One exchange after the other on one connection."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        import h11

        self._h11 = h11
        self._loop = loop
        self._state = h11.Connection(h11.CLIENT)
        self._transport: Optional[asyncio.Transport] = None
        self._waiter: Optional[asyncio.Future[Answer]] = None
        self._response: Optional[h11.Response] = None
        self._pieces: List[bytes] = []
        self._size = 0
        #: Whether nothing has come that no request asked for, and the connection stays open.
        self._open = True
        self.ended = asyncio.Event()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    async def exchange(
        self, method: str, target: str, headers: List[Tuple[str, str]], body: bytes, ends: float
    ) -> Answer:
        h11, transport = self._h11, self._transport
        if transport is None or not self.in_step():
            raise TransportFault("it closed the connection", UNPROCESSED)
        self._response, self._pieces, self._size = None, [], 0
        waiter: asyncio.Future[Answer] = self._loop.create_future()
        self._waiter = waiter
        try:
            data = self._state.send(h11.Request(method=method, target=target, headers=headers)) or b""
            data += self._state.send(h11.Data(data=body)) or b"" if body else b""
            data += self._state.send(h11.EndOfMessage()) or b""
        except h11.LocalProtocolError as error:
            raise TransportFault(str(error), FINAL) from None
        timer = self._loop.call_at(ends, self._fail, TransportFault("it was silent", UNCLEAR, timed_out=True))
        try:
            transport.write(data)
            return await waiter
        finally:
            timer.cancel()
            self._waiter = None

    def data_received(self, data: bytes) -> None:
        if self._waiter is None or self._waiter.done():
            self._leave()
            return
        try:
            self._state.receive_data(data)
            self._read()
        except self._h11.RemoteProtocolError as error:
            self._fail(TransportFault(str(error), UNCLEAR))

    def _read(self) -> None:
        h11 = self._h11
        while True:
            event = self._state.next_event()
            if event is h11.NEED_DATA:
                return
            if event is h11.PAUSED:
                # It speaks another protocol from here on (101), which nobody asked for.
                self._fail(TransportFault("it switched to another protocol", FINAL))
                return
            if isinstance(event, h11.Response):
                self._response = event
            elif isinstance(event, h11.Data):
                self._size += len(event.data)
                if self._size > ANSWER_BYTES_MAX:
                    self._fail(TransportFault(f"it answered with more than {ANSWER_BYTES_MAX} bytes", FINAL))
                    return
                self._pieces.append(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                self._answered()
                return
            elif isinstance(event, h11.ConnectionClosed):
                self._fail(TransportFault("it closed the connection before it answered", UNCLEAR))
                return

    def _answered(self) -> None:
        response, state, waiter = self._response, self._state, self._waiter
        assert response is not None and waiter is not None
        if state.our_state is not self._h11.DONE or state.their_state is not self._h11.DONE or state.trailing_data[0]:
            self._leave()
        else:
            state.start_next_cycle()
        if not waiter.done():
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in response.headers}
            waiter.set_result(Answer(response.status_code, headers, b"".join(self._pieces)))

    def eof_received(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            # An answer without a length ends with the connection.
            try:
                self._state.receive_data(b"")
                self._read()
            except self._h11.RemoteProtocolError as error:
                self._fail(TransportFault(str(error), UNCLEAR))
        self._open = False

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._fail(TransportFault(str(error or "") or "it closed the connection", UNCLEAR))
        self.ended.set()

    def _fail(self, fault: TransportFault) -> None:
        self._leave()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(fault)

    def _leave(self) -> None:
        """The connection is out of step: nothing that comes on it is read any more."""
        self._open = False

    def in_step(self) -> bool:
        """Whether what comes next on the connection will be the answer to the next request."""
        return self._open and self._transport is not None and not self._transport.is_closing()

    def end(self) -> None:
        self._open = False
        if self._transport is not None:
            # It is not closed in good order, since an answer may still be on its way.
            self._transport.abort()
