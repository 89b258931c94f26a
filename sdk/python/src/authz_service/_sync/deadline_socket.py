"""A socket whose time-out is what is left of a deadline."""

from __future__ import annotations

import io
import socket
import time
from typing import Any


class DeadlineSocket:
    """What `http.client` needs of a socket. A socket's own time-out starts anew at each read; this one does not."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._readers = 0
        self.closed = False
        #: Until when everything has to be done, by the monotonic clock.
        self.ends = 0.0

    def arm(self) -> socket.socket:
        left = self.ends - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        self._sock.settimeout(left)
        return self._sock

    def sendall(self, data: Any) -> None:
        left = memoryview(data).cast("B")
        while left:
            left = left[self.arm().send(left) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        self._readers += 1
        return io.BufferedReader(_Reader(self), 1 << 16)

    def fileno(self) -> int:
        return self._sock.fileno()

    def close(self) -> None:
        """`http.client` closes before it has read the last answer: a reader that is left keeps the socket open."""
        self.closed = True
        if self._readers == 0:
            self._sock.close()

    def reader_closed(self) -> None:
        self._readers -= 1
        if self.closed:
            self.close()


class _Reader(io.RawIOBase):
    def __init__(self, sock: DeadlineSocket) -> None:
        self._deadline = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._deadline.arm().recv_into(buffer)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._deadline.reader_closed()
