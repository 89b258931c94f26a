"""A socket whose time-out is what is left of a deadline."""

from __future__ import annotations

import io
import socket
import time
from typing import Any, Optional


class DeadlineSocket:
    """A socket as `http.client` needs it. A socket's own time-out starts anew at each read; this one does not."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._reader = _Reader(self)
        # One for all answers: each might read more than its own.
        self._stream = _Stream(self._reader, 1 << 16)
        #: Whether `http.client` wants no further answer.
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
        return self._stream

    def has_unread(self) -> bool:
        """Whether more was read than the answer."""
        self._reader.paused = True
        try:
            return bool(self._stream.peek(1))
        finally:
            self._reader.paused = False

    def fileno(self) -> int:
        return self._sock.fileno()

    def close(self) -> None:
        """`http.client` closes before it has read the last answer, so this leaves the socket open until `end`."""
        self.closed = True

    def end(self) -> None:
        self.closed = True
        self._sock.close()


class _Stream(io.BufferedReader):
    def close(self) -> None:
        """`http.client` closes it after each answer."""


class _Reader(io.RawIOBase):
    def __init__(self, sock: DeadlineSocket) -> None:
        self._deadline = sock
        self.paused = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        return None if self.paused else self._deadline.arm().recv_into(buffer)
