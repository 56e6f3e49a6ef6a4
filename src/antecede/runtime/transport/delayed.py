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
        return SlowTransport(self.network.transport(space, process, incarnation), self.delays_s)

    async def start(self, *, flushes: bool = False) -> None:
        await self.network.start(flushes=flushes)

    async def stop(self) -> None:
        await self.network.stop()


@dataclass(frozen=True, slots=True)
class SlowTransport:
    """Everything is left to `inner`, but for the time that `publish` takes."""

    inner: Transport
    delays_s: Mapping[ProcessId, float]

    @property
    def data_bytes_max(self) -> int:
        return self.inner.data_bytes_max

    @property
    def outage(self) -> str:
        return self.inner.outage

    def trace_to(self, stream: str) -> None:
        self.inner.trace_to(stream)

    async def open(self, claimant: Claimant | None = None) -> None:
        await self.inner.open(claimant)

    async def close(self) -> None:
        await self.inner.close()

    async def retire(self) -> None:
        await self.inner.retire()

    async def publish(self, to: ProcessId, data: bytes, key: str) -> None:
        await asyncio.sleep(self.delays_s.get(to, 0.0))
        await self.inner.publish(to, data, key)

    async def receive(self) -> Sequence[Received]:
        return await self.inner.receive()

    async def ack(self, batch: Sequence[Received]) -> None:
        await self.inner.ack(batch)

    async def retry(self, batch: Sequence[Received], delay_s: float) -> None:
        await self.inner.retry(batch, delay_s)

    async def waiting(self) -> int:
        return await self.inner.waiting()

    async def peers(self) -> list[ProcessId]:
        return await self.inner.peers()

    async def form_of(self, process: ProcessId) -> int | None:
        return await self.inner.form_of(process)

    async def report(self, progress: int) -> None:
        await self.inner.report(progress)

    async def answer_status(self, answer: Callable[[], Mapping[str, object]]) -> None:
        await self.inner.answer_status(answer)
