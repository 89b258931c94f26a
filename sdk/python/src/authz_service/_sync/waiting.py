"""Waiting, as threads do it. `_async/waiting.py` is the same for asyncio."""

from __future__ import annotations

import os
import threading
import time
from queue import Empty, SimpleQueue
from typing import Any, Callable, Generic, List, Optional, TypeVar

from .._per_process import PerProcess
from ..errors import ServiceError

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def pause(seconds: float) -> None:
    time.sleep(seconds)


class Tasks:
    """Nothing to keep: the threads are daemons that end by their own deadlines."""

    def end(self) -> None:
        pass


class Shared(Generic[T]):
    """Work under way in a thread of its own, for which many may wait, each as long as it likes."""

    def __init__(self, work: Callable[[], T], _tasks: Tasks) -> None:
        self._result: List[T] = []
        self._error: Optional[BaseException] = None
        self._lock = threading.Lock()
        self._process = os.getpid()
        #: One for each who waits, since many who wake up on one condition queue for its lock. None when the work is done.
        self._bells: Optional[List[SimpleQueue[None]]] = []
        threading.Thread(target=self._run, args=(work,), name="authz-service", daemon=True).start()

    @property
    def over(self) -> bool:
        """Whether there is nothing to wait for: the work is done, or belongs to the process that forked this one."""
        return self._bells is None or self._process != os.getpid()

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._result.append(work())
        except BaseException as error:
            self._error = error
        with self._lock:
            bells, self._bells = self._bells, None
        for bell in bells or ():
            bell.put(None)

    def wait(self, seconds: float) -> Optional[List[T]]:
        """The result in a list, or None where it did not come in time. Raises what the work raised."""
        bell: SimpleQueue[None] = SimpleQueue()
        with self._lock:
            if self._bells is None:
                bell.put(None)
            else:
                self._bells.append(bell)
        try:
            bell.get(timeout=min(max(0.0, seconds), threading.TIMEOUT_MAX))
        except Empty:
            return None
        if isinstance(self._error, ServiceError):
            # One exception in many threads would gather the tracebacks of all of them.
            raise self._error.with_detail(self._error.detail)
        if self._error is not None:
            raise self._error
        return self._result


class Slots:
    """Lets so many run at once; the others wait in line."""

    def __init__(self, count: int) -> None:
        self._slots = PerProcess(lambda: threading.BoundedSemaphore(count))

    def take(self, seconds: float) -> Optional[Callable[[], None]]:
        """Return what frees the slot again; None if there was none in time."""
        slots = self._slots.get()
        return slots.release if slots.acquire(timeout=min(max(0.0, seconds), threading.TIMEOUT_MAX)) else None


def asked(function: F) -> F:
    """Questions that are answered when the call returns."""
    return function


def loop_key() -> Optional[object]:
    return None
