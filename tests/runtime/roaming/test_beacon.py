"""Beacons of stations (001 §2): what goes into a datagram comes out of it, and nothing else is taken."""

import asyncio
import json
import random
import socket
from typing import Any

import pytest

from antecede.core.errors import Misuse, WireError
from antecede.runtime.roaming.beacon import BYTES_MAX, Beacon, parse_address, read_beacon, write_beacon
from tests.runtime.cells import cells, url
from tests.runtime.ports import free_port

BEACON = Beacon("roam", "zoë", "wss://gate.example:7001", 1.0)
SAID = json.loads(write_beacon(BEACON))
LONGEST = Beacon("\u00e9" * 127, "\u00e9" * 127, "ws://" + "a" * 295, 3_600.0)
DATAGRAMS = 20_000


def test_a_beacon_comes_back() -> None:
    assert read_beacon(write_beacon(BEACON)) == BEACON
    assert read_beacon(write_beacon(LONGEST)) == LONGEST
    assert len(write_beacon(LONGEST)) <= BYTES_MAX


def test_a_beacon_of_a_later_release_may_have_more_fields() -> None:
    assert read_beacon(json.dumps({**SAID, "load": 3}).encode()) == BEACON


def test_a_later_version_says_so() -> None:
    with pytest.raises(WireError, match="the beacon has version 2, and this release reads versions up to 1"):
        read_beacon(json.dumps({**SAID, "antecede_beacon": 2}).encode())


@pytest.mark.parametrize(
    "wrong",
    [
        *({"antecede_beacon": version} for version in (None, True, 0, "1", 1.0)),
        *(
            {"url": url}
            for url in (None, "", "http://a", "ws://", "ws://a b", "ws://a\n", "ws://ü", "ws://" + "a" * 296)
        ),
        *({"station": name} for name in (None, "", "s1\x1b[2J", "\ud800", "s" * 256, ["s1"])),
        *({"space": name} for name in (None, "", "\u202e", 7)),
        *({"every_s": period} for period in (None, True, "1", 0, -1, 0.04, 3601, 10**400, float("nan"), float("inf"))),
    ],
)
def test_what_no_station_says_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        read_beacon(json.dumps({**SAID, **wrong}).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"7", b"{}", b"\xff", b"[" * 2_000, b" " * (BYTES_MAX + 1), b"\x00" * 99])
def test_what_is_not_a_beacon_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        read_beacon(data)


def damaged(chance: random.Random) -> bytes:
    """Return a beacon with a few bytes or fields that are not right."""
    junk: list[Any] = [None, True, -1, 10**30, 1e308, "", "\x07", "a" * 400, [], {}, [[]], {"a": "b"}]
    if chance.random() < 0.5:
        return json.dumps({**SAID, chance.choice([*SAID, "more"]): chance.choice(junk)}).encode()
    data = bytearray(write_beacon(BEACON))
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data))
        data[at : at + chance.randint(0, 2)] = chance.randbytes(chance.randint(0, 3))
    return bytes(data)


def test_damaged_datagrams_are_refused_or_are_beacons_like_any_other() -> None:
    refused = 0
    for seed in range(DATAGRAMS):
        data = damaged(random.Random(seed))
        try:
            found = read_beacon(data)
        except WireError:
            refused += 1
        except Exception as error:  # whatever it is, it is a finding
            pytest.fail(f"damaged(random.Random({seed})) is {data!r}: {error!r}")
        else:
            assert read_beacon(write_beacon(found)) == found, f"seed {seed}"
    assert DATAGRAMS / 2 < refused < DATAGRAMS


@pytest.mark.parametrize(
    "text", ["", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "localhost:7", "[::1]:7", "1.2.3:7", "127.0.0.1:x"]
)
def test_an_address_is_one_of_ipv4_with_a_port(text: str) -> None:
    with pytest.raises(Misuse, match="give ADDRESS:PORT in IPv4"):
        parse_address(text)
    assert parse_address("224.0.0.251:7007") == ("224.0.0.251", 7007)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.255.255.255"])
def test_2_every_station_broadcasts_its_beacon_periodically(address: str) -> None:
    """001 §2. Nobody is connected, and nothing but the space, the name, the URL and the period is told."""

    async def scenario() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as air:
            air.setblocking(False)
            air.bind((address, free_port()))
            to = f"{address}:{air.getsockname()[1]}"
            async with cells(names=["s1", "s2"], announce=to, announce_every_s=0.05) as at, asyncio.timeout(20):
                loop = asyncio.get_running_loop()
                heard = [read_beacon(await loop.sock_recv(air, BYTES_MAX)) for _ in range(8)]
                assert set(heard) == {Beacon("roam", name, url(at[name]), 0.05) for name in at}

    asyncio.run(scenario())


def test_nothing_is_announced_unless_it_is_asked_for() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            assert at["s1"]._view.announcer is None

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"announce": "nowhere"}, "give ADDRESS:PORT"),
        ({"announce": "127.0.0.1:7", "listen": ("0.0.0.0", 0)}, "give announce_url"),
        ({"announce": "127.0.0.1:7", "listen": ("::", 0)}, "give announce_url"),
        ({"announce": "127.0.0.1:7", "announce_every_s": 0.0}, "does not come every 0.05 to 3600 s"),
        ({"announce": "127.0.0.1:7", "announce_url": "http://gate"}, "without the address of a station"),
        ({"announce_url": "ws://gate:1"}, "give announce, too"),
    ],
)
def test_what_cannot_be_announced_is_refused_before_anything_is_started(settings: dict[str, Any], said: str) -> None:
    async def scenario() -> None:
        async with cells(names=["s1"], **settings):
            pytest.fail("it was started")

    with pytest.raises(Misuse, match=said):
        asyncio.run(scenario())


def test_the_url_is_the_one_that_hosts_were_given() -> None:
    async def scenario() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as air:
            air.setblocking(False)
            air.bind(("127.0.0.1", free_port()))
            to = f"127.0.0.1:{air.getsockname()[1]}"
            async with cells(names=["s1"], announce=to, announce_url="wss://gate.example:443"), asyncio.timeout(20):
                heard = read_beacon(await asyncio.get_running_loop().sock_recv(air, BYTES_MAX))
            assert heard.url == "wss://gate.example:443"

    asyncio.run(scenario())
