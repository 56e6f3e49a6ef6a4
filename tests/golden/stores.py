"""Golden stores: SQLite files of nodes, stations and hosts that had something left to do when they ended.

The runtime itself makes them, over the network in memory. Some were closed, and some were killed: those are the files
as they are at one instant, with what is in the write-ahead log moved into the one file that is kept.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from itertools import count
from pathlib import Path
from typing import Any

from antecede.core.mobile.handoff import AWAITED
from antecede.core.mobile.host_and_station_frames import Moved
from antecede.core.types import Packet
from antecede.core.wire.packets import encode
from antecede.runtime import Host, Limits, MemoryNetwork, Node, Unreachable, join, serve_station
from antecede.runtime.node.departure import BEGUN
from antecede.runtime.roaming.station.fragments import cut
from antecede.runtime.roaming.station.seals import Seals
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.roaming.websocket import AirLimits
from antecede.runtime.state.store import Store
from antecede.runtime.transport.contract import TRACE
from antecede.runtime.transport.memory import MemoryTransport

KEY = b"a key for golden files, and for nothing else"
STATIONS = ("s1", "s2", "s3")
GROUPS = {"g1": ["a", "b"]}
WAIT_S = 20.0
SNAPSHOT_BYTES_MIN = 300
"""Stores take snapshots after a few inputs, so that each has a snapshot and inputs that came after it."""
SEALS = Seals(KEY, "roam", "s1", Store(None))
PARTS = [SEALS.wrap("s3", None, part) for part in cut(1, encode(Packet("s1", None, Moved("bob", 0, 0, "s1"))), 10)]
"""A packet from s1 to s3, cut into parts, which are sealed; s3 has the first."""
NOT_A_FRAME = b"\0 is not a frame"
"""What c has in quarantine; up to v6 it began with 255, which was a kind of a later release for a while."""


def write_stores(folder: Path, scratch: Path) -> None:
    """Write all stores into `folder`; `scratch` is an empty folder to work in."""
    for name in ("nodes", "stations", "hosts", "traces"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for write in (_write_orders, _write_phases, _write_leaving, _write_roam):
        asyncio.run(asyncio.wait_for(write(folder, scratch), 3 * WAIT_S))


# Nodes.


async def _write_orders(folder: Path, scratch: Path) -> None:
    """a owes c a message; c holds back what depends on it, owes d a message, and its application one acknowledgement.

    c was killed; a was closed. a writes its trace to a file, and c to a stream that cannot be reached.
    """
    network = WithoutTrace()
    async with AsyncExitStack() as stack:
        a, b, c = [
            await stack.enter_async_context(
                _node(network, scratch, "orders", name, trace=scratch / "traces" if name == "a" else trace)
            )
            for name, trace in (("a", None), ("b", None), ("c", "jetstream:events"))
        ]
        await a.send({"b", "c"}, b"hello")
        for node in (b, c):
            await _take(node)
        await c.send({"a", "c"}, b"thanks")
        for node in (a, c):
            await _take(node)
        await c.give_up("gone")
        await b.send({"c"}, b"unacknowledged")
        await c.next_within(WAIT_S)
        network.partition({"a"}, {"c"})
        await a.send({"b", "c"}, b"cause")
        await _take(b)
        await b.send({"c"}, b"effect")
        await _until(lambda: len(c.pending()) == 1)
        await c.send({"d"}, b"for d")
        network.inboxes["orders", "c"].put(0, "b", NOT_A_FRAME)
        await _until(lambda: c.counts()["refused"] == 1)
        _keep(scratch / "orders_c.sqlite", folder / "nodes")
    _keep(scratch / "orders_a.sqlite", folder / "nodes")
    shutil.copy(scratch / "traces" / "a.jsonl", folder / "traces" / "a.jsonl")


async def _write_phases(folder: Path, scratch: Path) -> None:
    """a, a node of `mr`, was killed while a timer was set: it has to tell b that it follows."""
    settings: dict[str, Any] = {"algorithm": "mr", "groups": GROUPS, "processes": ["a", "b"], "resynch_after_s": 500.0}
    network = MemoryNetwork()
    async with (
        _node(network, scratch, "phases", "a", **settings) as a,
        _node(network, scratch, "phases", "b", **settings) as b,
    ):
        await b.send("g1", b"first")
        await _take(a)
        _keep(scratch / "phases_a.sqlite", folder / "nodes")


async def _write_leaving(folder: Path, scratch: Path) -> None:
    """e had begun to leave, and waited for f."""
    network = MemoryNetwork()
    async with _node(network, scratch, "leaving", "e") as e:
        async with _node(network, scratch, "leaving", "f") as f:
            await e.send({"f"}, b"hello")
            await _take(f)
        leaving = asyncio.create_task(e.leave())
        await _until(lambda: e._durable.departure.step == BEGUN and bool(network.inboxes["leaving", "f"].waiting))
        _keep(scratch / "leaving_e.sqlite", folder / "nodes")
        leaving.cancel()


@asynccontextmanager
async def _node(network: MemoryNetwork, scratch: Path, space: str, name: str, **settings: Any) -> AsyncIterator[Node]:
    _identify(scratch / f"{space}_{name}.sqlite", f"incarnation of {name}")
    limits = Limits(snapshot_bytes_min=SNAPSHOT_BYTES_MIN)
    async with join(network, space=space, process=name, store=scratch, wall=_wall(), limits=limits, **settings) as node:
        yield node


async def _take(node: Node) -> None:
    message = await node.next_within(WAIT_S)
    assert message is not None
    await message.ack()


class WithoutTrace(MemoryNetwork):
    """A network in memory that takes no trace."""

    def transport(self, space: str, process: str, incarnation: str) -> MemoryTransport:
        return _WithoutTrace(self, space, process, incarnation)


class _WithoutTrace(MemoryTransport):
    async def publish(self, to: str, data: bytes, key: str) -> None:
        if to == TRACE:
            raise Unreachable("the stream")
        await super().publish(to, data, key)


# Stations and hosts.


async def _write_roam(folder: Path, scratch: Path) -> None:
    """s1 cannot reach s3: s1 owes s3 a message and news of hosts, s3 holds back for cat what depends on the message.

    s2 stores a message for fay, who sleeps; cat has a message that it did not acknowledge, and one that it could not
    send. The stations and ann were killed; cat and fay were closed.
    """
    network = MemoryNetwork()
    async with AsyncExitStack() as stack:
        at = {name: await stack.enter_async_context(_station(network, scratch, name)) for name in STATIONS}
        ann = await stack.enter_async_context(_host(at["s1"], "ann", scratch, trace=scratch / "traces", wall=_wall()))
        bob = await stack.enter_async_context(_host(at["s2"], "bob", scratch))
        cat, fay = _host(at["s3"], "cat", scratch), _host(at["s2"], "fay", scratch)
        async with cat, fay, _host(at["s2"], "eve", scratch) as eve:
            for host in (ann, bob, cat, fay, eve):
                await host.connected()
            await _until(lambda: all(len(server.durable.station.berths) == 5 for server in at.values()))
            await ann.move(_url(at["s2"]))
            await ann.move(_url(at["s1"]))
            await bob.send({"ann", "cat"}, b"unacknowledged")
            for host in (ann, cat):
                assert (await anext(host)).payload == b"unacknowledged"
            await _until(lambda: not at["s3"].durable.station.berths["cat"].luggage.outbox)  # type: ignore[union-attr]  # it is there in this scene
        network.partition({"s1"}, {"s3"})
        at["s1"].durable.remove("eve")
        await ann.send({"bob", "cat"}, b"one")
        assert (await anext(bob)).payload == b"one"
        await bob.send({"cat"}, b"two")
        await bob.send({"fay"}, b"while asleep")
        await _until(lambda: len(at["s3"].durable.station.held()) == 1)
        token = issue(KEY, "dan", when_asleep="drop", stored_max=5)
        _identify(scratch / "dan.sqlite", "incarnation of dan")
        async with Host(
            [_url(at["s1"])], "dan", token, path=scratch / "dan.sqlite", snapshot_bytes_min=SNAPSHOT_BYTES_MIN
        ):
            await _until(lambda: _is_awaited(at["s1"], "dan"))  # the luggage of dan is at s3, which s1 cannot reach
        assert at["s3"].durable.receive("s1", PARTS[0])
        await bob.drained()
        await ann.drained()
        for server in at.values():
            server.durable.commit()
        await _write_unsent(scratch)
        for name in STATIONS:
            _keep(scratch / f"roam_{name}.sqlite", folder / "stations")
        for name in ("ann", "cat", "fay"):
            _keep(scratch / f"{name}.sqlite", folder / "hosts")
        shutil.copy(scratch / "traces" / "ann.jsonl", folder / "traces" / "ann.jsonl")


async def _write_unsent(scratch: Path) -> None:
    """cat, who reaches no station, sends to ann."""
    token, path = issue(KEY, "cat"), scratch / "cat.sqlite"
    async with Host(["ws://127.0.0.1:9"], "cat", token, path=path, snapshot_bytes_min=SNAPSHOT_BYTES_MIN) as cat:
        await cat.send({"ann"}, b"from cat")


@asynccontextmanager
async def _station(network: MemoryNetwork, scratch: Path, name: str) -> AsyncIterator[StationServer]:
    _identify(scratch / f"roam_{name}.sqlite", f"incarnation of {name}")
    limits = AirLimits(snapshot_bytes_min=SNAPSHOT_BYTES_MIN)
    async with serve_station(network, name=name, stations=STATIONS, key=KEY, store=scratch, limits=limits) as server:
        yield server


def _host(server: StationServer, name: str, scratch: Path, **settings: Any) -> Host:
    path = scratch / f"{name}.sqlite"
    _identify(path, f"incarnation of {name}")
    return Host([_url(server)], name, issue(KEY, name), path=path, snapshot_bytes_min=SNAPSHOT_BYTES_MIN, **settings)


def _is_awaited(server: StationServer, host: str) -> bool:
    berth = server.durable.berth(host)
    return berth is not None and berth.state == AWAITED


def _url(server: StationServer) -> str:
    return f"ws://127.0.0.1:{server.port}"


# What all have in common.


def _identify(path: Path, incarnation: str) -> None:
    """Give a new store an identity that is the same each time."""
    with closing(Store(path)) as store:
        if "incarnation" not in store.facts:
            store.put("incarnation", incarnation.encode())
            store.commit()


def _keep(path: Path, folder: Path) -> None:
    """Copy a store as it is now, and move what is in its write-ahead log into the file itself."""
    for file in path.parent.glob(f"{path.name}*"):
        shutil.copy(file, folder)
    with closing(sqlite3.connect(folder / path.name)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert sorted(file.name for file in folder.glob(f"{path.name}*")) == [path.name]


def _wall() -> Callable[[], float]:
    seconds = count(1_700_000_000)
    return lambda: float(next(seconds))


async def _until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not done():
            await asyncio.sleep(0.01)
