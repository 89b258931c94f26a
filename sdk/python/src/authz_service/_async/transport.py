"""One exchange over HTTP, by httpx. `_sync/transport.py` is the same by `http.client`."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, Dict, List, Mapping, Optional, Protocol, Union

from .._answers import ANSWER_BYTES_MAX, Answer
from .._request import FINAL, UNCLEAR, UNPROCESSED, TransportFault
from ..errors import InvalidConfig
from .waiting import AsyncTasks

if TYPE_CHECKING:
    import httpx


class AsyncTransport(Protocol):
    """What sends a request and reads its answer."""

    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        """Raises `TransportFault` where there is no answer within so many seconds."""
        ...

    async def close(self) -> None: ...


class HttpxTransport:
    """`httpx`, with one client for each event loop, since connections cannot leave theirs."""

    def __init__(
        self, client: Optional[httpx.AsyncClient], base: str, ssl_context: Optional[ssl.SSLContext]
    ) -> None:
        try:
            import httpx
        except ImportError:
            raise InvalidConfig("AsyncClient needs httpx: pip install 'authz-service[async]'.") from None
        self._httpx = httpx
        self._given = client
        # Certificates are read here, since reading them takes longer than many decisions may.
        self._verify: Union[ssl.SSLContext, bool] = False
        if base.startswith("https:"):
            self._verify = ssl_context or ssl.create_default_context()
        self._clients: Dict[asyncio.AbstractEventLoop, httpx.AsyncClient] = {}
        self._tasks = AsyncTasks()

    def _client(self) -> httpx.AsyncClient:
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            for other in [other for other in self._clients if other.is_closed()]:
                del self._clients[other]
            limits = self._httpx.Limits(max_connections=None, max_keepalive_connections=64)
            client = self._httpx.AsyncClient(verify=self._verify, limits=limits, timeout=None, trust_env=False)
            self._clients[loop] = client
        return client

    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        httpx = self._httpx
        work = asyncio.get_running_loop().create_task(self._exchange(method, url, headers, body, seconds))
        self._tasks.add(work)
        try:
            await asyncio.wait({work}, timeout=seconds)
        finally:
            # It is not waited for: what lies below httpx may miss a cancellation, and then ends by the time-outs of its reads.
            work.cancel()
        if not work.done():
            raise TransportFault("it was silent", UNCLEAR, timed_out=True)
        if work.cancelled():
            raise TransportFault("the client was closed meanwhile", UNCLEAR)
        try:
            return work.result()
        except httpx.TimeoutException as error:
            unsent = isinstance(error, (httpx.ConnectTimeout, httpx.PoolTimeout))
            raise TransportFault("it was silent", UNPROCESSED if unsent else UNCLEAR, timed_out=True) from None
        except httpx.ConnectError as error:
            raise TransportFault(_why(error), UNPROCESSED) from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise TransportFault(_why(error), UNCLEAR) from None

    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float
    ) -> Answer:
        client = self._client()
        request = client.build_request(method, url, headers=dict(headers), content=body, timeout=seconds)
        response = await client.send(request, stream=True, auth=None, follow_redirects=False)
        try:
            chunks: List[bytes] = []
            size = 0
            async for chunk in response.aiter_bytes():
                size += len(chunk)
                if size > ANSWER_BYTES_MAX:
                    raise TransportFault(f"it answered with more than {ANSWER_BYTES_MAX} bytes", FINAL)
                chunks.append(chunk)
        finally:
            await response.aclose()
        return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, b"".join(chunks))

    async def close(self) -> None:
        """Closes the connections of this event loop. A client that was passed in is closed by its owner."""
        await self._tasks.end()
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()


def _why(error: BaseException) -> str:
    return str(error) or type(error).__name__
