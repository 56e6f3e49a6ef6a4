"""A power cut of stations and hosts: what they promised to others is in their stores, or the stores are refused.

Two stations and two hosts have their stores on one disk, which is cut back to what was flushed (`tests.runtime.power`).
The broker keeps its power. Host ann sends to host bob, and both move between the stations.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from antecede.runtime import Host, MemoryNetwork, serve_station
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.roaming.websocket import AirLimits
from tests.faults.powered import Power, PoweredNetwork, PowerFails
from tests.replay import Drawing
from tests.runtime.cells import KEY, url
from tests.runtime.power import recorded

pytestmark = pytest.mark.slow

MESSAGES, MANY = 5, 250
CUTS_MAX = 15
BETWEEN = 15
CHECKPOINT_PAGES = 20
DEADLINE_S = 120
STATIONS = ["s1", "s2"]
FILES = {"s1": "roam_s1.sqlite", "s2": "roam_s2.sqlite", "ann": "ann.sqlite", "bob": "bob.sqlite"}
SNAPSHOT_BYTES_MIN = 500


@dataclass(slots=True)
class Application:
    """What the application of bob saw: every message at its first offer, and what it has acknowledged for good.

    The drawing has what both hosts did, and when the power failed.
    """

    drawing: Drawing = field(default_factory=Drawing)
    firsts: list[bytes] = field(default_factory=list)
    acknowledged: set[bytes] = field(default_factory=set)

    async def take(self, bob: Host, power: Power) -> None:
        async for message in bob:
            if power.cut is not None:
                return
            self.drawing.add("bob", f"take {message.payload.decode()}")
            assert message.payload not in self.acknowledged, f"{message.payload!r} was acknowledged before"
            if message.payload not in self.firsts:
                self.firsts.append(message.payload)
            await message.ack()
            if power.cut is None:
                power.promise("bob")
                self.acknowledged.add(message.payload)


@dataclass(frozen=True, slots=True)
class Town:
    """The broker, the folder of all stores, and what they survive."""

    network: MemoryNetwork
    folder: Path
    durability: str

    @asynccontextmanager
    async def start(self, power: Power, chance: random.Random) -> AsyncIterator[tuple[Host, Host, list[str]]]:
        """Start everything. Yield ann, bob and the addresses of the stations, whose order is another every time."""
        async with AsyncExitStack() as stack:
            urls = []
            for name in STATIONS:
                serving = serve_station(
                    PoweredNetwork(self.network, power),
                    name=name,
                    stations=STATIONS,
                    key=KEY,
                    store=self.folder,
                    durability=self.durability,
                    limits=AirLimits(snapshot_bytes_min=SNAPSHOT_BYTES_MIN),
                )
                server = await stack.enter_async_context(serving)
                power.stores[name] = server.durable.store
                urls.append(url(server))
            ann, bob = [
                await stack.enter_async_context(self.host(name, chance.sample(urls, 2))) for name in ("ann", "bob")
            ]
            for host in (ann, bob):
                power.stores[host.id] = host._durable.store
            yield ann, bob, urls

    def host(self, name: str, urls: list[str]) -> Host:
        return Host(
            urls,
            name,
            issue(KEY, name),
            path=self.folder / FILES[name],
            durability=self.durability,
            snapshot_bytes_min=SNAPSHOT_BYTES_MIN,
        )


async def talk(power: Power, town: Town, application: Application, messages: int, chance: random.Random) -> None:
    """Run the town until bob has all messages, or the power fails."""
    async with town.start(power, chance) as (ann, bob, urls), asyncio.TaskGroup() as group:
        works = [
            group.create_task(application.take(bob, power)),
            group.create_task(send_all(power, ann, bob, messages, application.drawing)),
            group.create_task(wander([ann, bob], urls, chance, application.drawing)),
        ]
        while len(application.firsts) < messages:
            if power.cut is not None:
                raise PowerFails
            await asyncio.sleep(0.002)
        for work in works:
            work.cancel()


async def send_all(power: Power, ann: Host, bob: Host, messages: int, drawing: Drawing) -> None:
    """Send what is left to send. The first message waits for bob: one to a host that nobody knows goes to nobody."""
    if not ann.sent:
        await bob.connected()
    while ann.sent < messages:
        drawing.add("ann", f"send {ann.sent} to bob")
        await ann.send({"bob"}, b"%d" % ann.sent)
        power.promise("ann")
        await asyncio.sleep(0.002)


async def wander(hosts: list[Host], urls: list[str], chance: random.Random, drawing: Drawing) -> None:
    while True:
        await asyncio.sleep(0.1 * chance.random())
        host, to = chance.choice(hosts), chance.choice(urls)
        drawing.add(host.id, f"move to {STATIONS[urls.index(to)]}")
        await host.move(to)


async def run_until_cut(town: Town, application: Application, messages: int, *, cut_after_s: float, seed: str) -> Power:
    """Talk until the power fails, or all is said."""
    with recorded(town.folder, CHECKPOINT_PAGES) as disk:
        power = Power(disk)
        timer = asyncio.get_running_loop().call_later(cut_after_s, power.fail)
        try:
            await talk(power, town, application, messages, random.Random(seed))
        except* PowerFails:
            for name in FILES:
                application.drawing.add(name, "the power fails")
        finally:
            timer.cancel()
    return power


@pytest.mark.parametrize("durability", ["power", "process"])
def test_a_cut_at_every_flush_and_between(tmp_path: Path, seed: int, durability: str) -> None:
    """With "power", nothing is missing that was promised. With "process" a store may be older; it is whole."""
    town, application = Town(MemoryNetwork(), tmp_path / "stores", durability), Application()
    talking = run_until_cut(town, application, MESSAGES, cut_after_s=DEADLINE_S, seed=f"{seed}")
    power = asyncio.run(asyncio.wait_for(talking, DEADLINE_S))
    assert application.firsts == [b"%d" % n for n in range(MESSAGES)]
    assert {promise.process for promise in power.promises} == FILES.keys()
    for process, name in FILES.items():
        after = list(power.find_progress_after_cuts(process, tmp_path / "cut" / name, random.Random(seed), BETWEEN))
        shortfalls = sum(progress < promised for promised, progress in after)
        print(f"{durability}: {len(after)} power cuts of {process}, after {shortfalls} of which the store is older")
        assert (shortfalls == 0) if durability == "power" else (shortfalls > 0)


def test_power_fails_again_and_again(tmp_path: Path, seed: int) -> None:
    """Every message arrives once and in order, and what the application knows as acknowledged is not offered again."""
    chance, application = random.Random(seed), Application()
    cuts = 0

    async def scenario() -> None:
        nonlocal cuts
        town, is_done = Town(MemoryNetwork(), tmp_path / "stores", "power"), False
        while not is_done:
            after_s = 0.1 + 0.15 * chance.random() if cuts < CUTS_MAX else DEADLINE_S
            power = await run_until_cut(town, application, MANY, cut_after_s=after_s, seed=f"{seed} {cuts}")
            is_done = power.cut is None
            if not is_done:
                cuts += 1
                power.leave(town.folder, chance)

    asyncio.run(asyncio.wait_for(scenario(), DEADLINE_S))
    print(f"{cuts} power cuts")
    assert cuts > 3
    assert application.firsts == [b"%d" % n for n in range(MANY)]
