"""The way out: one lane for each destination, from the outbox into its inbox, again and again until it is there.

What waits in a lane while a publication is under way leaves together in the next frame, so the busier a lane, the fewer
its publications. A few publications are under way at once, for destinations that are far. A destination that cannot be
reached holds up its own lane only; its lane tries again, ever more slowly, and says since when it has been blocked.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf

from antecede.core.types import ProcessId
from antecede.runtime import frames
from antecede.runtime.background import end
from antecede.runtime.limits import BACK_OFF_S
from antecede.runtime.state.store import WHOLE_FRAME, Outgoing
from antecede.runtime.transport.contract import Transport, Unreachable
from antecede.runtime.transport.names import token

UNDER_WAY_MAX = 2
FRAME_BYTES_MAX = 256 * 2**10
"""Half of what the broker takes, where that is less: the other half is for what it counts beside the data."""


@dataclass(slots=True)
class Lane:
    """What is owed to one destination, in order, and how it is going."""

    to: ProcessId
    waiting: deque[Outgoing] = field(default_factory=deque)
    under_way: int = 0
    publishers: int = 0
    blocked_since: float | None = None
    reason: str = ""
    failures: int = 0
    abandoned: bool = False

    def take(self, bytes_max: int = FRAME_BYTES_MAX) -> list[Outgoing]:
        """What leaves together: a whole frame by itself, packets of one roster, or lines of the trace; whatever is
        longer than `bytes_max` by itself."""
        first = self.waiting.popleft()
        taken, size = [first], _size(first)
        while self.waiting and first.roster != WHOLE_FRAME and self.waiting[0].roster == first.roster:
            size += _size(self.waiting[0])
            if size > bytes_max:
                break
            taken.append(self.waiting.popleft())
        return taken


def _size(outgoing: Outgoing) -> int:
    """What it adds to a frame, at most."""
    return len(outgoing.data) + frames.NUMBER_BYTES_MAX


class Lanes:
    """All lanes of a process. `done(n)` is called when every destination's inbox has outbox entry n, `failed` with a
    fault of our own. `back_off_s` are the first and the longest pause after a publication that failed. `entries_max` is
    the number of entries from which on `has_room` is false."""

    def __init__(
        self,
        transport: Transport,
        process: ProcessId,
        *,
        done: Callable[[int], None],
        failed: Callable[[Exception], None],
        clock: Callable[[], float],
        back_off_s: tuple[float, float] = BACK_OFF_S,
        entries_max: float = inf,
    ) -> None:
        self._transport, self._process, self._clock = transport, process, clock
        self._back_off_s, self._entries_max = back_off_s, entries_max
        self._done, self._failed = done, failed
        self.lanes: dict[ProcessId, Lane] = {}
        self.owed: dict[int, int] = {}  # outbox entry -> inboxes that do not have it yet
        self.gone: set[ProcessId] = set()  # destinations that will never take anything again
        self._tasks: set[asyncio.Task[None]] = set()
        self._again = asyncio.Event()
        self.changed = asyncio.Event()

    def put(self, entries: Iterable[Outgoing]) -> None:
        for outgoing in entries:
            self.owed[outgoing.n] = len(outgoing.dests)
            for dest in outgoing.dests:
                if dest in self.gone:
                    self._arrived(outgoing.n)
                    continue
                lane = self.lanes.get(dest)
                if lane is None:
                    lane = self.lanes[dest] = Lane(dest)
                lane.waiting.append(outgoing)
                if len(lane.waiting) == 1 and lane.publishers < UNDER_WAY_MAX:
                    self._begin(lane)

    def has_room(self, staged: int) -> bool:
        """Whether fewer entries than the limit are owed to some inbox, with the `staged` ones that are not put yet."""
        return len(self.owed) + staged < self._entries_max

    def abandon(self, dest: ProcessId) -> None:
        """`dest` is gone for good: nothing is owed to it any more."""
        self.gone.add(dest)
        lane = self.lanes.pop(dest, None)
        if lane is not None:
            lane.abandoned, waiting = True, list(lane.waiting)
            lane.waiting.clear()
            for outgoing in waiting:
                self._arrived(outgoing.n)

    def try_again(self) -> dict[ProcessId, int]:
        """Publish at once what waits for its next try. Return how often each lane has failed until now."""
        self._again.set()
        self._again.clear()  # those who wait have been woken
        return {to: lane.failures for to, lane in self.lanes.items()}

    def is_trying(self, failures: dict[ProcessId, int]) -> bool:
        """Whether a lane has something to publish and has not failed since `try_again` returned `failures`."""
        return any(
            (lane.waiting or lane.under_way) and lane.failures == failures.get(to, 0) for to, lane in self.lanes.items()
        )

    async def change(self, timeout_s: float | None = None) -> None:
        """Wait until an entry of the outbox is done with, or a publication has failed, or for some time."""
        self.changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self.changed.wait()

    async def close(self) -> None:
        await end(self._tasks)

    def _begin(self, lane: Lane) -> None:
        lane.publishers += 1
        task = asyncio.create_task(self._run(lane))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, lane: Lane) -> None:
        try:
            while lane.waiting:
                taken = lane.take(min(FRAME_BYTES_MAX, self._transport.data_bytes_max // 2))
                lane.under_way += len(taken)
                await self._publish(lane, taken)
                lane.under_way -= len(taken)
                for outgoing in taken:
                    self._arrived(outgoing.n)
        except Exception as fault:
            self._failed(fault)
        lane.publishers -= 1

    async def _publish(self, lane: Lane, taken: list[Outgoing]) -> None:
        first = taken[0]
        parts = [outgoing.data for outgoing in taken]
        data = b"".join(parts) if first.roster < 0 else frames.packets(first.roster, parts)
        key = f"{token(self._process)} {first.n} {zlib.crc32(data):x}"
        pause_s, longest_s = self._back_off_s
        while True:
            try:
                await self._transport.publish(lane.to, data, key)
            except Unreachable as error:
                if lane.abandoned:
                    return
                lane.reason = str(error)
                lane.failures += 1
                self.changed.set()
                if lane.blocked_since is None:
                    lane.blocked_since = self._clock()
                await self._pause(pause_s)
                pause_s = min(2 * pause_s, longest_s)
            else:
                lane.blocked_since = None
                return

    async def _pause(self, pause_s: float) -> None:
        """Wait for the next try: `pause_s`, or until `try_again`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(pause_s):
                await self._again.wait()

    def _arrived(self, n: int) -> None:
        self.owed[n] -= 1
        if not self.owed[n]:
            del self.owed[n]
            self._done(n)
            self.changed.set()
