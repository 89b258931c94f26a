"""Joins questions that are asked within a short window into one request."""

from __future__ import annotations

import math
import threading
import time
from typing import Any, Callable, Coroutine, Dict, List, Mapping, Optional, Tuple

from .._per_process import PerProcess
from .._request import BatchSize, json_bytes
from ..decision import Decision, Outcome
from ..errors import ServiceError, Timeout
from .endpoints import AsyncEndpoints, NoBatches
from .waiting import AsyncShared, AsyncTasks, loop_key, pause

#: The statuses by which a batch is refused as a whole, for a question in it, its size, or what it asks for.
_REFUSED_WHOLE = (400, 413, 422)


class _Group:
    """The questions of one window."""

    def __init__(self) -> None:
        #: As they are sent: one that has no form in JSON fails nobody else's.
        self.questions: List[bytes] = []
        self.size = 0
        self.ends = 0.0
        #: All who asked, except those who gave up before there was an answer.
        self.waiting = 0
        #: What is learnt when each question of this refused batch is answered alone.
        self.learn: Optional[Callable[[], None]] = None
        #: Those that were answered alone after that refusal.
        self.answered = 0
        self.flight: Optional[AsyncShared[Optional[List[Outcome]]]] = None

    def wanted(self) -> bool:
        return self.waiting > 0


class AsyncBatcher:
    def __init__(self, endpoints: AsyncEndpoints, window: float, most: int, tasks: AsyncTasks) -> None:
        self._endpoints = endpoints
        self._window = window
        #: How many questions go into one batch, and how many bytes they have together.
        self._count = BatchSize(most)
        self._size = BatchSize(math.inf)
        self._tasks = tasks
        self._lock = PerProcess(threading.Lock)
        #: The groups of this process that are still open.
        self._groups: PerProcess[Dict[Tuple[Any, bool], _Group]] = PerProcess(dict)

    @property
    def joins(self) -> bool:
        return self._endpoints.batches and self._count.limit >= 2

    async def ask(self, question: Mapping[str, Any], explain: bool, ends: float) -> Decision:
        """The decision. Raises the error of this question, or `Timeout` at its deadline."""
        with self._endpoints.spans.span("decide", None, question) as told:
            group, index, flight = self._join(question, explain, ends)
            outcomes = await self._wait(group, flight, ends - time.monotonic())
            if outcomes is None:
                decision = await self._endpoints.answer(question, explain, ends, told)
                self._learn(group)
            else:
                outcome = outcomes[index]
                if outcome.error is not None:
                    raise _own(outcome.error)
                decision = outcome.result()
            told["result"] = decision
            return decision

    def _join(
        self, question: Mapping[str, Any], explain: bool, ends: float
    ) -> Tuple[_Group, int, AsyncShared[Optional[List[Outcome]]]]:
        key = (loop_key(), explain)
        text = json_bytes(question)
        with self._lock.get():
            group = self._groups.get().get(key)
            if group is None or group.size + len(text) > self._size.limit:
                # A group that is full keeps its place until its window is over, but takes no more questions.
                group = self._groups.get()[key] = _Group()
            index = len(group.questions)
            group.questions.append(text)
            group.size += len(text)
            group.ends = max(group.ends, ends)
            group.waiting += 1
            if len(group.questions) >= int(self._count.limit):
                del self._groups.get()[key]
            if group.flight is None:
                group.flight = AsyncShared(self._work(key, group), self._tasks)
            return group, index, group.flight

    async def _wait(
        self, group: _Group, flight: AsyncShared[Optional[List[Outcome]]], seconds: float
    ) -> Optional[List[Outcome]]:
        outcomes = None
        try:
            outcomes = await flight.wait(seconds)
        finally:
            if outcomes is None:
                with self._lock.get():
                    group.waiting -= 1
        if outcomes is None:
            raise Timeout(f"There was no decision within {seconds:.3g} s.")
        return outcomes[0]

    def _work(self, key: Tuple[Any, bool], group: _Group) -> Callable[[], Coroutine[Any, Any, Optional[List[Outcome]]]]:
        async def work() -> Optional[List[Outcome]]:
            await pause(self._window)
            with self._lock.get():
                if self._groups.get().get(key) is group:
                    del self._groups.get()[key]
            return await self._send(group, key[1])

        return work

    async def _send(self, group: _Group, explain: bool) -> Optional[List[Outcome]]:
        """The outcomes; None where each question has to be asked alone."""
        if len(group.questions) == 1:
            return None
        options = {"reasons": True, "explain": True} if explain else {"reasons": True}
        try:
            outcomes = await self._endpoints.batch({}, group.questions, options, group.ends, group.wanted)
        except NoBatches:
            group.learn = self._endpoints.without_batches
        except ServiceError as error:
            if error.status not in _REFUSED_WHOLE:
                raise
            count, size, too_long = len(group.questions), group.size, error.status == 413
            group.learn = lambda: self._size.refused(size) if too_long else self._count.refused(count)
        else:
            with self._lock.get():
                self._count.took(len(group.questions))
                self._size.took(group.size)
            return outcomes
        return None

    def _learn(self, group: _Group) -> None:
        """Learns from a refused batch: if each of its questions is answered alone, the batch was at fault, or its size."""
        with self._lock.get():
            group.answered += 1
            if group.learn is not None and group.answered == len(group.questions):
                group.learn()


def _own(error: ServiceError) -> ServiceError:
    return error.with_detail(error.detail)
