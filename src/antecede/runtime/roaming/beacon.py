"""Beacons (001 §2): a station tells its network where it is, so that hosts that are not connected learn of it.

    {"antecede_beacon": 1, "space": "roam", "station": "s1", "url": "wss://gate.example:7001", "every_s": 1.0}

This is one UDP datagram, sent to a broadcast, multicast or unicast address every `every_s` seconds. Nothing signs it,
because a host has no key by which it could tell: whoever can send a datagram to the address can forge one. So a beacon
is a hint. A host uses it to choose among the stations that it was given, and shows the others to the application; it
never sends its token to a URL that only a beacon has named.
"""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

from antecede.core.errors import Misuse, WireError, too_new
from antecede.core.roster import NAME_BYTES_MAX
from antecede.core.types import ProcessId
from antecede.runtime.frames import BEACON_VERSION
from antecede.runtime.roaming.websocket import read_text, write_text

BYTES_MAX = 2_048
"""The longest beacon: two names and a URL of the greatest length fit."""
URL_CHARS_MAX = 300
URL = re.compile(r"wss?://[!-~]+")
EVERY_S = 1.0
EVERY_S_MIN, EVERY_S_MAX = 0.05, 3_600.0


class Beacon(NamedTuple):
    """What a station says of itself: its space, its name, its address for hosts, and how often it says so."""

    space: str
    station: ProcessId
    url: str
    every_s: float = EVERY_S


def write_beacon(beacon: Beacon) -> bytes:
    """Return the datagram of a beacon. Raise `Misuse` if no host could read it."""
    data = write_text({"antecede_beacon": BEACON_VERSION, **beacon._asdict()}).encode()
    try:
        read_beacon(data)
    except WireError as error:
        raise Misuse(f"{beacon} cannot be announced: {error}") from None
    return data


def read_beacon(data: bytes) -> Beacon:
    """Return the beacon in a datagram. Raise `WireError` for what no station sends. Unknown fields are ignored."""
    if len(data) > BYTES_MAX:
        raise WireError(f"a datagram of more than {BYTES_MAX} bytes")
    try:
        found = read_text(data.decode())
    except UnicodeDecodeError:
        raise WireError("a datagram that is not text") from None
    version, url = found.get("antecede_beacon"), found.get("url")
    if type(version) is int and version > BEACON_VERSION:
        raise WireError(too_new("the beacon", version, BEACON_VERSION))
    if type(version) is not int or version != BEACON_VERSION:
        raise WireError("a datagram that is not a beacon")
    if not isinstance(url, str) or len(url) > URL_CHARS_MAX or not URL.fullmatch(url):
        raise WireError(f"a beacon without the address of a station, of at most {URL_CHARS_MAX} characters")
    space, station = _read_name(found.get("space")), _read_name(found.get("station"))
    return Beacon(space, station, url, _read_period(found.get("every_s")))


def _read_name(found: object) -> str:
    """Return a name. It has no character that a terminal obeys, or that cannot be written."""
    if not isinstance(found, str) or not found.isprintable() or not 1 <= len(found.encode()) <= NAME_BYTES_MAX:
        raise WireError(f"a beacon without a name of 1 to {NAME_BYTES_MAX} bytes that can be printed")
    return found


def _read_period(found: object) -> float:
    if not isinstance(found, int | float) or found is True or not EVERY_S_MIN <= found <= EVERY_S_MAX:
        raise WireError(f"a beacon that does not come every {EVERY_S_MIN:g} to {EVERY_S_MAX:g} s")
    return float(found)


def parse_address(text: str) -> tuple[str, int]:
    """Return the IPv4 address and the port of ADDRESS:PORT. Raise `Misuse` if the text does not have this form."""
    host, _, port = text.rpartition(":")
    try:
        ipaddress.IPv4Address(host)
        if port.isdecimal() and 0 < int(port) <= 65_535:
            return host, int(port)
    except ValueError:
        pass
    raise Misuse(f"{text!r} is not where beacons go: give ADDRESS:PORT in IPv4, such as 192.0.2.255:7007")
