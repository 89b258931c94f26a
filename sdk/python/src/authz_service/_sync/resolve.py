"""Names to addresses within a deadline."""

from __future__ import annotations

import socket
import threading
import time
from concurrent import futures
from typing import Any, Dict, Sequence, Tuple

_Addresses = Sequence[Tuple[Any, ...]]

_lock = threading.Lock()
_under_way: Dict[Tuple[str, int], futures.Future[_Addresses]] = {}


def resolve(host: str, port: int, ends: float) -> _Addresses:
    """`socket.getaddrinfo`, which takes no time-out, in a daemon thread that nobody waits for longer than until `ends`.

    A name has at most one such thread, whoever asks for it meanwhile. Raises `socket.timeout`, or what the look-up raises.
    """
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:
        pass
    with _lock:
        found = _under_way.get((host, port))
        if found is None:
            found = futures.Future()
            _under_way[host, port] = found
            threading.Thread(target=_look_up, args=(host, port, found), name="authz-service-dns", daemon=True).start()
    if not futures.wait([found], max(0.0, ends - time.monotonic())).done:
        raise socket.timeout("timed out")
    return found.result()


def _look_up(host: str, port: int, found: futures.Future[_Addresses]) -> None:
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except BaseException as error:
        _end(host, port)
        # Raised anew, since one exception in many threads would gather the tracebacks of all of them.
        found.set_exception(OSError(str(error)))
    else:
        _end(host, port)
        found.set_result(addresses)


def _end(host: str, port: int) -> None:
    with _lock:
        _under_way.pop((host, port), None)
