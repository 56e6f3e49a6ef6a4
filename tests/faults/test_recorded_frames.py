"""Frames of a host that somebody recorded on the way and plays again: nothing is sent or delivered twice.

All of them are played, and then some of them: the seed says which ones, with which pauses, and how many messages the
host sends before.
"""

import asyncio
import random
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from antecede.runtime import Host, MemoryNetwork, issue_token, serve_station
from antecede.runtime.delivery import Delivery
from antecede.runtime.roaming.station.server import StationServer
from tests.replay import Drawing
from tests.runtime.nodes import run

pytestmark = pytest.mark.slow

KEY = b"k" * 32
PAUSE_S_MAX = 0.02
Frames = list[str | bytes]


async def send(host: Host, to: str, payload: bytes, drawing: Drawing) -> None:
    drawing.add(host.id, f"send {payload.decode()!r} to {to}")
    await host.send({to}, payload)


async def hear(host: Host, count: int, drawing: Drawing) -> list[bytes]:
    """Return the payloads of the next messages, which are acknowledged."""
    found: list[Delivery] = []
    for _ in range(count):
        found.append(await anext(host))
        drawing.add(host.id, f"take {found[-1].payload.decode()!r}")
    await host.ack(found)
    return [delivery.payload for delivery in found]


async def play(frames: Frames, station: StationServer, chance: random.Random, drawing: Drawing) -> None:
    """Say to a station what a host has said, as far as it listens: everything, and then its hello and a part."""
    hello, *rest = frames
    some = sorted(chance.sample(range(len(rest)), chance.randrange(len(rest))))
    for said in (frames, [hello, *(rest[at] for at in some)]):
        with suppress(ConnectionClosed, TimeoutError):
            async with connect(f"ws://127.0.0.1:{station.port}", proxy=None) as socket:
                for frame in said:
                    drawing.add("recorder", f"play frame {frames.index(frame) + 1} to {station.process}")
                    await socket.send(frame)
                    await asyncio.sleep(chance.uniform(0, PAUSE_S_MAX))
                async with asyncio.timeout(0.5):
                    async for _ in socket:
                        pass


@pytest.mark.parametrize("when", ["while it is away", "while it is connected", "at another station"])
def test_recorded_frames_have_no_effect(tmp_path: Path, seed: int, when: str) -> None:
    frames: Frames = []
    drawing = Drawing()
    chance = random.Random(seed)
    count = chance.randint(2, 6)

    async def scenario() -> None:
        network, names = MemoryNetwork(), ["s1", "s2"]
        async with (
            serve_station(network, name="s1", stations=names, key=KEY) as s1,
            serve_station(network, name="s2", stations=names, key=KEY) as s2,
            Host([f"ws://127.0.0.1:{s2.port}"], "bob", issue_token(KEY, "bob")) as bob,
        ):
            await bob.connected()

            async def relay(host: ServerConnection) -> None:
                async with connect(f"ws://127.0.0.1:{s1.port}", proxy=None) as station:

                    async def back() -> None:
                        async for said in station:
                            await host.send(said)

                    answering = asyncio.create_task(back())
                    async for said in host:
                        frames.append(said)
                        await station.send(said)
                    answering.cancel()

            async with serve(relay, "127.0.0.1", 0) as recorder:
                port = next(iter(recorder.sockets)).getsockname()[1]
                url, token = [f"ws://127.0.0.1:{port}"], issue_token(KEY, "ann")
                async with Host(url, "ann", token, path=tmp_path / "ann.sqlite") as ann:
                    for number in range(count):
                        await send(ann, "bob", b"%d" % number, drawing)
                    await ann.drained()
                    assert await hear(bob, count, drawing) == [b"%d" % number for number in range(count)]
                    await send(bob, "ann", b"answer", drawing)
                    assert await hear(ann, 1, drawing) == [b"answer"]
                    if when == "while it is connected":
                        await play(frames, s1, chance, drawing)
                if when != "while it is connected":
                    await play(frames, s1 if when == "while it is away" else s2, chance, drawing)
                assert len(frames) > 4
                async with Host(url, "ann", token, path=tmp_path / "ann.sqlite") as ann:
                    await send(bob, "ann", b"are you the same?", drawing)
                    assert await hear(ann, 1, drawing) == [b"are you the same?"]
                    await send(ann, "bob", b"the last", drawing)
                    assert await hear(bob, 1, drawing) == [b"the last"]
                    assert ann.sent == count + 1

    run(scenario)
