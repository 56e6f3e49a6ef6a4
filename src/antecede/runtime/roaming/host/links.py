"""The links of a host: the one that it is on, and those that it was on before and has not ended yet."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from antecede.core.types import Packet
from antecede.runtime.roaming.host.link import Link, hang_up
from antecede.runtime.roaming.host.writer import LinkWriter
from antecede.runtime.watch.problems import Problem

Guard = Callable[[Callable[[], Awaitable[None]]], Awaitable[None]]


class HostLinks:
    """`current` is the link that the host is on, or None. `guard` runs what writes to it."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self.current: Link | None = None
        self._former: list[Link] = []
        self._writer: LinkWriter | None = None
        self._writing: asyncio.Future[None] | None = None

    def enter(self, link: Link) -> None:
        """Use `link` from now on. The last link stays open until `end_former`."""
        if self.current is not None:
            self._former.append(self.current)
        self.stop_writing()
        self.current, self._writer = link, LinkWriter(link)
        self._writing = asyncio.ensure_future(self._guard(self._writer.run))

    def leave(self) -> None:
        """Note that there is no link now. What is put in from now on is for `finish`."""
        self.stop_writing()
        self.current = None

    def put(self, packets: Iterable[Packet]) -> None:
        """Send these packets on the link, if there is one or was one."""
        if self._writer is not None:
            self._writer.put(packets)

    def tell(self, problems: Sequence[Problem]) -> None:
        """Tell the station what is wrong, if the host is at one."""
        if self._writer is not None and self.current is not None:
            self._writer.tell(problems)

    async def finish(self) -> None:
        """Send the last packets, unless that takes long."""
        if self._writer is not None:
            await self._writer.finish()

    def keep(self, link: Link) -> None:
        """Leave it to `end_former` to end this link."""
        self._former.append(link)

    async def end_former(self) -> None:
        """End the links that the host was on before."""
        while self._former:
            await hang_up(self._former[-1])
            self._former.pop()

    def stop_writing(self) -> None:
        """Write nothing more to the link."""
        if self._writing is not None:
            self._writing.cancel()
