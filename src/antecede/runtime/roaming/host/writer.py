"""What a host says on one link, written as fast as the station reads: one that does not read holds up nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress

from websockets.exceptions import ConnectionClosed

from antecede.core.types import Packet
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.link import CLOSE_S, Link
from antecede.runtime.roaming.problem_notice import write_notice
from antecede.runtime.watch.problems import Problem

TELL_AGAIN_S = 10.0
"""How often a station is told of problems that last, because their words change."""


class LinkWriter:
    """The writer of one link. `run` is a task while the host uses the link; `finish` writes what is left."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._waiting: list[Packet] = []
        self._notice = ""
        self._told: set[tuple[str, Hashable]] = set()
        self._told_at = 0.0
        self._filled = asyncio.Event()

    def put(self, packets: Iterable[Packet]) -> None:
        self._waiting += packets if self._link.takes_left else map(websocket.without_left, packets)
        if self._waiting:
            self._filled.set()

    def tell(self, problems: Sequence[Problem]) -> None:
        """Tell the station what is wrong, if it takes that and does not know it, or was told a while ago."""
        now, current = asyncio.get_running_loop().time(), {(problem.kind, problem.key) for problem in problems}
        is_old = bool(current) and now - self._told_at >= TELL_AGAIN_S
        if self._link.takes_problems and (current != self._told or is_old):
            self._told, self._told_at = current, now
            self._notice = write_notice(problems, self._link.frame_bytes)
            self._filled.set()

    async def run(self) -> None:
        """Write what is put in, for ever. Packets for a connection that has ended are lost, and repeated elsewhere."""
        while True:
            self._filled.clear()
            while self._waiting or self._notice:
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
        """Send the first packets. If there are none, send the notice."""
        if not self._waiting:
            notice, self._notice = self._notice, ""
            await self._link.socket.send(notice)
            return
        frame, taken = websocket.pack(self._waiting, self._link.frame_bytes)
        del self._waiting[:taken]
        await self._link.socket.send(frame)
