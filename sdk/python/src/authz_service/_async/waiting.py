"""Waiting, as asyncio does it. `_sync/waiting.py` is the same for threads."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine as CoroutineABC
from functools import wraps
from typing import Any, Callable, Coroutine, Generator, Generic, List, Optional, Set, TypeVar

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


class _Asked(CoroutineABC):  # type: ignore[type-arg]
    """A question that has not been awaited. It has no truth value: a forgotten `await` in an `if` lets nobody in."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._coroutine = coroutine

    def __bool__(self) -> bool:
        self._coroutine.close()
        raise TypeError("A question to an AsyncClient has no answer yet: write `await client.decide(…)`.")

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
    """What must be the same for all questions of a batch."""
    return asyncio.get_running_loop()
