"""The stations whose beacons a host hears (001 §2): which of its stations are near, and which others there are.

A host is near a station for as long as it hears the beacon of it: until three in a row are missing. What comes is
hostile until it is decoded. What is kept is bounded, and so is the time that datagrams take from the host.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Collection
from typing import NamedTuple

from antecede.core.errors import WireError
from antecede.core.types import ProcessId
from antecede.runtime.roaming.beacon import BYTES_MAX, Beacon, parse_address, read_beacon

MISSING_MAX = 3
"""So many beacons of a station are missing when it is not near any more."""
OTHERS_MAX = 100
"""How many stations are kept that the host was not given."""
PAUSE_S = 0.002
"""The pause after each datagram. If more come than the host looks at, the system drops them."""
BIND_AGAIN_S = 2.0


class StationHeard(NamedTuple):
    """A station whose beacon is heard, as it says. Nothing of it is known to be true. `age_s` is that of the last one.

    The host connects by itself only to a `url` that it was given; for another one the application may call `move`.
    """

    station: ProcessId
    space: str
    url: str
    age_s: float


class HeardStations:
    """What a host hears at `at`, an ADDRESS:PORT, or nothing without one. `given` are the URLs that the host may use;
    the list may grow. `near` is called with a URL of these whose beacon is heard and was not heard before.
    """

    def __init__(
        self, at: str | None, given: Collection[str], near: Callable[[str], None], *, clock: Callable[[], float]
    ) -> None:
        self.at, self._address = at, None if at is None else parse_address(at)
        self._given, self._near, self._clock = given, near, clock
        self._heard: dict[str, tuple[Beacon, float]] = {}
        self.trouble = ""
        """Why nothing is heard, or an empty string."""

    def has(self, url: str) -> bool:
        """Return whether the beacon of the station at `url` is heard."""
        if url not in self._heard:
            return False
        beacon, at = self._heard[url]
        return self._clock() - at <= MISSING_MAX * beacon.every_s

    def stations(self) -> list[StationHeard]:
        """Return the stations that are heard, the one that was heard last first."""
        now = self._clock()
        found = [
            StationHeard(beacon.station, beacon.space, url, now - at)
            for url, (beacon, at) in self._heard.items()
            if self.has(url)
        ]
        return sorted(found, key=lambda station: station.age_s)

    async def run(self) -> None:
        """Listen for ever. If the address cannot be used, that is a problem, and it is tried again."""
        while self._address is not None:
            try:
                with _open(*self._address) as air:
                    self.trouble = ""
                    await self._listen(air)
            except OSError as error:
                self.trouble = error.strerror or repr(error)
            await asyncio.sleep(BIND_AGAIN_S)

    def take(self, data: bytes) -> None:
        """Take a datagram. One that is not a beacon is ignored, and so is an unknown station if there are too many."""
        try:
            beacon = read_beacon(data)
        except WireError:
            return
        is_new = not self.has(beacon.url)
        is_given = beacon.url in self._given
        if is_new and not is_given and not self._has_room():
            return
        self._heard[beacon.url] = beacon, self._clock()
        if is_new and is_given:
            self._near(beacon.url)

    def _has_room(self) -> bool:
        """Forget the stations that are not heard any more. Return whether there is room for one more."""
        self._heard = {url: heard for url, heard in self._heard.items() if self.has(url)}
        return sum(url not in self._given for url in self._heard) < OTHERS_MAX

    async def _listen(self, air: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self.take(await loop.sock_recv(air, BYTES_MAX + 1))
            await asyncio.sleep(PAUSE_S)


def _open(host: str, port: int) -> socket.socket:
    """Return a socket at this address, which other hosts of the machine may use too. It joins a multicast group."""
    air = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        air.setblocking(False)
        air.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        air.bind((host, port))
        if ipaddress.IPv4Address(host).is_multicast:
            group, interface = socket.inet_aton(host), bytes(4)  # whatever interface the system chooses
            air.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group + interface)
    except BaseException:
        air.close()
        raise
    return air
