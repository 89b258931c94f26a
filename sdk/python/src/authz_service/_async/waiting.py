"""Waiting, as asyncio does it. `_sync/waiting.py` is the same for threads."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Coroutine as CoroutineABC
from functools import wraps
from typing import Any, Callable, Coroutine, Deque, Dict, Generator, Generic, List, Optional, Set, TypeVar

from .._per_process import PerProcess

T = TypeVar("T")


async def pause(seconds: float) -> None:
    await asyncio.sleep(seconds)


class AsyncShared(Generic[T]):
    """Work under way in a task of its own, for which many may wait, each as long as it likes."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]], tasks: AsyncTasks) -> None:
        self._loop = asyncio.get_running_loop()
        self._process = os.getpid()
        self._task = self._loop.create_task(work())
        tasks.add(self._task)

    @property
    def over(self) -> bool:
        """Whether there is nothing to wait for: the work is done, or belongs to another event loop or process."""
        elsewhere = self._loop is not asyncio.get_running_loop() or self._process != os.getpid()
        return elsewhere or self._task.done()

    async def wait(self, seconds: float) -> Optional[List[T]]:
        """The result in a list, or None where it did not come in time. Raises what the work raised."""
        done, _ = await asyncio.wait({self._task}, timeout=max(0.0, seconds))
        return [self._task.result()] if done else None


class AsyncTasks:
    """The tasks of a client, which end with it."""

    def __init__(self) -> None:
        self._tasks: Set[asyncio.Task[Any]] = set()

    def add(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Asked for here, so that nothing is logged where nobody waits for the work any longer.
            task.exception()

    async def end(self) -> None:
        mine = [task for task in self._tasks if task.get_loop() is asyncio.get_running_loop()]
        for task in mine:
            task.cancel()
        await asyncio.gather(*mine, return_exceptions=True)


class AsyncSlots:
    """Lets so many run at once in an event loop; the others wait in line."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._lines: PerProcess[Dict[asyncio.AbstractEventLoop, _Line]] = PerProcess(dict)

    async def take(self, seconds: float) -> Optional[Callable[[], None]]:
        """Return what frees the slot again; None if there was none in time."""
        lines = self._lines.get()
        loop = asyncio.get_running_loop()
        line = lines.get(loop)
        if line is None:
            for other in [other for other in lines if other.is_closed()]:
                del lines[other]
            line = lines[loop] = _Line(self._count)
        return line.leave if await line.enter(seconds) else None


class _Line:
    def __init__(self, free: int) -> None:
        self._free = free
        self._waiting: Deque[asyncio.Future[None]] = deque()

    async def enter(self, seconds: float) -> bool:
        if self._free > 0:
            self._free -= 1
            try:
                # Whatever else begins in this turn of the loop takes none of the time of an attempt.
                await asyncio.sleep(0)
            except BaseException:
                self.leave()
                raise
            return True
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        mine = False
        try:
            mine = bool((await asyncio.wait({turn}, timeout=max(0.0, seconds)))[0])
        finally:
            if not mine and not turn.cancel():
                # It was given when nobody waited for it any longer.
                self.leave()
        return mine

    def leave(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class _Asked(CoroutineABC):  # type: ignore[type-arg]
    """A question that has not been awaited. It has no truth value: a forgotten `await` in an `if` lets nobody in."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._coroutine = coroutine

    def __bool__(self) -> bool:
        self._coroutine.close()
        raise TypeError("A question to an AsyncClient has no answer yet: write `await client.is_allowed(…)`.")

    def __await__(self) -> Generator[Any, None, Any]:
        return self._coroutine.__await__()

    def send(self, value: Any) -> Any:
        return self._coroutine.send(value)

    def throw(self, *error: Any) -> Any:
        return self._coroutine.throw(*error)

    def close(self) -> None:
        self._coroutine.close()


F = TypeVar("F", bound=Callable[..., Any])


def asked(function: F) -> F:
    """Makes the result of the function refuse to be used as a truth value before it is awaited."""

    @wraps(function)
    def ask(*values: Any, **named: Any) -> Any:
        return _Asked(function(*values, **named))

    return ask  # type: ignore[return-value]


def loop_key() -> Optional[object]:
    """The parts that must be the same for all questions of a batch."""
    return asyncio.get_running_loop()
