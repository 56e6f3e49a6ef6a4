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
    """`run` is a task for as long as the link is the host's; what is put in afterwards is for `finish`."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._waiting: list[Packet] = []
        self._filled = asyncio.Event()

    def put(self, packets: Iterable[Packet]) -> None:
        self._waiting += packets
        if self._waiting:
            self._filled.set()

    async def run(self) -> None:
        """For ever; what is said after the end of the connection is lost, and repeated elsewhere."""
        while True:
            self._filled.clear()
            while self._waiting:
                with suppress(ConnectionClosed):
                    await self._say()
            await self._filled.wait()

    async def finish(self) -> None:
        """The last words, where there are any, unless they cannot be said soon."""
        with suppress(ConnectionClosed, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                if self._waiting:
                    await self._say()

    async def _say(self) -> None:
        frame, taken = websocket.packed(self._waiting, self._link.frame_bytes)
        del self._waiting[:taken]
        await self._link.socket.send(frame)
