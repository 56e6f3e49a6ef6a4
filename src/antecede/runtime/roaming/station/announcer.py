"""What sends the beacon of a station, again and again, whether anybody listens or not (001 §2)."""

from __future__ import annotations

import asyncio
import socket

from antecede.runtime.roaming.beacon import Beacon, parse_address, write_beacon


class Announcer:
    """Sends the beacon of one station to `to`, an ADDRESS:PORT. `run` is a background task of the station."""

    def __init__(self, to: str, beacon: Beacon) -> None:
        self.to, self._address = to, parse_address(to)
        self._data, self._every_s = write_beacon(beacon), beacon.every_s
        self.trouble = ""
        """Why the last beacon could not be sent, or an empty string."""

    async def run(self) -> None:
        """Send the beacon periodically, for ever. What fails is tried again at the next beacon."""
        while True:
            try:
                self._send()
                self.trouble = ""
            except OSError as error:
                self.trouble = error.strerror or repr(error)
            await asyncio.sleep(self._every_s)

    def _send(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as air:
            air.setblocking(False)
            air.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            air.sendto(self._data, self._address)
