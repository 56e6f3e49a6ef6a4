"""The same node for programs without an event loop: every call waits, and the loop runs in a thread of its own.

    with join_sync("embedded:///var/lib/shop", space="orders", process="billing") as node:
        node.send({"stock", "mail"}, b"paid")
        for message in node:
            message.ack()

Calls may come from several threads. Those that wait when the block ends come back: with what the end of the node gives
them, or with `NodeClosed`; those that come later get `NodeClosed`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from antecede.core.types import GroupId, MessageId, Pending, ProcessId
from antecede.runtime.background import end
from antecede.runtime.block import SyncBlock
from antecede.runtime.delivery import Delivery
from antecede.runtime.node.join import join
from antecede.runtime.node.node import Node, NodeClosed
from antecede.runtime.transport.contract import Network
from antecede.runtime.watch.problems import Problem
from antecede.runtime.watch.stalls import Stall

SETTLE_S = 1.0

T = TypeVar("T")


class SyncDelivery:
    """A message that was delivered to a `SyncNode`. It has the attributes of `Delivery`."""

    def __init__(self, node: SyncNode, delivery: Delivery) -> None:
        self._node, self._delivery = node, delivery
        self.message = delivery.message
        self.id, self.sender, self.dests = delivery.id, delivery.sender, delivery.dests
        self.payload, self.group = delivery.payload, delivery.group

    def ack(self) -> None:
        """Acknowledge the message. When this returns, the message is never offered again."""
        self._node.wait(self._delivery.ack())


class SyncNode:
    """A `Node` for programs without an event loop, which runs in a thread of its own. `join_sync` makes it. Iterating
    over it gives messages.
    """

    def __init__(self, node: Node, loop: asyncio.AbstractEventLoop) -> None:
        self._node, self._loop = node, loop
        self._ending, self._ended = threading.Lock(), False
        self.process, self.metrics = node.process, node.metrics

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> MessageId:
        """Send `payload` to `dests`. Return the message's identity when the message is durable here."""
        return self.wait(self._node.send(dests, payload))

    def receive(self, timeout_s: float | None = None) -> SyncDelivery | None:
        """Return the next message, or None if there is none within `timeout_s`."""
        delivery = self.wait(self._node.next_within(timeout_s))
        return None if delivery is None else SyncDelivery(self, delivery)

    def __iter__(self) -> Iterator[SyncDelivery]:
        with suppress(NodeClosed):  # there are no more
            while (delivery := self.receive()) is not None:
                yield delivery

    def pending(self) -> tuple[Pending, ...]:
        """Return what is held back, each message with everything that it still waits for."""
        return self.wait(_call(self._node.pending))

    def stalls(self) -> list[Stall]:
        """Return the stalls that were noticed since the last call."""
        return self.wait(_call(self._node.take_stalls))

    def problems(self) -> list[Problem]:
        """Return what is wrong now, each with since when and in words."""
        return self.wait(_call(self._node.problems))

    def counts(self) -> dict[str, int]:
        """Return what happened since the node was opened, and what waits now."""
        return self.wait(_call(self._node.counts))

    def leave(self) -> None:
        """Leave the space for good, as `Node.leave` does."""
        self.wait(self._node.leave())

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the event loop, and return its result."""
        with self._ending:
            if self._ended:
                work.close()
                raise self._closed_error()
            result = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return result.result()
        except CancelledError:
            raise self._closed_error() from None

    def end(self) -> None:
        """Refuse further calls: after the loop's last turn they would never be answered."""
        with self._ending:
            self._ended = True

    def _closed_error(self) -> NodeClosed:
        return NodeClosed(f"{self.process} is closed: the block of `join_sync` has ended")


async def _call(what: Any) -> Any:
    return what()


def join_sync(url: str | Network, *, settle_s: float = SETTLE_S, **settings: Any) -> SyncBlock[SyncNode]:
    """Take part in a space without an event loop: `with join_sync(...) as node` gives a `SyncNode`. It takes what
    `join` takes.

    When the block ends, calls that are still under way have `settle_s` to come back by themselves.
    """
    return SyncBlock(_enter(url, settings, settle_s), "with antecede.join_sync(...) as node:")


@contextmanager
def _enter(url: str | Network, settings: Mapping[str, Any], settle_s: float) -> Iterator[SyncNode]:
    joined = join(url, **settings)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="antecede", daemon=True)
    thread.start()
    try:
        node = asyncio.run_coroutine_threadsafe(joined.__aenter__(), loop).result()
        shown = SyncNode(node, loop)
        try:
            yield shown
        except BaseException:
            node.leave_untold()
            raise
        finally:
            shown.end()
            asyncio.run_coroutine_threadsafe(joined.__aexit__(None, None, None), loop).result()
    finally:
        asyncio.run_coroutine_threadsafe(_settle(settle_s), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _settle(settle_s: float) -> None:
    """Wait `settle_s` for calls that are still under way, then cancel them, so that nobody waits for them any more."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    if left:
        await asyncio.wait(left, timeout=settle_s)
    await end(left)
