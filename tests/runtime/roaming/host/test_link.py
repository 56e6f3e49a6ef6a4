"""Who answers a host and is not a station, says what no station says, or falls silent: the host looks for another."""

import asyncio
from functools import partial
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.frames import Frame, Opcode
from websockets.protocol import Event

from antecede.core.mobile.host_and_station_frames import Leave, Register, RegisterFrom
from antecede.runtime.background import end
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.host import Host
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.roaming.websocket import AirLimits
from tests.runtime.cells import KEY, acquainted, cells, host, taken, until, url

GREETING = '{"station": "s1", "frame_bytes": 8192}'


def trouble_with(trouble: str, *said: str) -> None:
    """Wait until a host that keeps no state names a trouble with somebody who says this after the hello."""

    async def attend(socket: ServerConnection) -> None:
        await socket.recv()
        for each in said:
            await socket.send(each)
        await socket.wait_closed()

    async def scenario() -> None:
        async with serve(attend, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with Host([f"ws://127.0.0.1:{port}"], "ann", issue(KEY, "ann")) as ann:
                await until(lambda: trouble in ann.trouble())

    asyncio.run(scenario())


@pytest.mark.parametrize("answer", ['{"station": "s1", "frame_bytes": Infinity}', '{"station": "s1"}', "[]", "?"])
def test_who_answers_like_no_station_is_not_one(answer: str) -> None:
    trouble_with("is not a station", answer)


@pytest.mark.parametrize(
    "notice", ['{"sent": -5, "got": 3}', '{"sent": 1e30, "got": 0}', '{"sent": 3}', '{"sent": true, "got": 0}', "5"]
)
def test_a_notice_that_cannot_be_right_is_not_believed(notice: str) -> None:
    """A host that keeps no state would number its messages by it."""
    trouble_with("sent a frame that is not valid", GREETING, notice)


class CountingPings(ClientConnection):
    """A connection that counts the pings of the station."""

    pings = 0

    def process_event(self, event: Event) -> None:
        self.pings += isinstance(event, Frame) and event.opcode is Opcode.PING
        super().process_event(event)


def test_a_station_announces_itself_to_its_hosts_periodically() -> None:
    """By a ping, though nobody says anything."""

    async def scenario() -> None:
        async with (
            cells(names=["s1"], limits=AirLimits(ping_s=0.2)) as at,
            connect(url(at["s1"]), proxy=None, ping_interval=None, create_connection=CountingPings) as socket,
        ):
            await socket.send(websocket.hello(issue(KEY, "ann"), "1"))
            assert isinstance(socket, CountingPings)
            await until(lambda: socket.pings >= 3)

    asyncio.run(scenario())


def test_a_host_notices_a_station_that_no_longer_announces_itself_and_is_served_by_another() -> None:
    """The connection stays open, and the station runs, but it reads nothing of this host any more."""

    async def scenario() -> None:
        async with cells(names=["s1", "s2"]) as at:
            urls = [url(at["s1"]), url(at["s2"])]
            async with Host(urls, "ann", issue(KEY, "ann"), ping_s=0.5) as ann, host(at["s2"], "bob") as bob:
                await acquainted(at, ann, bob)
                assert ann.station == "s1"
                at["s1"]._connections["ann"].socket.transport.pause_reading()
                await until(lambda: ann.station == "s2")
                await bob.send("ann", b"you are here now")
                assert await taken(ann, 1) == [b"you are here now"]

    asyncio.run(scenario())


@pytest.mark.parametrize(("takes", "registers"), [("", [Register(2, "-")]), ('"left"', [RegisterFrom(2, "-", "s1")])])
def test_a_host_that_was_not_welcomed_names_the_cell_that_it_left_to_a_station_that_takes_it(
    takes: str, registers: list[Register], tmp_path: Path
) -> None:
    """Stations of earlier releases refuse a kind of packet that they do not know."""
    heard: dict[str, list[object]] = {"s1": [], "s2": []}

    async def attend(station: str, socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(f'{{"station": "{station}", "frame_bytes": 8192, "takes": [{takes}]}}')
        async for said in socket:
            heard[station] += [packet.stamp for packet, _ in websocket.read_packets(said)]

    async def scenario() -> None:
        async with (
            serve(partial(attend, "s1"), "127.0.0.1", 0) as first,
            serve(partial(attend, "s2"), "127.0.0.1", 0) as second,
        ):
            ports = [next(iter(server.sockets)).getsockname()[1] for server in (first, second)]
            urls = [f"ws://127.0.0.1:{port}" for port in ports]
            async with Host(urls[:1], "ann", issue(KEY, "ann"), path=tmp_path / "ann") as ann:
                await until(lambda: heard["s1"])
                moving = asyncio.create_task(ann.move(urls[1]))
                await until(lambda: heard["s2"])
                await end([moving])
        assert heard == {"s1": [Register(1, "-")], "s2": [*registers, Leave(2)]}

    asyncio.run(scenario())
