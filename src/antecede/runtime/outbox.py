"""The way out: one queue for each destination, from the store into its inbox, again and again until it is there.

What waits in a queue while a publication is under way leaves together in the next frame, so the busier a queue, the
fewer its publications. A few publications are under way at once, for destinations that are far. A destination that
cannot be reached holds up its own queue only; the queue tries again, ever more slowly, and says since when it has been
blocked.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import inf

from antecede.core.types import ProcessId
from antecede.runtime import frames
from antecede.runtime.background import BackgroundTasks
from antecede.runtime.envelopes import Envelopes
from antecede.runtime.limits import BACK_OFF_S
from antecede.runtime.state.outgoing import Outgoing, OutgoingLines, OutgoingPacket
from antecede.runtime.transport.contract import TRACE, NoInbox, Transport, Unreachable
from antecede.runtime.transport.names import token
from antecede.runtime.varint import NUMBER_BYTES_MAX

UNDER_WAY_MAX = 2
FRAME_BYTES_MAX = 256 * 2**10
"""Half of what the broker takes, if that is less: the other half is for what it counts beside the data."""


@dataclass(slots=True)
class DestinationQueue:
    """What is owed to one destination, in order, and how it is going."""

    to: ProcessId
    waiting: deque[Outgoing] = field(default_factory=deque)
    under_way: int = 0
    packets_under_way: int = 0
    publishers: int = 0
    blocked_since: float | None = None
    reason: str = ""
    has_no_inbox: bool = False
    failures: int = 0
    is_abandoned: bool = False

    @property
    def packets(self) -> int:
        """Return the number of packets that are owed, or of all entries that are owed if none is a packet."""
        waiting = sum(isinstance(outgoing, OutgoingPacket) for outgoing in self.waiting)
        return (waiting + self.packets_under_way) or (len(self.waiting) + self.under_way)

    def take(self, bytes_max: int = FRAME_BYTES_MAX) -> list[Outgoing]:
        """Take the entries that leave together: one whole frame, packets of one roster, or lines of the trace.

        They have at most `bytes_max` bytes; an entry that is longer leaves by itself.
        """
        first = self.waiting.popleft()
        taken, size = [first], _size(first)
        while self.waiting and _share_a_frame(first, self.waiting[0]):
            size += _size(self.waiting[0])
            if size > bytes_max:
                break
            taken.append(self.waiting.popleft())
        return taken


def _share_a_frame(one: Outgoing, other: Outgoing) -> bool:
    if isinstance(one, OutgoingPacket) and isinstance(other, OutgoingPacket):
        return one.roster == other.roster
    return isinstance(one, OutgoingLines) and isinstance(other, OutgoingLines)


def _size(outgoing: Outgoing) -> int:
    """Return how many bytes an entry adds to a frame at most."""
    return len(outgoing.data) + NUMBER_BYTES_MAX


def _frame_of(taken: list[Outgoing]) -> bytes:
    """Return the bytes that are published for entries that leave together."""
    first, parts = taken[0], [outgoing.data for outgoing in taken]
    return frames.packets(first.roster, parts) if isinstance(first, OutgoingPacket) else b"".join(parts)


class Outbox:
    """All queues of a process. `done(n)` is called when every destination's inbox has outbox entry n, `failed` with a
    fault of our own. `envelopes` put frames into the form that their destination reads. `back_off_s` are the first and
    the longest pause after a publication that failed. `packets_max` is the number of packets from which on `has_room`
    is false, and so is the same number of lots of lines of the trace."""

    def __init__(
        self,
        transport: Transport,
        process: ProcessId,
        *,
        envelopes: Envelopes,
        done: Callable[[int], None],
        failed: Callable[[Exception], None],
        clock: Callable[[], float],
        back_off_s: tuple[float, float] = BACK_OFF_S,
        packets_max: float = inf,
    ) -> None:
        self._transport, self._process, self._clock = transport, process, clock
        self._envelopes, self._back_off_s, self._packets_max = envelopes, back_off_s, packets_max
        self._done = done
        self.queues: dict[ProcessId, DestinationQueue] = {}
        self.owed: dict[int, int] = {}  # outbox entry -> inboxes that do not have it yet
        self.packets_owed: set[int] = set()  # the entries of `owed` that are packets
        self.lines_owed: set[int] = set()  # the entries of `owed` that are lines of the trace
        self.gone: set[ProcessId] = set()  # destinations that will never take anything again
        self._background = BackgroundTasks(failed)
        self._again = asyncio.Event()
        self.changed = asyncio.Event()

    def put(self, entries: Iterable[Outgoing]) -> None:
        """Publish these entries of the outbox, which are durable."""
        for outgoing in entries:
            self.owed[outgoing.n] = len(outgoing.dests)
            if isinstance(outgoing, OutgoingPacket):
                self.packets_owed.add(outgoing.n)
            elif isinstance(outgoing, OutgoingLines):
                self.lines_owed.add(outgoing.n)
            for dest in outgoing.dests:
                if dest in self.gone:
                    self._note_arrival(outgoing.n)
                    continue
                queue = self.queues.get(dest)
                if queue is None:
                    queue = self.queues[dest] = DestinationQueue(dest)
                queue.waiting.append(outgoing)
                if len(queue.waiting) == 1 and queue.publishers < UNDER_WAY_MAX:
                    self._begin(queue)

    def has_room(self, staged: int) -> bool:
        """Return whether fewer packets than the limit are owed, and fewer lots of lines of the trace.

        The `staged` entries, which are not put yet, count as packets and as lines. Rosters and words about leaving do
        not count: there are few, and those who wait for room may have to send them.
        """
        return self.limited + staged < self._packets_max

    @property
    def limited(self) -> int:
        """Return the number that has a limit: of packets, or of lots of lines of the trace if that is larger."""
        return max(len(self.packets_owed), len(self.lines_owed))

    def abandon(self, dest: ProcessId) -> None:
        """Publish nothing more to `dest`, which is gone for good."""
        self.gone.add(dest)
        queue = self.queues.pop(dest, None)
        if queue is not None:
            queue.is_abandoned, waiting = True, list(queue.waiting)
            queue.waiting.clear()
            for outgoing in waiting:
                self._note_arrival(outgoing.n)

    def try_again(self) -> dict[ProcessId, int]:
        """Publish at once what waits for its next try. Return how often each queue has failed until now."""
        self._again.set()
        self._again.clear()  # those who wait have been woken
        return {to: queue.failures for to, queue in self.queues.items()}

    def is_trying(self, failures: dict[ProcessId, int]) -> bool:
        """Return whether a queue has something to publish and has not failed since `try_again` returned `failures`."""
        return any(
            (queue.waiting or queue.under_way) and queue.failures == failures.get(to, 0)
            for to, queue in self.queues.items()
        )

    async def change(self, timeout_s: float | None = None) -> None:
        """Wait until an entry of the outbox is done with, or a publication has failed, or for some time."""
        self.changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self.changed.wait()

    async def close(self) -> None:
        """Publish nothing more."""
        await self._background.end()

    def _begin(self, queue: DestinationQueue) -> None:
        queue.publishers += 1
        self._background.start(partial(self._run, queue))

    async def _run(self, queue: DestinationQueue) -> None:
        try:
            while queue.waiting:
                taken = queue.take(min(FRAME_BYTES_MAX, self._transport.data_bytes_max // 2))
                packets = len(taken) if isinstance(taken[0], OutgoingPacket) else 0
                queue.under_way += len(taken)
                queue.packets_under_way += packets
                await self._publish(queue, taken)
                queue.under_way -= len(taken)
                queue.packets_under_way -= packets
                for outgoing in taken:
                    self._note_arrival(outgoing.n)
        finally:
            queue.publishers -= 1

    async def _publish(self, queue: DestinationQueue, taken: list[Outgoing]) -> None:
        frame = _frame_of(taken)
        key = f"{token(self._process)} {taken[0].n} {zlib.crc32(frame):x}"
        pause_s, longest_s = self._back_off_s
        began = self._clock()
        while True:
            try:
                data = frame if queue.to == TRACE else await self._wrap(queue.to, frame)
                await self._transport.publish(queue.to, data, key)
            except Unreachable as error:
                if queue.is_abandoned:
                    return
                queue.reason, queue.has_no_inbox = str(error), isinstance(error, NoInbox)
                queue.failures += 1
                self.changed.set()
                if queue.blocked_since is None:
                    queue.blocked_since = began  # an attempt that fails may take long
                await self._pause(pause_s)
                pause_s = min(2 * pause_s, longest_s)
            else:
                queue.blocked_since = None
                return

    async def _wrap(self, to: ProcessId, frame: bytes) -> bytes:
        return self._envelopes.wrap(to, await self._transport.form_of(to), frame)

    async def _pause(self, pause_s: float) -> None:
        """Wait for the next try: `pause_s`, or until `try_again`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(pause_s):
                await self._again.wait()

    def _note_arrival(self, n: int) -> None:
        self.owed[n] -= 1
        if not self.owed[n]:
            del self.owed[n]
            self.packets_owed.discard(n)
            self.lines_owed.discard(n)
            self._done(n)
            self.changed.set()
