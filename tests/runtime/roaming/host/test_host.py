"""Hosts that close, lose their connection or move on, at whatever moment: they leave nothing open behind them."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve

from antecede.core.errors import Misuse
from antecede.core.mobile.host_and_station_frames import Register, RegisterFrom, Welcome
from antecede.core.types import Packet
from antecede.core.wire.packets import encode
from antecede.runtime import MemoryNetwork, frames
from antecede.runtime.background import end
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.host import Host
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.state.store_error import StoreError
from tests.runtime.cells import KEY, WAIT_S, cells, host, stored, take, until, url
from tests.runtime.logged import said


def test_an_empty_path_is_refused_before_anything_is_opened() -> None:
    """As `store=""` is by `join`: an empty setting is a mistake, and not a wish for a state in memory."""
    with pytest.raises(Misuse, match="path='' is not a file: give a file, or path=None for a state in memory"):
        Host(["ws://127.0.0.1:9"], "ann", issue(KEY, "ann"), path="")


def test_a_host_that_is_awaited_says_how_it_is_entered() -> None:
    async def scenario() -> None:
        with pytest.raises(Misuse, match="not to be awaited: write `async with Host"):
            await Host(["ws://127.0.0.1:9"], "ann", "token")

    asyncio.run(scenario())


def test_a_host_has_the_attributes_that_it_has() -> None:
    async def scenario() -> None:
        async with Host(["ws://127.0.0.1:9"], "ann", "token") as ann:
            assert not hasattr(ann, "unheard_of")

    asyncio.run(scenario())


def test_a_host_that_closes_breaks_no_rule() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            for number in range(3):
                async with host(at["s1"], f"host{number}") as one:
                    await one.connected()
                await until(lambda: not at["s1"].counts()["connections"])
            assert at["s1"].counts()["closed"] == 0
            assert all(berth.asleep for berth in at["s1"].durable.station.berths.values())

    asyncio.run(scenario())


def test_a_host_closes_whenever_the_connection_ends() -> None:
    """It is lost, and some turns of the event loop later the host is closed."""

    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            for turns in range(10):
                one = host(at["s1"], f"host{turns}")
                await one.__aenter__()
                await one.connected()
                at["s1"]._connections[one.id].socket.transport.abort()
                for _ in range(turns):
                    await asyncio.sleep(0)
                await one.close()
                assert all(task.done() for task in one._driver.background._tasks)

    asyncio.run(scenario())


def test_a_host_whose_store_fails_leaves_nothing_open(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            one = host(at["s1"], "ann", **stored(tmp_path, "ann"))
            await one.__aenter__()
            await one.connected()
            one._durable.store._database.execute("PRAGMA query_only = 1")
            with pytest.raises(StoreError, match="cannot be written"):
                await one.close()
            assert all(task.done() for task in one._driver.background._tasks)
            await until(lambda: not at["s1"].counts()["connections"])
            with pytest.raises(sqlite3.ProgrammingError, match="closed"):
                one._durable.store._database.execute("SELECT 1")

    asyncio.run(scenario())


def test_a_host_that_moves_on_before_it_is_welcome_leaves_no_connection_behind() -> None:
    """Its luggage is at s1, out of reach of the others."""

    async def scenario() -> None:
        network = MemoryNetwork()
        async with cells(network) as at, host(at["s1"], "ann") as ann:
            await ann.connected()
            await until(lambda: all(server.counts()["known"] == 1 for server in at.values()))
            network.partition({"s1"}, {"s2", "s3"})
            for name in ("s2", "s3"):
                moving = asyncio.create_task(ann.move(url(at[name])))
                await until(lambda name=name: at[name].counts()["awaited"] == 1)
                await end([moving])
            network.heal()
            await until(lambda: ann.station == "s3")
            await until(lambda: [server.counts()["connections"] for server in at.values()] == [0, 0, 1])

    asyncio.run(scenario())


@asynccontextmanager
async def hanging_station() -> AsyncIterator[str]:
    """The URL of a station that welcomes a host, and reads nothing more."""

    async def hang(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(json.dumps({"station": "s0", "frame_bytes": 8192}))
        ((register, _),) = websocket.read_packets(await socket.recv())
        assert isinstance(register.stamp, (Register, RegisterFrom))
        await socket.send(frames.packets(0, [encode(Packet("s0", None, Welcome(register.stamp.move, 0)))]))
        await over.wait()
        socket.transport.abort()

    over = asyncio.Event()
    station = await serve(hang, "127.0.0.1", 0, compression=None, max_queue=1, ping_interval=None)
    yield f"ws://127.0.0.1:{next(iter(station.sockets)).getsockname()[1]}"
    over.set()
    station.close()
    await station.wait_closed()


async def send_more_than_fits(ann: Host) -> None:
    """Send more than fits into a connection that nobody reads."""
    for _ in range(1_200):
        await ann.send({"bob"}, bytes(7_000))


def test_a_host_moves_away_from_a_station_that_hangs(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "ann.sqlite"
        async with (
            cells(names=["s1"]) as at,
            hanging_station() as old_url,
            Host([old_url], "ann", issue(KEY, "ann"), path=path) as ann,
            asyncio.timeout(WAIT_S),
        ):
            await ann.connected()
            await send_more_than_fits(ann)
            assert await ann.move(url(at["s1"])) == "s1"

    asyncio.run(scenario())


def test_what_is_left_when_a_host_closes_is_told_once_however_long_that_takes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        path = tmp_path / "ann.sqlite"
        async with cells(names=["s1"]) as at, host(at["s1"], "ann", path=path) as ann:
            await ann.send({"ann"}, b"note to self")
            await take(ann, 1)
        async with (
            hanging_station() as hangs,
            Host([hangs], "ann", issue(KEY, "ann"), path=path) as ann,
            asyncio.timeout(WAIT_S),
        ):
            await ann.connected()
            await take(ann, 1)
            await send_more_than_fits(ann)
            caplog.clear()

    asyncio.run(scenario())
    assert said(caplog, "ann: 1 message is taken and none acknowledged") == 1
    assert said(caplog, "this is over") == 0
