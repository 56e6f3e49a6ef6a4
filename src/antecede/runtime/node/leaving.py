"""What a process waits for while it leaves its space: `departure` has the steps, and this takes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from antecede.runtime.driver import LOOK_S, Driver
from antecede.runtime.node.departure import BEGUN, HANDED_OVER
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.outbox import Outbox
from antecede.runtime.transport.contract import Transport


@dataclass(frozen=True, slots=True)
class Leaving:
    """One process that has begun to leave. `check_open` raises why it cannot go on, if it cannot."""

    transport: Transport
    durable: DurableProcess
    outbox: Outbox
    driver: Driver
    check_open: Callable[[], None]

    async def run(self) -> None:
        """Wait until everybody has delivered what was sent, hand over, say farewell, and delete the inbox."""
        departure = self.durable.departure
        if departure.step == BEGUN:
            await self._settle()
            departure.hand_over()
            await self.driver.durable()
        if departure.step == HANDED_OVER:
            await self._drain()
            departure.say_farewell()
            await self.driver.durable()
        await self._drain()
        await self.transport.retire()
        departure.end()
        self.driver.commits.now()

    async def _settle(self) -> None:
        """Wait until everybody has delivered everything that this process ever sent."""
        peers = await self.transport.peers()
        self.durable.departure.find_gone(peers)
        for peer in sorted(set(peers) - self.durable.departed):  # who is leaving too may have an inbox still
            self.durable.join(peer)
        while any(one.message.sender == self.durable.process for one in self.durable.pending()):
            self.check_open()
            await self.outbox.change(LOOK_S)
        await self._drain()
        while self.durable.departure.unsettled:
            self.check_open()
            self.durable.departure.ask()
            self.driver.commits.soon()
            await self.outbox.change(LOOK_S)

    async def _drain(self) -> None:
        """Wait until all is handed over, and every inbox has what is owed to it, or is gone: who left unheard."""
        while self.outbox.owed or self.driver.commits.is_due or self.durable.departure.is_handing_over:
            self.check_open()
            await self.outbox.change(LOOK_S)
            if any(queue.blocked_since is not None for queue in self.outbox.queues.values()):
                for peer in self.durable.departure.find_gone(await self.transport.peers()):
                    self.outbox.abandon(peer)
