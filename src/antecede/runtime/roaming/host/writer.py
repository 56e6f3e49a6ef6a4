"""What a host says on one link, written as fast as the station reads: one that does not read holds up nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from websockets.exceptions import ConnectionClosed

from antecede.core.types import Packet
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.link import CLOSE_S, Link


class LinkWriter:
    """The writer of one link. `run` is a task while the host uses the link; `finish` writes what is left."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._waiting: list[Packet] = []
        self._filled = asyncio.Event()

    def put(self, packets: Iterable[Packet]) -> None:
        self._waiting += packets
        if self._waiting:
            self._filled.set()

    async def run(self) -> None:
        """Write what is put in, for ever. Packets for a connection that has ended are lost, and repeated elsewhere."""
        while True:
            self._filled.clear()
            while self._waiting:
                with suppress(ConnectionClosed):
                    await self._say()
            await self._filled.wait()

    async def finish(self) -> None:
        """Write one last frame, if packets are left. Give up if that takes longer than `CLOSE_S`."""
        with suppress(ConnectionClosed, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                if self._waiting:
                    await self._say()

    async def _say(self) -> None:
        frame, taken = websocket.packed(self._waiting, self._link.frame_bytes)
        del self._waiting[:taken]
        await self._link.socket.send(frame)
