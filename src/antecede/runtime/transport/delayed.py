"""A network whose links take their time: for demonstrations, on one machine, of what distance does.

`SlowNetwork(network, {"s2": 0.05})` is `network`, but what is published to s2 leaves 50 ms later. Order on each link is
as before; between links it is whatever the times make it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from antecede.core.types import ProcessId
from antecede.runtime.transport.contract import Claimant, Network, Received, Transport


@dataclass(frozen=True, slots=True)
class SlowNetwork:
    """`delays_s` by destination."""

    network: Network
    delays_s: Mapping[ProcessId, float]

    def transport(self, space: str, process: ProcessId, incarnation: str) -> SlowTransport:
        """Return the transport of one process, not open yet."""
        return SlowTransport(self.network.transport(space, process, incarnation), self.delays_s)

    async def start(self, *, flushes: bool = False) -> None:
        """Start what has to run before a transport is opened."""
        await self.network.start(flushes=flushes)

    async def stop(self) -> None:
        """Stop what `start` started."""
        await self.network.stop()


@dataclass(frozen=True, slots=True)
class SlowTransport:
    """Everything is left to `inner`, but for the time that `publish` takes."""

    inner: Transport
    delays_s: Mapping[ProcessId, float]

    @property
    def data_bytes_max(self) -> int:
        """Return the length of the longest data that `publish` takes."""
        return self.inner.data_bytes_max

    @property
    def outage(self) -> str:
        """Return why there is no connection now, or an empty string if there is one."""
        return self.inner.outage

    def trace_to(self, stream: str) -> None:
        """Send what is published to `TRACE` to this stream."""
        self.inner.trace_to(stream)

    async def open(self, claimant: Claimant | None = None) -> None:
        """Connect, claim the name, and make the inbox if there is none."""
        await self.inner.open(claimant)

    async def close(self) -> None:
        """Disconnect. The inbox stays."""
        await self.inner.close()

    async def retire(self) -> None:
        """Delete the inbox, because this process has left the space for good."""
        await self.inner.retire()

    async def publish(self, to: ProcessId, data: bytes, key: str) -> None:
        """Put `data` into the inbox of `to`, and return when it is there."""
        await asyncio.sleep(self.delays_s.get(to, 0.0))
        await self.inner.publish(to, data, key)

    async def receive(self) -> Sequence[Received]:
        """Return at least one item of the inbox, as soon as there is one."""
        return await self.inner.receive()

    async def ack(self, batch: Sequence[Received]) -> None:
        """Acknowledge items, which do not come again then."""
        await self.inner.ack(batch)

    async def retry(self, batch: Sequence[Received], delay_s: float) -> None:
        """Hand items back, which come again, not before `delay_s`."""
        await self.inner.retry(batch, delay_s)

    async def waiting(self) -> int:
        """Return how many items the inbox has that were not acknowledged."""
        return await self.inner.waiting()

    async def peers(self) -> list[ProcessId]:
        """Return everybody who has an inbox in this space, sorted, as far as can be seen from here."""
        return await self.inner.peers()

    async def form_of(self, process: ProcessId) -> int | None:
        """Return the newest form that a process has announced, or None if it has announced none."""
        return await self.inner.form_of(process)

    async def report(self, progress: int) -> None:
        """Tell the broker how far this process has come."""
        await self.inner.report(progress)

    async def answer_status(self, answer: Callable[[], Mapping[str, object]]) -> None:
        """Answer everybody who asks for the status of this process, from now on."""
        await self.inner.answer_status(answer)
