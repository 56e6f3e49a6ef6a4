"""Connections that never say who they are take no places from hosts."""

import asyncio
from contextlib import AsyncExitStack

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

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
            await until(lambda: len(at["s1"]._greeting) <= limits.greetings)
            for name in ("ann", "bob"):
                one = await stack.enter_async_context(host(at["s1"], name))
                async with asyncio.timeout(WAIT_S):
                    assert await one.connected() == "s1"
            await until(lambda: len(at["s1"]._greeting) <= limits.greetings)
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
