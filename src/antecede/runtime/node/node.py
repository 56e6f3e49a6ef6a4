"""A process of a space: what an application uses.

    async with join("embedded:///var/lib/shop", space="orders", process="billing") as node:
        await node.send({"stock", "mail"}, b"paid")
        async for message in node:
            ...
            await message.ack()

`send` returns when the message is durable here; it is then published until every destination's inbox has it, over
restarts of anybody. Messages come out in causal order, and again after a restart if they were not acknowledged. What
happens in one turn of the event loop is committed as one group at its end.

Limits:

* `Limits.outbox`: `send` waits while so many entries of the outbox are owed to some inbox. Packets count, and so do
  rosters and lines for the stream of a trace. Only `send` waits: what the algorithm transmits by itself does not.
* `Limits.inbox`: no further batch is taken from the broker while the application has so many messages that it did not
  acknowledge. The batch that reaches the limit is taken whole, and may go beyond it.
* `hold_back_limit`, an option of the algorithm: a packet that would have to be held back beyond it is left with the
  broker, which offers it again after `Limits.retry_s`. Packets that can be delivered at once are still taken.
* `Limits.stall_after_s`: what did not move for so long is a stall. Nobody is told of a stall without asking.
* `Limits.back_off_s`: a publication that failed is repeated after the first pause; each pause is twice as long as the
  one before, up to the longest.
* `Limits.snapshot_bytes_min`: a snapshot of the state is taken when the inputs that were logged since the last snapshot
  are longer than this, and twice as long as that snapshot.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping

from antecede.core.errors import Misuse
from antecede.core.roster import checked_payload
from antecede.core.types import GroupId, MessageId, Pending, ProcessId
from antecede.runtime.background import end
from antecede.runtime.delivery import Delivery
from antecede.runtime.group_commit import Grouping
from antecede.runtime.limits import Limits
from antecede.runtime.node.departure import BEGUN, HANDED_OVER, STAYS
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.outbox import Lanes
from antecede.runtime.state.store import Delivered
from antecede.runtime.transport.contract import Received, Transport
from antecede.runtime.watch.metrics import Metrics
from antecede.runtime.watch.stalls import Stall, Waiting, Watch

LOOK_S = 0.25
STATUS_LINES_MAX = 5


class NodeClosed(Misuse):
    """The node was closed, has left, or has failed. The message says which."""


class Node:
    """A process of a space. `join` makes it. Iterating over it gives messages, in causal order, each a `Delivery`."""

    def __init__(
        self,
        transport: Transport,
        durable: DurableProcess,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._transport, self._durable = transport, durable
        self._limits, self._clock = limits, clock
        self._watch = Watch(limits.stall_after_s, clock)
        self._ready: deque[Delivered] = deque()
        self._arrived = asyncio.Event()
        self._acknowledged = asyncio.Event()
        self._unacknowledged: set[int] = set()
        self._grouping = Grouping(self._commit)
        self._unsaved = False
        self._stalls: deque[Stall] = deque(maxlen=1_000)
        self._stalled = asyncio.Event()
        self._closed = ""
        self._tasks: list[asyncio.Task[None]] = []
        self._lanes = Lanes(
            transport,
            durable.process,
            done=self._entry_done,
            failed=self._grouping.fail,
            clock=clock,
            back_off_s=limits.back_off_s,
            entries_max=limits.outbox,
        )
        self._lanes.gone |= durable.departed
        self._clock_base = float(durable.store.facts.get("clock", b"0")) - clock()
        self.metrics = Metrics(self)

    # The application's side.

    @property
    def process(self) -> ProcessId:
        """The name of this process."""
        return self._durable.process

    @property
    def sent(self) -> int:
        """The number of messages that this process has ever sent, restarts included: where to go on after one."""
        return self._durable.sent

    async def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> MessageId:
        """Send `payload` to `dests`. Return the message's identity when the message is durable here."""
        self._check_stays()
        while not self._lanes.has_room(self._durable.staged):
            await self._lanes.change()
            self._check_stays()
        checked_payload(payload)
        half = self._transport.data_bytes_max // 2
        if len(payload) > half:
            raise Misuse(
                f"the payload has {len(payload)} bytes, and the limit of this broker is {half}: split it, "
                "or raise max_payload of the broker"
            )
        identity = self._durable.send(dests, payload)
        await self._grouping.done()
        return identity

    def __aiter__(self) -> AsyncIterator[Delivery]:
        return self

    async def __anext__(self) -> Delivery:
        while not self._ready:
            self._check_open(StopAsyncIteration)
            self._arrived.clear()
            await self._arrived.wait()
        return Delivery(self, self._ready.popleft())

    async def next_within(self, timeout_s: float | None) -> Delivery | None:
        """Return the next message, or None if there is none within `timeout_s`. Raise `NodeClosed` if none can come any
        more.
        """
        try:
            async with asyncio.timeout(timeout_s):
                return await anext(self)
        except TimeoutError:
            return None
        except StopAsyncIteration:
            raise NodeClosed(self._closed) from None

    async def batches(self, size_max: int = 256) -> AsyncIterator[list[Delivery]]:
        """Yield batches of what has arrived, each of 1 to `size_max` messages. `ack` takes a whole batch."""
        while True:
            try:
                batch = [await anext(self)]
            except StopAsyncIteration:
                return
            while self._ready and len(batch) < size_max:
                batch.append(Delivery(self, self._ready.popleft()))
            yield batch

    async def ack(self, batch: Iterable[Delivery]) -> None:
        """Acknowledge these messages. When this returns, none of them is ever offered again."""
        self._check_open()
        for delivery in batch:
            if delivery.n in self._unacknowledged:
                self._unacknowledged.discard(delivery.n)
                self._durable.acknowledge(delivery.n)
        self._acknowledged.set()
        await self._grouping.done()

    def pending(self) -> tuple[Pending, ...]:
        """Return what is held back, in the order of arrival, each message with everything that it still waits for."""
        return self._durable.pending()

    async def stalls(self) -> AsyncIterator[Stall]:
        """Yield stalls as they are noticed: what is awaited, from whom, and since when."""
        while True:
            for stall in self.take_stalls():
                yield stall
            if self._closed:
                return
            self._stalled.clear()
            await self._stalled.wait()

    def take_stalls(self) -> list[Stall]:
        """Return the stalls that were noticed since the last call."""
        taken = list(self._stalls)
        self._stalls.clear()
        return taken

    async def admit(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> None:
        """Admit a newcomer, if the algorithm has to know everybody. `groups` are the groups that it joins."""
        self._check_stays()
        self._durable.join(process, groups)
        await self._grouping.done()

    async def give_up(self, process: ProcessId) -> None:
        """Stop waiting for `process`, which is gone for good and did not leave."""
        self._check_open()
        self._durable.leave(process)
        await self._grouping.done()

    async def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until every inbox that can be reached has what was sent. Return False if that takes longer than
        `timeout_s`. An inbox that could not be reached before is tried once more.
        """
        until = asyncio.get_running_loop().time() + timeout_s
        failures = self._lanes.try_again()
        while self._grouping.due or self._lanes.is_trying(failures):
            self._check_open()
            if asyncio.get_running_loop().time() >= until:
                return False
            await self._lanes.change(0.05)
        return True

    async def leave(self) -> None:
        """Leave the space for good: wait until everybody has delivered what was sent, then delete the inbox.

        This waits for whoever is not running. Once begun it cannot be taken back: nothing more is sent, and if it is
        interrupted it goes on with the next `leave`, or with the next `join` with the same store. `departure` says how.
        """
        self._check_open()
        departure = self._durable.departure
        departure.begin()
        await self._grouping.done()
        self._acknowledged.set()
        if departure.step == BEGUN:
            await self._settled()
            departure.hand_over()
            await self._grouping.done()
        if departure.step == HANDED_OVER:
            await self._drained()
            departure.say_farewell()
            await self._grouping.done()
        await self._drained()
        await self._transport.retire()
        departure.end()
        self._grouping.now()
        await self._close("this process has left the space")

    async def _settled(self) -> None:
        peers = await self._transport.peers()
        self._durable.departure.gone(peers)
        for peer in sorted(set(peers) - self._durable.departed):  # who is leaving too may have an inbox still
            self._durable.join(peer)
        while any(one.message.sender == self.process for one in self.pending()):
            self._check_open()
            await self._lanes.change(LOOK_S)
        await self._drained()
        while self._durable.departure.unsettled:
            self._check_open()
            self._durable.departure.ask()
            self._grouping.soon()
            await self._lanes.change(LOOK_S)

    def counts(self) -> dict[str, int]:
        """Return what happened since the node was opened, and what waits now."""
        return {
            **{name: self._durable.counts[name] for name in ("sent", "received", "delivered", "refused")},
            "offered_again": self._durable.counts["offered again"],
            "outbox": len(self._lanes.owed),
            "inbox": len(self._unacknowledged),
            "held_back": len(self.pending()),
            "processes": len(self._durable.members - self._durable.departed),
        }

    def status(self) -> Mapping[str, object]:
        """Return what `antecede status` shows of this node."""
        waiting = self._watch.waiting(self._waiting(), self._lanes.lanes.values())
        leaving = (
            {} if self._durable.departure.step == STAYS else {"unsettled": sorted(self._durable.departure.unsettled)}
        )
        return {**self.counts(), **leaving, "stalls": [stall.as_dict() for stall in waiting[:STATUS_LINES_MAX]]}

    def _waiting(self) -> Iterator[Waiting]:
        return (Waiting(one.message.id, one.needs) for one in self.pending())

    # Opening and closing.

    def start(self) -> None:
        """Offer what was not acknowledged, publish what is owed, and take what comes in. `join` calls it."""
        store = self._durable.store
        self._offer(store.inbox())
        self._lanes.put(store.outbox())
        works = (self._receive, self._look, self._keep_time, self._mind)
        self._tasks = [asyncio.create_task(self._guard(work)) for work in works]

    async def close(self) -> None:
        """Stop. The process goes on from here if it joins again with the same store. `join` calls it."""
        await self._close("the node was closed")

    async def _close(self, reason: str) -> None:
        if not self._closed:
            self._stop(reason)
        tasks, self._tasks = self._tasks, []
        await end(tasks)
        await self._lanes.close()
        if self._grouping.failure is None:
            self._grouping.now()

    def _stop(self, reason: str) -> None:
        self._closed = reason
        for event in (self._arrived, self._stalled, self._lanes.changed, self._acknowledged):
            event.set()

    def _check_stays(self) -> None:
        self._check_open()
        if self._durable.departure.step != STAYS:
            raise NodeClosed("this process is leaving the space")

    def _check_open(self, error: type[BaseException] = NodeClosed) -> None:
        if self._grouping.failure is not None:
            raise self._grouping.failure
        if self._closed:
            raise error(self._closed)

    # The inside: commits, and the three things that go on by themselves.

    def _commit(self) -> None:
        """Make everything up to now durable, and let it out."""
        released = self._durable.commit()
        self._lanes.put(released.outgoing)
        for process in released.departed:
            self._lanes.abandon(process)
        self._offer(released.delivered)

    def _offer(self, delivered: Iterable[Delivered]) -> None:
        for one in delivered:
            self._unacknowledged.add(one.n)
            self._ready.append(one)
        if self._ready:
            self._arrived.set()

    def _entry_done(self, n: int) -> None:
        """Not worth a commit of its own: without it the entry is published once more after a crash."""
        self._durable.done(n)
        self._unsaved = True

    async def _guard(self, work: Callable[[], Awaitable[None]]) -> None:
        """A failure of the inside is the application's to see: the next call raises it."""
        try:
            await work()
        except Exception as error:
            self._grouping.fail(error)

    async def _mind(self) -> None:
        """Nothing that was not committed gets out after a failure; a restart goes on from what was."""
        await self._grouping.failed.wait()
        self._stop(f"the node has failed: {self._grouping.failure}")

    async def _receive(self) -> None:
        while not self._closed:
            while len(self._unacknowledged) >= self._limits.inbox and self._durable.departure.step == STAYS:
                self._acknowledged.clear()
                await self._acknowledged.wait()
            batch = await self._transport.receive()
            taken: list[Received] = []
            refused: list[Received] = []
            for received in batch:
                (taken if self._durable.receive(received.sender, received.data) else refused).append(received)
            self._grouping.now()
            await asyncio.sleep(0)  # the application first: it waits for this, and the broker does not
            await self._transport.ack(taken)
            if refused:
                await self._transport.retry(refused, self._limits.retry_s)

    async def _look(self) -> None:
        """Now and then: what is stalled, and what was not worth a commit of its own."""
        pause_s = min(LOOK_S, self._limits.stall_after_s)
        while not self._closed:
            await asyncio.sleep(pause_s)
            if self._unsaved:
                self._unsaved = False
                self._grouping.soon()
            fresh = self._watch.look(self._waiting(), self._lanes.lanes.values())
            if fresh:
                self._stalls.extend(fresh)
                self._stalled.set()

    async def _keep_time(self) -> None:
        """Timers of the algorithm, on a clock that goes on where it stopped and never runs backwards."""
        while not self._closed:
            await asyncio.sleep(LOOK_S)
            now = self._clock_base + self._clock()
            if self._durable.timers and min(self._durable.timers) <= now:
                self._durable.store.put("clock", repr(now).encode())
                self._durable.tick(now)
                self._grouping.soon()

    async def _drained(self) -> None:
        """Wait until every inbox has what is owed to it, or is gone: who has left too, and was not heard to say so."""
        while self._lanes.owed or self._grouping.due:
            self._check_open()
            await self._lanes.change(LOOK_S)
            if any(lane.blocked_since is not None for lane in self._lanes.lanes.values()):
                for peer in self._durable.departure.gone(await self._transport.peers()):
                    self._lanes.abandon(peer)
