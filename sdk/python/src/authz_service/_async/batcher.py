"""Joins questions that are asked within a short window into one request."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Coroutine, Dict, List, Mapping, Optional, Tuple

from ..decision import Decision, Outcome
from ..errors import ServiceError, Timeout
from .waiting import AsyncShared, AsyncTasks, loop_key, pause

#: Sends the questions within the given time, while somebody waits; None if single calls must be
#: made.
Send = Callable[
    [List[Mapping[str, Any]], bool, float, Callable[[], bool]], Coroutine[Any, Any, Optional[List[Outcome]]]
]


class _Group:
    """The questions of one window."""

    def __init__(self) -> None:
        self.questions: List[Mapping[str, Any]] = []
        self.ends = 0.0
        #: All who asked, except those who gave up before there was an answer.
        self.waiting = 0
        self.flight: Optional[AsyncShared[Optional[List[Outcome]]]] = None

    def wanted(self) -> bool:
        return self.waiting > 0


class AsyncBatcher:
    def __init__(self, send: Send, window: float, most: int, tasks: AsyncTasks) -> None:
        self._send = send
        self._window = window
        self._most = most
        self._tasks = tasks
        self._lock = threading.Lock()
        self._groups: Dict[Tuple[Any, bool], _Group] = {}

    async def ask(self, question: Mapping[str, Any], explain: bool, seconds: float) -> Optional[Decision]:
        """The decision; None where this question has to be asked alone. Raises its error, or `Timeout` at its deadline."""
        key = (loop_key(), explain)
        with self._lock:
            group = self._groups.get(key)
            if group is None:
                group = self._groups[key] = _Group()
            index = len(group.questions)
            group.questions.append(question)
            group.ends = max(group.ends, time.monotonic() + seconds)
            group.waiting += 1
            if len(group.questions) >= self._most:
                del self._groups[key]
            if group.flight is None:
                group.flight = AsyncShared(self._work(key, group), self._tasks)
            flight = group.flight
        outcomes = None
        try:
            outcomes = await flight.wait(seconds)
        finally:
            if outcomes is None:
                with self._lock:
                    group.waiting -= 1
        if outcomes is None:
            raise Timeout(f"There was no decision within {seconds:.3g} s.")
        if outcomes[0] is None:
            return None
        outcome = outcomes[0][index]
        if outcome.error is not None:
            raise _own(outcome.error)
        return outcome.decision

    def _work(self, key: Tuple[Any, bool], group: _Group) -> Callable[[], Coroutine[Any, Any, Optional[List[Outcome]]]]:
        async def work() -> Optional[List[Outcome]]:
            await pause(self._window)
            with self._lock:
                if self._groups.get(key) is group:
                    del self._groups[key]
            return await self._send(group.questions, key[1], group.ends - time.monotonic(), group.wanted)

        return work


def _own(error: ServiceError) -> ServiceError:
    return error.with_detail(error.detail)
