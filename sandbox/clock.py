"""Simulated time: operations take seconds from a dated table, paced to the speed that the user asks
for.

The clock is discrete: it jumps from the end of one operation to the end of the next, so the
engine's own overhead never counts as cloud time. Two things hold an operation's end back: the
wall-clock pace (`speed` simulated seconds a second), and whatever the engine and the program still
have to do. The second keeps the order right: what the engine starts because A ended begins at A's
end, even when another operation would be due in the same moment, and however busy the machine is.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from contextlib import suppress
from dataclasses import dataclass

from cli.errors import UserError
from sandbox.idle import all_idle

# Between a finished step and the next (state written, program resumed, check and diff) there are
# hand-overs in which nobody is busy; together they were seen to take 5 to 25 ms on two cores.
QUIET_SECONDS = 0.04
# Until somebody busy is looked at again.
_PAUSE_SECONDS = 0.01


@dataclass(frozen=True)
class Span:
    """When an operation ran, in simulated seconds since the engine's first operation."""

    start: float
    end: float


class VirtualClock:
    """Hands out spans of simulated time to concurrent operations; lives on one event loop."""

    def __init__(self, speed: float) -> None:
        if not speed > 0:
            raise UserError(f"--speed: {speed}: must be above 0; nearest: 1")
        self.now = 0.0
        self._speed = speed
        self._heap: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()
        self._changed = asyncio.Event()
        self._driver: asyncio.Task[None] | None = None
        self._origin = 0.0
        self._last_activity = 0.0

    def touch(self) -> None:
        """The engine said something: it may be about to say more."""
        self._last_activity = time.monotonic()
        self._changed.set()

    async def spend(self, seconds: float) -> Span:
        """Let simulated time pass for one operation."""
        if self._driver is None:
            self._origin = time.monotonic()
            self._driver = asyncio.get_running_loop().create_task(self._drive())
        self.touch()
        start = self.now
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._heap, (start + seconds, next(self._order), ended))
        await ended
        return Span(start, start + seconds)

    async def _drive(self) -> None:
        while True:
            self._changed.clear()
            if not self._heap:
                await self._changed.wait()
                continue
            end = self._heap[0][0]
            due = max(self._origin + end / self._speed, self._last_activity + QUIET_SECONDS)
            wait = due - time.monotonic()
            if wait > 0:
                await self._change(wait)
            elif not await all_idle():
                await self._change(_PAUSE_SECONDS)
            elif not self._changed.is_set():
                self._end_all(end)

    async def _change(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)

    def _end_all(self, end: float) -> None:
        """End what is due at that moment together: whatever follows from it begins there."""
        while self._heap and self._heap[0][0] == end:
            _, _, ended = heapq.heappop(self._heap)
            if not ended.cancelled():
                self.now = max(self.now, end)
                ended.set_result(None)
                self._last_activity = time.monotonic()


class Slots:
    """At most `size` operations at once; the rest wait in the order in which they came."""

    def __init__(self, size: int) -> None:
        self._semaphore = asyncio.Semaphore(size)

    async def __aenter__(self) -> None:
        await self._semaphore.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._semaphore.release()
