"""A process of a space: what an application uses.

    async with join("embedded:///var/lib/shop", space="orders", process="billing") as node:
        await node.send({"stock", "mail"}, b"paid")
        async for message in node:
            ...
            await message.ack()

`send` returns when the message is durable here; it is then published until every destination's inbox has it, over
restarts of anybody. Messages come out in causal order, and again after a restart if they were not acknowledged. What
happens in one turn of the event loop is committed as one group at its end. `antecede.runtime.limits` says what happens
at each limit.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress

from antecede.core.errors import Misuse
from antecede.core.roster import checked_payload
from antecede.core.types import GroupId, MessageId, Pending, ProcessId
from antecede.runtime.delivery import Delivery
from antecede.runtime.driver import LOOK_S, Driver
from antecede.runtime.envelopes import Envelopes
from antecede.runtime.limits import Limits
from antecede.runtime.node.departure import STAYS
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.node.inbox_drain import drain_before_giving_up
from antecede.runtime.node.leaving import Leaving
from antecede.runtime.node.view import SIMILAR_AFTER_S, ApplicationProgress, NodeView
from antecede.runtime.outbox import Outbox
from antecede.runtime.state.store import Delivered
from antecede.runtime.transport.contract import Received, Transport, Unreachable
from antecede.runtime.watch.acknowledgements import Acknowledgements
from antecede.runtime.watch.metrics import Metrics
from antecede.runtime.watch.problems import Problem
from antecede.runtime.watch.stalls import Stall


class NodeClosed(Misuse):
    """The node was closed, has left, or has failed. The message says which."""


class Node:
    """A process of a space. `join` makes it. Iterating over it gives messages, in causal order, each a `Delivery`."""

    def __init__(
        self,
        transport: Transport,
        durable: DurableProcess,
        envelopes: Envelopes,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._transport, self._durable, self._limits, self._clock = transport, durable, limits, clock
        self._ready: deque[Delivered] = deque()
        self._arrived, self._acknowledged, self._stalled = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._progress = ApplicationProgress(Acknowledgements(clock, limits.forgotten_after_s))
        self._closed = ""
        self._driver = Driver(durable.store, commit=self._commit, stopped=self._fail, clock=clock)
        self._commits = self._driver.commits
        self._outbox = Outbox(
            transport,
            durable.process,
            envelopes=envelopes,
            done=self._driver.entry_done,
            failed=self._commits.fail,
            clock=clock,
            back_off_s=limits.back_off_s,
            packets_max=limits.outbox,
        )
        self._outbox.gone |= durable.departed
        self._view = NodeView(durable, transport, self._outbox, self._progress, limits=limits, clock=clock)
        self.metrics = Metrics(self)

    # The application's side.

    @property
    def process(self) -> ProcessId:
        """Return the name of this process."""
        return self._durable.process

    @property
    def sent(self) -> int:
        """Return how many messages this process has ever sent, restarts included: where to go on after a restart."""
        return self._durable.sent

    async def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> MessageId:
        """Send `payload` to `dests`. Return the message's identity when the message is durable here."""
        self._check_stays()
        await self._wait_for_room()
        checked_payload(payload)
        half = self._transport.data_bytes_max // 2
        if len(payload) > half:
            raise Misuse(
                f"the payload has {len(payload)} bytes, and the limit of this broker is {half}: split it, "
                "or raise max_payload of the broker"
            )
        identity = self._durable.send(dests, payload)
        await self._driver.durable()
        return identity

    async def _wait_for_room(self) -> None:
        while not self._outbox.has_room(self._durable.staged):
            self._progress.sends_waiting += 1
            try:
                await self._outbox.change(LOOK_S)  # what was staged may be no packet, and then there is room
            finally:
                self._progress.sends_waiting -= 1
            self._check_stays()

    def __aiter__(self) -> AsyncIterator[Delivery]:
        return self

    async def __anext__(self) -> Delivery:
        self._progress.acknowledgements.ask()
        while not self._ready:
            self._check_open(StopAsyncIteration)
            self._arrived.clear()
            await self._arrived.wait()
        return self._give()

    def _give(self) -> Delivery:
        """Return the first message that is ready, and note that the application has it."""
        delivered = self._ready.popleft()
        self._progress.acknowledgements.take(delivered)
        return Delivery(self, delivered)

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
                batch.append(self._give())
            yield batch

    async def ack(self, batch: Iterable[Delivery]) -> None:
        """Acknowledge these messages. When this returns, none of them is ever offered again."""
        self._check_open()
        unacknowledged = self._progress.unacknowledged
        for delivery in batch:
            if delivery.n in unacknowledged:
                unacknowledged.discard(delivery.n)
                self._durable.acknowledge(delivery.n)
                self._progress.acknowledgements.acknowledge(delivery.n)
        self._acknowledged.set()
        await self._driver.durable()

    def pending(self) -> tuple[Pending, ...]:
        """Return the messages that are held back, in the order of arrival, each with everything it still waits for."""
        return self._durable.pending()

    def problems(self) -> list[Problem]:
        """Return what is wrong now, each with since when and in words. The same is logged, counted and shown."""
        return self._view.problems()

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
        taken = list(self._view.stalls)
        self._view.stalls.clear()
        return taken

    async def admit(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> None:
        """Admit a newcomer, if the algorithm has to know everybody. `groups` are the groups that it joins.

        With `isis` and `mr` a running process may join further groups: call this at that process first, with its own
        name, and then at all others; only then may somebody else join. From each of them it delivers what that one
        sends to the groups from its call on. With `mr` its `send` to such a group raises `Misuse` until it has heard of
        all members.
        """
        self._check_stays()
        self._durable.join(process, groups)
        await self._driver.durable()

    async def give_up(self, process: ProcessId) -> None:
        """Stop waiting for `process`, which is gone for good and did not leave.

        Its messages that wait in the inbox are taken first. What comes from it later is refused. Messages of others can
        be delivered before messages that precede them, if only a message of `process` that is missing here said so.
        """
        self._check_open()
        handed_back = self._driver.handed_back
        await drain_before_giving_up(self._transport, lambda: len(handed_back), owner=self.process, process=process)
        self._check_open()
        self._durable.give_up(process)
        await self._driver.durable()

    async def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until every inbox that can be reached has what was sent. Return False if that takes longer than
        `timeout_s`. An inbox that could not be reached before is tried once more.
        """
        until = asyncio.get_running_loop().time() + timeout_s
        failures = self._outbox.try_again()
        while self._commits.is_due or self._outbox.is_trying(failures):
            self._check_open()
            if asyncio.get_running_loop().time() >= until:
                return False
            await self._outbox.change(0.05)
        self._check_open()
        return True

    async def leave(self) -> None:
        """Leave the space for good: wait until everybody has delivered what was sent, then delete the inbox.

        This waits for whoever is not running, and `problems()` says for whom. Once begun it cannot be taken back:
        nothing more is sent, and if it is interrupted it goes on with the next `leave`, or with the next `join` with
        the same store. `departure` says how.
        """
        self._check_open()
        self._durable.departure.begin()
        await self._driver.durable()
        self._acknowledged.set()
        await Leaving(self._transport, self._durable, self._outbox, self._driver, self._check_open).run()
        self._look()  # whoever read that it waits reads that this is over
        await self._close("this process has left the space")

    def counts(self) -> dict[str, int]:
        """Return what happened since the node was opened, and what waits now."""
        return self._view.counts()

    def problem_counts(self) -> dict[str, int]:
        """Return the number of problems of each kind, as the metrics have it."""
        return self._view.problem_counts()

    def status(self) -> Mapping[str, object]:
        """Return what `antecede status` shows of this node."""
        return self._view.status()

    # Opening and closing.

    def start(self) -> None:
        """Offer what was not acknowledged, publish what is owed, and take what comes in. `join` calls it."""
        store = self._durable.store
        self._offer(store.inbox())
        self._outbox.put(store.outbox())
        self._driver.start(self._receive, self._keep_time, self._report, self._find_similar_names)

    async def finish(self) -> None:
        """Flush, because a program that sends and ends has sent, and log what is left behind. Raise why the node has
        stopped by itself, unless a call has raised it. `join` calls this at the end of a block without an exception.
        """
        is_quiet = self._driver.is_told
        try:
            if self._driver.failure is None:
                await self.flush()
                await self._view.look_at_the_end()
        except NodeClosed:
            pass  # what is not sent now is sent after the next join
        except Exception as error:
            if error is not self._driver.failure or not is_quiet:
                raise
        self._driver.raise_untold()

    def tell_what_is_left(self) -> None:
        """Internal: log what is left behind, because the application ends with an exception: nothing is waited for."""
        if self._driver.failure is None and not self._closed:
            self._view.tell_what_is_left()

    def leave_untold(self) -> None:
        """Internal: let `finish` raise no failure, because the application has an exception of its own."""
        self._driver.leave_untold()

    async def close(self) -> None:
        """Stop. The process goes on from here if it joins again with the same store. `join` calls it."""
        await self._close("the node was closed")

    async def _close(self, reason: str) -> None:
        if not self._closed:
            self._stop(reason)
        await self._driver.close()
        await self._outbox.close()
        if self._driver.failure is None and self._durable.departure.step == STAYS:
            with suppress(Unreachable, TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._driver.report_once(self._transport)

    def _fail(self, failure: Exception) -> None:
        """Stop at once, and log why. Nothing that is not committed gets out; a restart goes on from the last commit.

        A failure while the node closes changes nothing any more.
        """
        if not self._closed:
            self._view.stop(failure)
        self._stop(f"the node has failed: {failure}")

    def _stop(self, reason: str) -> None:
        self._closed = reason
        for event in (self._arrived, self._stalled, self._outbox.changed, self._acknowledged):
            event.set()

    def _check_stays(self) -> None:
        self._check_open()
        if self._durable.departure.step != STAYS:
            raise NodeClosed("this process is leaving the space")

    def _check_open(self, error: type[BaseException] = NodeClosed) -> None:
        self._driver.check()
        if self._closed:
            raise error(self._closed)

    # The inside: commits, and what goes on by itself.

    def _commit(self) -> None:
        """Make everything up to now durable, then publish it and offer it to the application."""
        released = self._durable.commit()
        self._outbox.put(released.outgoing)
        for process in released.departed:
            self._outbox.abandon(process)
        self._offer(released.delivered)

    def _offer(self, delivered: Iterable[Delivered]) -> None:
        for one in delivered:
            self._progress.unacknowledged.add(one.n)
            self._ready.append(one)
        if self._ready:
            self._arrived.set()

    async def _receive(self) -> None:
        while not self._closed:
            await self._wait_for_acknowledgements()
            await self._driver.take_frames(
                self._transport, self._take, unreadable=self._durable.unreadable, retry_s=self._limits.retry_s
            )

    async def _wait_for_acknowledgements(self) -> None:
        progress = self._progress
        while len(progress.unacknowledged) >= self._limits.inbox and self._durable.departure.step == STAYS:
            progress.is_full = True
            self._acknowledged.clear()
            await self._acknowledged.wait()
        progress.is_full = False

    def _take(self, received: Received) -> bool:
        return self._durable.receive(received.sender, received.data)

    async def _keep_time(self) -> None:
        await self._driver.keep_time(lambda: min(self._durable.timers, default=None), self._durable.tick, self._look)

    def _look(self) -> None:
        is_receiving = not self._transport.outage and not self._progress.is_full
        self._durable.unreadable.expire(self._clock(), is_receiving=is_receiving)
        if self._view.look():
            self._stalled.set()

    async def _report(self) -> None:
        await self._driver.report_progress(self._transport)

    async def _find_similar_names(self) -> None:
        while True:
            await asyncio.sleep(SIMILAR_AFTER_S)
            await self._view.find_similar_names()
