"""Which station a host is with: one after the other, the next connection made before the last one ends.

A station that was asked for (`want`) comes first; otherwise, when the present one is gone, the next of the list, ever
more slowly. If beacons are heard (001 §2), the stations of the list that are heard come before the others, and one that
is heard anew is tried at once. Each is tried once in a round all the same, because anybody can forge a beacon.

What is done at a station is the host's affair: it is told of every link that it is on, reads it, and is told when there
is none.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

from antecede.runtime.background import run_beside
from antecede.runtime.roaming.host.link import Link, NoStation, hang_up
from antecede.runtime.transport.nats.options import shown_address

BACK_OFF_S = (0.05, 5.0)
SETTLED_S = 1.0
"""How long a connection has to last, so that the pauses after it are short again."""
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
    """The stations of one host, one after the other. `open` makes the link to a URL, or raises `NoStation`. `is_heard`
    tells whether the beacon of the station at a URL is heard. `back_off_s` is the first and the longest pause after a
    station that could not be reached, or that ended the connection before `settled_s` had passed.
    """

    def __init__(
        self,
        urls: list[str],
        open: Callable[[str], Awaitable[Link]],
        user: LinkUser,
        is_heard: Callable[[str], bool],
        *,
        back_off_s: tuple[float, float] = BACK_OFF_S,
        settled_s: float = SETTLED_S,
    ) -> None:
        self._urls, self._open, self._user, self._is_heard = urls, open, user, is_heard
        self._back_off_s, self._settled_s = back_off_s, settled_s
        self._first = 0  # where in the list a round begins
        self._round: list[str] = []  # what is still to be tried in this round
        self._turn, self._fresh = asyncio.Event(), asyncio.Event()
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
        loop, (pause_s, longest_s) = asyncio.get_running_loop(), self._back_off_s
        while True:
            url = self.wanted or self._pick()
            linked = math.inf
            try:
                link = await self._open(url)
                linked = loop.time()
                await self._stay(link)
            except NoStation as error:
                if loop.time() - linked >= self._settled_s:
                    pause_s = self._back_off_s[0]
                self.trouble = str(error)
                if self.wanted == url:
                    self._give_up(url, str(error))
                await self._rest(pause_s)
                pause_s = min(2 * pause_s, longest_s)

    def come_near(self, url: str) -> None:
        """Go to the station at `url` next, if the host has none: it is of the list, and its beacon is heard anew."""
        if url not in self._round:
            self._round.append(url)
        self._fresh.set()

    def _pick(self) -> str:
        """Return the next station of this round: one that is heard, if there is one."""
        if not self._round:
            first = self._first % len(self._urls)
            self._round = [*self._urls[first:], *self._urls[:first]]
        url = next(filter(self._is_heard, self._round), self._round[0])
        self._round.remove(url)
        return url

    async def _rest(self, pause_s: float) -> None:
        """Wait for this long, or until a station comes near."""
        with suppress(TimeoutError):
            async with asyncio.timeout(pause_s):
                await self._fresh.wait()
        self._fresh.clear()

    async def _stay(self, link: Link) -> None:
        try:
            while True:
                self._enter(link)
                async with run_beside(self._user.read(link)) as reading:
                    following = await self._next(reading)
                link = following
        finally:
            self._user.lose(link)
            await hang_up(link)

    async def _next(self, reading: asyncio.Task[None]) -> Link:
        """Wait for the next station that is wanted, and return the link to it.

        Raise `NoStation` if the connection that `reading` reads has ended.
        """
        while True:
            async with run_beside(self._turn.wait()) as turning:
                await asyncio.wait((reading, turning), return_when=asyncio.FIRST_COMPLETED)
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
        self._first, self._round = self._urls.index(link.url) + 1, []
        self._fresh.clear()
        self.trouble = f"{link.station} has answered, and {LUGGAGE_AWAITED}"
        if self.wanted == link.url:
            self.wanted = self.failed_move = None
        self._user.enter(link)

    def _give_up(self, url: str, reason: str) -> None:
        """Stop wanting the station at `url`, which cannot be reached, and remember why."""
        if self.wanted == url:
            self.wanted, self.failed_move = None, (shown_address(url), reason)
        self._user.note_change()
