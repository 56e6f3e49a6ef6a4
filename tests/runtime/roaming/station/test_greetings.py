"""Connections that never say who they are take no places from hosts."""

import asyncio
from contextlib import AsyncExitStack

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.websocket import AirLimits
from tests.runtime.cells import WAIT_S, cells, host, until, url

SILENT = 30


def test_silent_connections_do_not_keep_hosts_out() -> None:
    """There is room for two hosts, and thirty who say nothing; each of them makes room for the next."""
    limits = AirLimits(connections=2, greetings=5, hello_s=60.0)

    async def scenario() -> None:
        async with cells(names=["s1"], limits=limits) as at, AsyncExitStack() as stack:
            silent = [
                await stack.enter_async_context(connect(url(at["s1"]), proxy=None, compression=None))
                for _ in range(SILENT)
            ]
            await until(lambda: len(at["s1"]._greetings) <= limits.greetings)
            for name in ("ann", "bob"):
                one = await stack.enter_async_context(host(at["s1"], name))
                async with asyncio.timeout(WAIT_S):
                    assert await one.connected() == "s1"
            await until(lambda: len(at["s1"]._greetings) <= limits.greetings)
            ended = 0
            for socket in silent:
                try:
                    async with asyncio.timeout(0.02):
                        await socket.recv()
                except ConnectionClosed:
                    ended += 1
                except TimeoutError:
                    continue
            assert ended >= SILENT - limits.greetings

    asyncio.run(scenario())


class SilentClient:
    """A TCP connection that never sends a byte, not even a request."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @property
    def is_open(self) -> bool:
        return not self._reader.at_eof() and self._reader.exception() is None

    def close(self) -> None:
        self._writer.close()


async def connect_silently(
    stack: AsyncExitStack, server: StationServer, count: int, last: int = 1
) -> list[SilentClient]:
    """Open `count` connections from the address of this machine that ends with `last`."""
    address = f"127.0.0.{last}"
    clients = []
    for _ in range(count):
        clients.append(SilentClient(*await asyncio.open_connection("127.0.0.1", server.port, local_addr=(address, 0))))
        stack.callback(clients[-1].close)
    return clients


def count_open(clients: list[SilentClient]) -> int:
    return sum(client.is_open for client in clients)


def test_of_connections_that_send_no_request_as_few_are_kept() -> None:
    limits = AirLimits(connections=2, greetings=5, hello_s=60.0)

    async def scenario() -> None:
        async with cells(names=["s1"], limits=limits) as at, AsyncExitStack() as stack:
            silent = await connect_silently(stack, at["s1"], 200)
            await until(lambda: count_open(silent) <= limits.greetings)
            async with host(at["s1"], "ann") as ann, asyncio.timeout(WAIT_S):
                assert await ann.connected() == "s1"
            assert count_open(silent) >= limits.greetings - 1, "ann was one of five for a moment, and the others stay"

    asyncio.run(scenario())


def test_who_opens_many_connections_ends_its_own_first() -> None:
    """The first connection is the oldest, of a client with a slow link; another address opens many."""
    limits = AirLimits(greetings=5, hello_s=60.0)

    async def scenario() -> None:
        async with cells(names=["s1"], limits=limits) as at, AsyncExitStack() as stack:
            slow = await connect_silently(stack, at["s1"], 1, last=2)
            silent = await connect_silently(stack, at["s1"], 50)
            await until(lambda: count_open(silent) == limits.greetings - 1)
            assert count_open(slow) == 1
            assert count_open(silent[-4:]) == 4, "the oldest of that address were ended"

    asyncio.run(scenario())


def test_connections_that_have_ended_do_not_count() -> None:
    limits = AirLimits(greetings=5, hello_s=60.0)

    async def scenario() -> None:
        async with cells(names=["s1"], limits=limits) as at:
            for _ in range(3):
                async with AsyncExitStack() as stack:
                    await connect_silently(stack, at["s1"], 4)
                    await until(lambda: len(at["s1"]._greetings) == 4)
                await until(lambda: len(at["s1"]._greetings) == 0)

    asyncio.run(scenario())


def test_a_station_that_is_full_is_full_for_the_next_host_only() -> None:
    """A host that is connected may connect again; another is told to try later, and gets in when there is room."""
    limits = AirLimits(connections=1)

    async def scenario() -> None:
        async with cells(names=["s1"], limits=limits) as at, AsyncExitStack() as stack:
            hosts = [await stack.enter_async_context(host(at["s1"], name)) for name in ("ann", "bob")]
            await until(lambda: any(one.station for one in hosts))
            (first,) = [one for one in hosts if one.station is not None]
            (second,) = [one for one in hosts if one is not first]
            await until(lambda: "503" in second.trouble() or "full" in second.trouble())
            assert (first.station, second.station) == ("s1", None)
            await first.close()
            async with asyncio.timeout(WAIT_S):
                assert await second.connected() == "s1"

    asyncio.run(scenario())
