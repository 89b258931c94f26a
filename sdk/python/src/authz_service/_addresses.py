"""Names to addresses, in threads that nobody has to wait for."""

from __future__ import annotations

import socket
import threading
from concurrent import futures
from typing import Any, Dict, Sequence, Tuple

from ._per_process import PerProcess

Addresses = Sequence[Tuple[Any, ...]]


class _LookUps:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.under_way: Dict[Tuple[str, int], futures.Future[Addresses]] = {}


_look_ups = PerProcess(_LookUps)


def look_up(host: str, port: int) -> futures.Future[Addresses]:
    """`socket.getaddrinfo`, which takes no time-out, in a daemon thread; at once where the host is an address itself.

    A name has at most one such thread, whoever asks for it meanwhile. It is none of asyncio's or of an executor: those would
    all be busy with a name server that is silent.
    """
    try:
        found: futures.Future[Addresses] = futures.Future()
        found.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST))
        return found
    except socket.gaierror:
        pass
    mine = _look_ups.get()
    with mine.lock:
        known = mine.under_way.get((host, port))
        if known is not None:
            return known
        # So that one who gives up waiting for it does not cancel it for the others.
        found.set_running_or_notify_cancel()
        mine.under_way[host, port] = found
    threading.Thread(target=_run, args=(mine, host, port, found), name="authz-service-dns", daemon=True).start()
    return found


def _run(mine: _LookUps, host: str, port: int, found: futures.Future[Addresses]) -> None:
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except BaseException as error:
        _end(mine, host, port)
        # Raised anew, since one exception in many threads would gather the tracebacks of all of them.
        found.set_exception(OSError(str(error)))
    else:
        _end(mine, host, port)
        found.set_result(addresses)


def _end(mine: _LookUps, host: str, port: int) -> None:
    with mine.lock:
        mine.under_way.pop((host, port), None)
