"""In which order a host tries its stations, and what a beacon changes about it (001 §2)."""

import asyncio
from collections.abc import Container
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from antecede.runtime.roaming.host.itinerary import Itinerary
from antecede.runtime.roaming.host.link import Link, NoStation
from tests.runtime.cells import until

NO_TIME, LONG = (0.0, 0.0), (3600.0, 3600.0)


class Traveller:
    """A host for which no station can be reached. It notes where it has asked."""

    def __init__(self, urls: str, heard: Container[str], back_off_s: tuple[float, float]) -> None:
        self.tried = ""
        self.itinerary = Itinerary(list(urls), self.open, self, heard.__contains__, back_off_s=back_off_s)

    async def open(self, url: str) -> Link:
        self.tried += url
        await asyncio.sleep(0)
        raise NoStation(f"{url} is not there")

    def enter(self, link: Link) -> None:
        raise AssertionError(link)

    async def read(self, link: Link) -> None:
        raise AssertionError(link)

    def lose(self, link: Link) -> None:
        raise AssertionError(link)

    def note_change(self) -> None:
        """Nobody waits."""


async def travel(traveller: Traveller, tries: int) -> str:
    going = asyncio.create_task(traveller.itinerary.run())
    await until(lambda: len(traveller.tried) >= tries)
    going.cancel()
    return traveller.tried[:tries]


@pytest.mark.parametrize(
    ("heard", "tried"), [("", "abcabcabc"), ("c", "cabcabcab"), ("cb", "bcabcabca"), ("z", "abcabcabc")]
)
def test_2_a_host_tries_the_stations_first_that_it_hears_and_each_of_its_list_once_in_a_round(
    heard: str, tried: str
) -> None:
    """A forged beacon cannot keep it from the others, nor send it to a station that it was not given."""
    assert asyncio.run(travel(Traveller("abc", heard, NO_TIME), 9)) == tried


def test_2_a_host_without_a_station_tries_one_at_once_whose_beacon_it_hears_anew() -> None:
    """Else it would wait for an hour: 001 §2, it discovers that it is in the cell after receiving the beacon."""

    async def scenario() -> None:
        heard = set[str]()
        traveller = Traveller("abc", heard, LONG)
        going = asyncio.create_task(traveller.itinerary.run())
        await until(lambda: traveller.tried == "a")
        for url, tried in (("c", "ac"), ("a", "aca"), ("c", "acac")):
            heard.clear()
            heard.add(url)
            traveller.itinerary.come_near(url)
            await until(lambda tried=tried: traveller.tried == tried)
        going.cancel()

    asyncio.run(scenario())


class Unwelcome:
    """A host whose connection ends as soon as it is there. It notes how long its itinerary waits after that."""

    def __init__(self, settled_s: float) -> None:
        self.pauses = list[float]()
        pauses = self.pauses

        class Noted(Itinerary):
            async def _rest(self, pause_s: float) -> None:
                pauses.append(pause_s)
                await asyncio.sleep(0)

        self.itinerary = Noted(["a"], self.open, self, lambda _: False, back_off_s=(1.0, 8.0), settled_s=settled_s)

    async def open(self, url: str) -> Link:
        socket: Any = Mock(close=AsyncMock())
        return Link(socket, url, "s1", 1_000)

    async def read(self, link: Link) -> None:
        raise NoStation(f"{link.station} has closed the connection")

    def enter(self, link: Link) -> None:
        """It is there."""

    def lose(self, link: Link) -> None:
        """It is not there any more."""

    def note_change(self) -> None:
        """Nobody waits."""


@pytest.mark.parametrize(("settled_s", "pauses"), [(3600.0, [1, 2, 4, 8, 8]), (0.0, [1, 1, 1, 1, 1])])
def test_the_pauses_are_short_again_only_after_a_station_that_kept_the_host(
    settled_s: float, pauses: list[float]
) -> None:
    """Otherwise a host that is sent away as soon as it is there comes back twenty times a second."""

    async def scenario() -> list[float]:
        unwelcome = Unwelcome(settled_s)
        going = asyncio.create_task(unwelcome.itinerary.run())
        await until(lambda: len(unwelcome.pauses) >= len(pauses))
        going.cancel()
        return unwelcome.pauses[: len(pauses)]

    assert asyncio.run(scenario()) == pauses
