"""Stations in this process, over the memory network and real WebSockets, for tests of a single rule."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from antecede.runtime import MemoryNetwork
from antecede.runtime.delivery import Delivery
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.host import Host
from antecede.runtime.roaming.station.serve import serve_station
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.tokens import issue

KEY = b"a key for tests, and for nothing else"
NAMES = ("s1", "s2", "s3")
WAIT_S = 20.0

Party = tuple[dict[str, StationServer], list[Host]]
"""The stations, and a host at each, in the same order."""


@asynccontextmanager
async def cells(
    network: MemoryNetwork | None = None, names: Iterable[str] = NAMES, **settings: Any
) -> AsyncIterator[dict[str, StationServer]]:
    everyone = tuple(names)
    network = network or MemoryNetwork()
    async with AsyncExitStack() as stack:
        yield {
            name: await stack.enter_async_context(
                serve_station(network, name=name, stations=everyone, key=KEY, **settings)
            )
            for name in everyone
        }


def url(server: StationServer) -> str:
    return f"ws://127.0.0.1:{server.port}"


def host(server: StationServer, name: str, **settings: Any) -> Host:
    """A host that knows one station only, until it is moved."""
    return Host([url(server)], name, issue(KEY, name), **settings)


async def until(done: Any) -> None:
    async with asyncio.timeout(WAIT_S):
        while not done():
            await asyncio.sleep(0.01)


async def take(one: Host, count: int) -> list[Delivery]:
    async with asyncio.timeout(WAIT_S):
        return [await anext(one) for _ in range(count)]


async def taken(one: Host, count: int) -> list[bytes]:
    """The payloads of the next messages, which are acknowledged."""
    found = await take(one, count)
    await one.ack(found)
    return [delivery.payload for delivery in found]


@asynccontextmanager
async def introduced(server: StationServer, name: str, incarnation: str = "1") -> AsyncIterator[ClientConnection]:
    """A bare connection on which the hello is done, to say anything on."""
    async with connect(url(server), proxy=None, compression=None) as socket:
        await socket.send(websocket.hello(issue(KEY, name), incarnation))
        await socket.recv()
        yield socket


def state_of(server: StationServer) -> bytes:
    return server.durable.station.snapshot()


def stored(folder: Path, name: str) -> dict[str, Any]:
    return {"path": folder / f"{name}.sqlite"}


async def acquainted(at: Mapping[str, StationServer], *hosts: Host) -> None:
    """All are connected, and every station knows them."""
    for one in hosts:
        await one.connected()
    await until(lambda: all(server.counts()["known"] == len(hosts) for server in at.values()))


@asynccontextmanager
async def one_at_each(network: MemoryNetwork, *names: str, **settings: Any) -> AsyncIterator[Party]:
    """Hosts of these names at s1, s2 and s3, one at each, and acquainted."""
    async with cells(network, **settings) as at, AsyncExitStack() as stack:
        placed = zip(at.values(), names, strict=True)
        hosts = [await stack.enter_async_context(host(server, name)) for server, name in placed]
        await acquainted(at, *hosts)
        yield at, hosts


@asynccontextmanager
async def cat_lacks_one(network: MemoryNetwork, **settings: Any) -> AsyncIterator[Party]:
    """ann, bob and cat at s1, s2 and s3; s1 can not reach s3, so bob has what ann said to both, and cat has not."""
    async with one_at_each(network, "ann", "bob", "cat", **settings) as (at, hosts):
        ann, bob, _ = hosts
        network.partition({"s1"}, {"s3"})
        await ann.send({"bob", "cat"}, b"one")
        assert await taken(bob, 1) == [b"one"]
        yield at, hosts
