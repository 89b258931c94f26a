"""Waiting, as threads do it. `_async/waiting.py` is the same for asyncio."""

from __future__ import annotations

import threading
import time
from concurrent import futures
from typing import Any, Callable, Generic, List, Optional, TypeVar

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
        self._future: futures.Future[T] = futures.Future()
        threading.Thread(target=self._run, args=(work,), name="authz-service", daemon=True).start()

    @property
    def over(self) -> bool:
        return self._future.done()

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._future.set_result(work())
        except BaseException as error:
            self._future.set_exception(error)

    def wait(self, seconds: float) -> Optional[List[T]]:
        """The result in a list, or None where it did not come in time. Raises what the work raised."""
        if not futures.wait([self._future], max(0.0, seconds)).done:
            return None
        error = self._future.exception()
        if isinstance(error, ServiceError):
            # One exception in many threads would gather the tracebacks of all of them.
            raise error.with_detail(error.detail)
        return [self._future.result()]


def asked(function: F) -> F:
    """What is asked here is answered when the call returns."""
    return function


def loop_key() -> Optional[object]:
    return None
