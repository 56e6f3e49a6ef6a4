"""Stations of two releases side by side: one after the other is taken back to form 1 of the wire, and comes again."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from antecede.runtime import Host, MemoryNetwork, frames
from antecede.runtime.roaming.station.serve import serve_station
from antecede.runtime.roaming.station.server import StationServer
from tests.runtime.cells import KEY, WAIT_S, acquainted, host, until
from tests.runtime.ports import free_port

STATIONS = ["s1", "s2"]
FORMS = [frames.NEWEST_FORM, frames.BARE_FORM, frames.NEWEST_FORM]


def test_stations_are_taken_back_and_upgraded_one_after_the_other(tmp_path: Path) -> None:
    """ann at s1 and bob at s2 talk all the time. Nothing is lost, refused or out of order."""
    network, got = MemoryNetwork(), list[bytes]()
    ports = {name: free_port() for name in STATIONS}

    async def start(stack: AsyncExitStack, name: str, form: int) -> StationServer:
        listen = ("127.0.0.1", ports[name])
        serving = serve_station(
            network, name=name, stations=STATIONS, key=KEY, listen=listen, store=tmp_path, wire=form
        )
        return await stack.enter_async_context(serving)

    async def send_all(ann: Host, over: asyncio.Event) -> None:
        while not over.is_set():
            await ann.send({"bob"}, b"%d" % ann.sent)
            await asyncio.sleep(0.003)

    async def take_all(bob: Host) -> None:
        async for message in bob:
            got.append(message.payload)
            await message.ack()

    async def scenario() -> None:
        over = asyncio.Event()
        async with AsyncExitStack() as stack:
            stacks = {name: await stack.enter_async_context(AsyncExitStack()) for name in STATIONS}
            at = {name: await start(stacks[name], name, FORMS[0]) for name in STATIONS}
            ann, bob = [
                await stack.enter_async_context(host(at[name], of, path=tmp_path / f"{of}.sqlite"))
                for name, of in zip(STATIONS, ("ann", "bob"), strict=True)
            ]
            await acquainted(at, ann, bob)
            works = [asyncio.create_task(send_all(ann, over)), asyncio.create_task(take_all(bob))]
            for form in FORMS[1:]:
                for name in STATIONS:
                    await stacks[name].aclose()
                    await asyncio.sleep(0.1)  # the others go on, and send to it what it read until now
                    at[name] = await start(stacks[name], name, form)
                    await asyncio.sleep(0.2)
            over.set()
            await works[0]
            await until(lambda: len(got) == ann.sent)
            assert [server.counts()["refused"] for server in at.values()] == [0, 0]
            assert [server.durable.store.read_quarantine() for server in at.values()] == [[], []]
            works[1].cancel()

    asyncio.run(asyncio.wait_for(scenario(), 2 * WAIT_S))
    assert got == [b"%d" % n for n in range(len(got))]
    assert len(got) > 50
