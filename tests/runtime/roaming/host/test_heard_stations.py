"""What a host does with the beacons that it hears (001 §2), whoever sent them."""

import asyncio
import socket
from itertools import count

import pytest
from websockets.asyncio.server import ServerConnection, serve

from antecede.core.errors import Misuse
from antecede.runtime import Host, NoBeacons, StationHeard
from antecede.runtime.roaming.beacon import BYTES_MAX, Beacon, parse_address, write_beacon
from antecede.runtime.roaming.host.heard_stations import MISSING_MAX, OTHERS_MAX, HeardStations
from antecede.runtime.roaming.station.announcer import Announcer
from antecede.runtime.roaming.tokens import issue
from tests.runtime.cells import KEY, cells, until, url
from tests.runtime.ports import free_port

DEAD = "ws://127.0.0.1:9"
NEAR = Beacon("roam", "s1", "ws://127.0.0.1:7001", 1.0)


class Ear:
    """A host's hearing, whose time a test sets. It was given `NEAR` only."""

    def __init__(self) -> None:
        self.now, self.near = 0.0, list[str]()
        self.heard = HeardStations(None, [NEAR.url], self.near.append, clock=lambda: self.now)

    def take(self, beacon: Beacon) -> None:
        self.heard.take(write_beacon(beacon))

    @property
    def names(self) -> list[str]:
        return [station.station for station in self.heard.stations()]


def send(beacon: Beacon, to: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as air:
        air.sendto(write_beacon(beacon), parse_address(to))


def test_a_station_is_near_until_three_beacons_in_a_row_are_missing() -> None:
    ear = Ear()
    ear.take(NEAR)
    ear.now = MISSING_MAX * NEAR.every_s
    assert ear.heard.stations() == [StationHeard("s1", "roam", NEAR.url, 3.0)]
    ear.now += 0.1
    assert ear.heard.stations() == []
    assert not ear.heard.has(NEAR.url)
    ear.take(NEAR)
    ear.take(NEAR)
    assert ear.near == [NEAR.url, NEAR.url], "once for each time that it came near"


def test_the_station_that_was_heard_last_is_the_first() -> None:
    ear = Ear()
    for name in ("s1", "s2", "s3", "s1"):
        ear.now += 0.1
        ear.take(Beacon("roam", name, f"ws://{name}:1"))
    assert ear.names == ["s1", "s3", "s2"]


def test_strangers_are_kept_up_to_a_limit_and_take_no_room_from_stations_of_the_list() -> None:
    ear, number = Ear(), count()

    def forge() -> None:
        for _ in range(OTHERS_MAX + 50):
            ear.take(NEAR._replace(station="forged", url=f"ws://forged:{next(number)}"))

    forge()
    assert ear.names == ["forged"] * OTHERS_MAX
    ear.take(NEAR)
    assert sorted(ear.names) == ["forged"] * OTHERS_MAX + ["s1"]
    assert ear.near == [NEAR.url], "a stranger is nothing to go to"
    ear.now += 10.0
    forge()
    assert len(ear.heard._heard) == OTHERS_MAX, "those that are not heard any more make room"


def test_what_is_not_a_beacon_is_ignored() -> None:
    ear = Ear()
    for data in (b"", b"\x00" * (BYTES_MAX + 1), b"{}", write_beacon(NEAR)[:-1]):
        ear.heard.take(data)
    assert ear.names == ear.near == []


def test_an_address_that_is_none_is_refused_before_anything_is_opened() -> None:
    with pytest.raises(Misuse, match="give ADDRESS:PORT in IPv4"):
        Host([DEAD], "ann", issue(KEY, "ann"), hear="7007")


@pytest.mark.parametrize("address", ["127.0.0.1", "127.255.255.255"])
def test_2_a_host_that_is_not_connected_hears_the_stations_around_it(address: str) -> None:
    """It goes to the one of its list, and to another when the application says so. Without `hear` it hears nothing."""

    async def scenario() -> None:
        to = f"{address}:{free_port()}"
        async with (
            cells(names=["s1", "s2"], announce=to, announce_every_s=0.05) as at,
            Host([DEAD, url(at["s2"])], "ann", issue(KEY, "ann"), hear=to) as ann,
            Host([url(at["s1"])], "deaf", issue(KEY, "deaf")) as deaf,
        ):
            await until(lambda: len(ann.stations_heard()) == 2)
            assert await ann.connected() == "s2"
            heard = {station.station: station for station in ann.stations_heard()}
            assert {name: (one.space, one.url) for name, one in heard.items()} == {
                name: ("roam", url(at[name])) for name in at
            }
            assert await ann.move(heard["s1"].url) == "s1"
            await deaf.connected()
            assert deaf.stations_heard() == []

    asyncio.run(scenario())


def test_2_two_hosts_of_one_machine_hear_the_same_broadcast() -> None:
    async def scenario() -> None:
        to = f"127.255.255.255:{free_port()}"
        async with (
            cells(names=["s1"], announce=to, announce_every_s=0.05),
            Host([DEAD], "ann", issue(KEY, "ann"), hear=to) as ann,
            Host([DEAD], "bob", issue(KEY, "bob"), hear=to) as bob,
        ):
            await until(lambda: ann.stations_heard() and bob.stations_heard())

    asyncio.run(scenario())


def test_a_host_never_connects_to_a_url_that_only_a_beacon_named() -> None:
    """Whoever forges a beacon would get its token."""
    visitors = list[str]()

    async def attend(socket: ServerConnection) -> None:
        visitors.append(str(await socket.recv()))

    async def scenario() -> None:
        to = f"127.0.0.1:{free_port()}"
        async with (
            serve(attend, "127.0.0.1", 0) as server,
            cells(names=["s1"]) as at,
            Host([DEAD, url(at["s1"])], "ann", issue(KEY, "ann"), hear=to) as ann,
        ):
            forged = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
            while not ann.stations_heard():
                send(Beacon("roam", "s1", forged, 60.0), to)
                await asyncio.sleep(0.01)
            assert await ann.connected() == "s1"
            at["s1"]._connections["ann"].socket.transport.abort()
            await until(lambda: ann.station is None)
            assert await ann.connected() == "s1"
            assert [station.url for station in ann.stations_heard()] == [forged]
        assert visitors == []

    asyncio.run(scenario())


def test_2_a_host_leaves_no_station_because_its_beacon_stops() -> None:
    """The connection tells whether a station is there. A beacon of another says only where to go if it is not."""

    async def scenario() -> None:
        to = f"127.0.0.1:{free_port()}"
        async with cells(names=["s1", "s2"]) as at:
            urls = [url(at["s1"]), url(at["s2"])]
            async with Host(urls, "ann", issue(KEY, "ann"), hear=to) as ann:
                assert await ann.connected() == "s1"
                at["s2"].announce(Announcer(to, Beacon("roam", "s2", urls[1], 0.05)))
                await until(lambda: [one.station for one in ann.stations_heard()] == ["s2"])
                await asyncio.sleep(0.2)
                assert ann.station == "s1"

    asyncio.run(scenario())


def test_an_address_that_cannot_be_used_is_a_problem_and_is_tried_again() -> None:
    async def scenario() -> None:
        to = f"127.0.0.1:{free_port()}"
        async with cells(names=["s1"], announce=to, announce_every_s=0.05) as at:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
                other.bind(parse_address(to))  # alone, as other programs do
                ann = await Host([url(at["s1"])], "ann", issue(KEY, "ann"), hear=to).__aenter__()
                await until(lambda: [one for one in ann.problems() if isinstance(one, NoBeacons)])
                (problem,) = ann.problems()
                assert (problem.kind, problem.key) == ("no beacons", "")
                assert str(problem).startswith(f"no beacons are heard at {to}: Address already in use. Hosts use the ")
                assert await ann.connected() == "s1", "it does without"
            await until(ann.stations_heard)
            assert ann.problems() == []
            await ann.close()

    asyncio.run(scenario())


def test_a_beacon_that_cannot_be_sent_is_a_problem_of_the_station() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            announcer = Announcer("127.0.0.1:7", Beacon("roam", "s1", url(at["s1"]), 0.05))
            announcer._address = ("127.0.0.1", 0)  # the system sends nothing there
            at["s1"].announce(announcer)
            await until(at["s1"].problems)
            (problem,) = at["s1"].problems()
            assert isinstance(problem, NoBeacons)
            assert str(problem).startswith("no beacons are sent to 127.0.0.1:7: Invalid argument. ")
            announcer._address = ("127.0.0.1", free_port())
            await until(lambda: not at["s1"].problems())

    asyncio.run(scenario())


def test_a_group_of_multicast_is_joined() -> None:
    """On an interface that the system chooses. If it has none for multicast, that is a problem in words."""

    async def scenario() -> None:
        to = f"239.255.77.7:{free_port()}"
        async with Host([DEAD], "ann", issue(KEY, "ann"), hear=to) as ann:
            await until(lambda: ann._heard.trouble or _is_member("239.255.77.7"))

    asyncio.run(scenario())


def _is_member(group: str) -> bool:
    """Return whether this machine is in the group, as Linux writes it."""
    written = socket.inet_aton(group)[::-1].hex().upper()
    with open("/proc/net/igmp", encoding="ascii") as lines:
        return any(written in line for line in lines)
