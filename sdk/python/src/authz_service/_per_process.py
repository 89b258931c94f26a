"""State that a process does not share with those that it forks."""

from __future__ import annotations

import os
from typing import Callable, Dict, Generic, TypeVar

T = TypeVar("T")


class PerProcess(Generic[T]):
    """A value of which each process has its own, made when it first asks.

    After a fork, parent and child would read from the same connections, and wait for locks that a thread of the parent
    held at that moment, or for threads that the child does not have. The process id is compared, since not every server
    that forks runs the hooks of `os.register_at_fork`. `left` is told of the parent's value, in the child.
    """

    def __init__(self, make: Callable[[], T], left: Callable[[T], None] = lambda _: None) -> None:
        self._make = make
        self._left = left
        self._values: Dict[int, T] = {}

    def get(self) -> T:
        process = os.getpid()
        value = self._values.get(process)
        return self._made(process) if value is None else value

    def _made(self, process: int) -> T:
        # One step for all threads, so that they get the same one.
        value = self._values.setdefault(process, self._make())
        for other in [other for other in list(self._values) if other != process]:
            try:
                inherited = self._values.pop(other)
            except KeyError:
                continue
            self._left(inherited)
        return value
