"""Stations that stop while a message still waits for something, or are killed before luggage came."""

import asyncio
from pathlib import Path

import pytest

from antecede.core.mobile.host_and_station_frames import Register
from antecede.core.types import Packet
from antecede.core.wire.packets import encode
from antecede.runtime import MemoryNetwork, frames
from antecede.runtime.roaming.home_station import home
from antecede.runtime.roaming.station.serve import policy
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.websocket import AirLimits
from tests.runtime.cells import WAIT_S, cat_lacks_one, cells, host, introduced, until, url


async def close(server: StationServer) -> None:
    async with asyncio.timeout(WAIT_S):
        await server.close()
    assert server.counts()["connections"] == 0


def test_a_station_stops_while_a_message_waits_for_room_in_the_outbox() -> None:
    async def scenario() -> None:
        network = MemoryNetwork()
        async with (
            cells(network, limits=AirLimits(outbox=5)) as at,
            host(at["s1"], "ann") as ann,
            host(at["s2"], "bob") as bob,
        ):
            await ann.connected()
            await bob.connected()
            await until(lambda: all(server.counts()["known"] == 2 for server in at.values()))
            network.partition({"s1"}, {"s2", "s3"})
            for number in range(20):
                await ann.send({"bob"}, b"%d" % number)
                await until(lambda: at["s1"].counts()["outbox"] == 5 or not ann.unsent)
            assert ann.unsent
            await close(at["s1"])

    asyncio.run(scenario())


def test_a_station_stops_while_a_message_waits_for_room_to_be_held_back() -> None:
    """bob and cat are at s3, and what bob says to cat waits for ann, who is cut off."""

    async def scenario() -> None:
        network = MemoryNetwork()
        async with cat_lacks_one(network, limits=AirLimits(held_back=2)) as (at, (_, bob, _)):
            await bob.move(url(at["s3"]))
            for number in range(4):
                await bob.send({"cat"}, b"%d" % number)
            await until(lambda: at["s3"].counts()["held_back"] == 2 and bob.unsent == 2)
            tried = at["s3"].counts()["heard"]
            await until(lambda: at["s3"].counts()["heard"] > tried + 2)  # the third is tried again and again
            network.partition({"s1", "s2"}, {"s3"})  # or s2 would take bob over, when he goes there
            await close(at["s3"])

    asyncio.run(scenario())


def test_a_station_stops_while_a_message_waits_for_word_of_its_destination() -> None:
    async def scenario() -> None:
        async with cells(limits=AirLimits(stranger_s=3_600)) as at, host(at["s1"], "ann") as ann:
            await ann.connected()
            await ann.send({"zed"}, b"are you there?")
            await until(lambda: next(iter(at["s1"]._connections.values())).said == 1)
            await close(at["s1"])

    asyncio.run(scenario())


def test_a_station_killed_before_the_luggage_came_drops_for_a_host_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The luggage of `name` is at s1, out of reach, when it registers at s2, which is killed, and never comes back."""
    name = next(f"host{number}" for number in range(100) if home(f"host{number}", ("s1", "s2")) == "s1")
    register = frames.packets(0, [encode(Packet(name, None, Register(1, "-")))])

    async def scenario() -> None:
        network = MemoryNetwork()
        async with cells(network, ["s1", "s2"], store=tmp_path, rules=policy("drop")) as at:
            network.partition({"s1"}, {"s2"})
            async with introduced(at["s2"], name) as socket:
                await socket.send(register)
                await until(lambda: at["s2"].counts()["awaited"] == 1)
                monkeypatch.setattr(
                    at["s2"].durable, "disconnect", lambda *_: None
                )  # killed: it does not see the host go
                await at["s2"].close()
        network.heal()
        async with cells(network, ["s1", "s2"], store=tmp_path, rules=policy("drop")) as at:
            await until(lambda: at["s2"].counts()["hosts"] == 1)
            async with host(at["s1"], "dan") as dan:
                await dan.send({name}, b"are you there?")
                await until(lambda: at["s2"].counts()["dropped"] == 1)
            assert at["s2"].counts()["stored"] == 0

    asyncio.run(scenario())
