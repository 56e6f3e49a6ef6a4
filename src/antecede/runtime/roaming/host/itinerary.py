"""Which station a host is with: one after the other, the next connection made before the last one ends.

A station that was asked for (`want`) comes first; otherwise, when the present one is gone, the next of the list, ever
more slowly. What is done at a station is the host's affair: it is told of every link that it is on, reads it, and is
told when there is none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from antecede.runtime.background import end
from antecede.runtime.roaming.host.link import Link, NoStation, hang_up
from antecede.runtime.transport.nats.options import shown_address

BACK_OFF_S = (0.05, 5.0)
"""The first and the longest pause after a station that could not be reached."""
LUGGAGE_AWAITED = (
    "waits for the state (luggage) of this host from the station that keeps it: start that one, if it does not run. "
    "`antecede status` names it"
)


class LinkUser(Protocol):
    """The host that an itinerary takes from station to station."""

    def enter(self, link: Link) -> None:
        """Use `link` from now on."""
        ...

    async def read(self, link: Link) -> None:
        """Read everything that the station says. Raise `NoStation` when it says no more."""
        ...

    def lose(self, link: Link) -> None:
        """Note that there is no link now: `link` was the last one."""
        ...

    def note_change(self) -> None:
        """Wake everybody who waits for a change."""
        ...


class Itinerary:
    """The stations of one host, one after the other. `open` makes the link to a URL, or raises `NoStation`."""

    def __init__(self, urls: list[str], open: Callable[[str], Awaitable[Link]], user: LinkUser) -> None:
        self._urls, self._open, self._user = urls, open, user
        self._at = 0
        self._turn = asyncio.Event()
        self.wanted: str | None = None
        self.trouble = ""
        """Why no station serves the host, if none does."""
        self.failed_move: tuple[str, str] | None = None
        """The last station that was wanted and could not be reached, as it may be shown, and why; None if the last move
        succeeded.
        """

    def want(self, url: str) -> None:
        """Go to the station at `url`. `wanted` is None again when the host is there, or has given up."""
        if url not in self._urls:
            self._urls.append(url)
        self.wanted = url
        self._turn.set()

    async def run(self) -> None:
        """Keep the host linked to a station, for ever: to the one that is wanted, or else to the next of the list."""
        pause_s, longest_s = BACK_OFF_S
        while True:
            url = self.wanted or self._urls[self._at % len(self._urls)]
            try:
                link = await self._open(url)
                pause_s = BACK_OFF_S[0]
                await self._stay(link)
            except NoStation as error:
                self.trouble = str(error)
                if self.wanted is None:
                    self._at += 1
                elif self.wanted == url:
                    self._give_up(url, str(error))
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, longest_s)

    async def _stay(self, link: Link) -> None:
        try:
            while True:
                self._enter(link)
                reading = asyncio.create_task(self._user.read(link))
                try:
                    following = await self._next(reading)
                finally:
                    await end([reading])
                link = following
        finally:
            self._user.lose(link)
            await hang_up(link)

    async def _next(self, reading: asyncio.Task[None]) -> Link:
        """Wait for the next station that is wanted, and return the link to it.

        Raise `NoStation` if the connection that `reading` reads has ended.
        """
        while True:
            turning = asyncio.create_task(self._turn.wait())
            try:
                await asyncio.wait((reading, turning), return_when=asyncio.FIRST_COMPLETED)
            finally:
                turning.cancel()
            if reading.done():
                reading.result()
            self._turn.clear()
            if self.wanted is None:
                continue
            url = self.wanted
            try:
                return await self._open(url)
            except NoStation as error:
                self._give_up(url, str(error))

    def _enter(self, link: Link) -> None:
        self._at = self._urls.index(link.url)
        self.trouble = f"{link.station} has answered, and {LUGGAGE_AWAITED}"
        if self.wanted == link.url:
            self.wanted = self.failed_move = None
        self._user.enter(link)

    def _give_up(self, url: str, reason: str) -> None:
        """Stop wanting the station at `url`, which cannot be reached, and remember why."""
        if self.wanted == url:
            self.wanted, self.failed_move = None, (shown_address(url), reason)
        self._user.note_change()
