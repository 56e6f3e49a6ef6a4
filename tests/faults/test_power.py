"""A power cut: what a node promised to others is in its store, or the store is refused.

The disk of node `a` is cut back to what was flushed, with any part of what was written since then (`power`). The
application of `b`, whose power does not fail, answers every message of `a`. The power is cut just before and just after
every flush, and at places between; and again and again while the nodes talk.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from antecede.runtime import Limits, MemoryNetwork, NameTaken, Node, StoreError, join
from tests.faults.powered import Power, PoweredNetwork, PowerFails
from tests.replay import Drawing
from tests.runtime.power import recorded

pytestmark = pytest.mark.slow

MESSAGES, MANY = 60, 300
CUTS_MIN, CUTS_MAX = 4, 40
ENDLESS = 1_000_000
BETWEEN = 100
DEADLINE_S = 120
SMALL = Limits(snapshot_bytes_min=500)


@dataclass(frozen=True, slots=True)
class Run:
    """How node `a` runs: how many messages it sends at least, and when its power fails, if it is not done by then.

    The log of SQLite is written back to its file after `checkpoint_pages`: a power cut may come there, too.
    """

    durability: str
    cut_after_s: float = DEADLINE_S
    messages: int = MESSAGES
    checkpoint_pages: int = 20


@dataclass(slots=True)
class Application:
    """What the application of `a` did and saw: how many messages it has sent when it is done, every answer at its first
    offer, and what it has acknowledged for good.

    The drawing has what both nodes did, and when the power of `a` failed.
    """

    sent: int = 0
    drawing: Drawing = field(default_factory=Drawing)
    firsts: list[bytes] = field(default_factory=list)
    acknowledged: set[bytes] = field(default_factory=set)

    async def take(self, node: Node, power: Power) -> None:
        async for message in node:
            self.drawing.add("a", f"take {message.payload.decode()}")
            assert message.payload not in self.acknowledged, f"{message.payload!r} was acknowledged before"
            if message.payload not in self.firsts:
                self.firsts.append(message.payload)
            await message.ack()
            if power.cut is None:
                power.promise("a")
                self.acknowledged.add(message.payload)


async def answer_all(node: Node, got: list[bytes], drawing: Drawing) -> None:
    async for message in node:
        got.append(message.payload)
        drawing.add("b", f"take {message.payload.decode()}, and answer it")
        await node.send({"a"}, b"re " + message.payload)
        await message.ack()


async def talk(power: Power, network: MemoryNetwork, folder: Path, application: Application, run: Run) -> None:
    """Run node `a` with the store in `folder` until all answers are there, or its power fails."""
    durability = run.durability
    powered = PoweredNetwork(network, power)
    async with join(powered, space="s", process="a", store=folder, durability=durability, limits=SMALL) as node:
        power.stores["a"] = node._durable.store
        application.sent = messages = max(run.messages, node.sent)
        async with asyncio.TaskGroup() as group:
            taking = group.create_task(application.take(node, power))
            while node.sent < messages or len(application.firsts) < messages or node.counts()["inbox"]:
                if node.sent < messages:
                    application.drawing.add("a", f"send {node.sent} to b")
                    await node.send({"b"}, b"%d" % node.sent)
                    power.promise("a")
                await asyncio.sleep(0.001)
                if power.cut is not None:
                    raise PowerFails
            taking.cancel()


async def run_until_cut(network: MemoryNetwork, folder: Path, application: Application, run: Run) -> Power:
    """Talk until the power fails, or all is said."""
    with recorded(folder, run.checkpoint_pages) as disk:
        power = Power(disk)
        timer = asyncio.get_running_loop().call_later(run.cut_after_s, power.fail)
        try:
            await talk(power, network, folder, application, run)
        except* PowerFails:
            application.drawing.add("a", "the power fails")
        finally:
            timer.cancel()
    return power


def record_a_run(folder: Path, durability: str) -> Power:
    """A run without a power cut."""

    async def scenario() -> Power:
        network, got, application = MemoryNetwork(), list[bytes](), Application()
        async with join(network, space="s", process="b", store=None) as b:
            answering = asyncio.create_task(answer_all(b, got, application.drawing))
            power = await run_until_cut(network, folder, application, Run(durability))
            answering.cancel()
            assert got == [b"%d" % n for n in range(MESSAGES)]
            return power

    return asyncio.run(asyncio.wait_for(scenario(), DEADLINE_S))


@pytest.mark.parametrize("durability", ["power", "process"])
def test_a_cut_at_every_flush_and_between(tmp_path: Path, seed: int, durability: str) -> None:
    """With "power", nothing is missing that was promised. With "process" the store may be older, or refused."""
    chance = random.Random(seed)
    power = record_a_run(tmp_path / "stores", durability)
    assert len(power.promises) > 3 * MESSAGES
    shortfalls = cuts = 0
    store = tmp_path / "cut" / "s_a.sqlite"
    for promised, progress in power.find_progress_after_cuts("a", store, chance, BETWEEN):
        shortfalls += progress < promised
        cuts += 1
    flushes = len(power.disk.flushes())
    print(f"{durability}: {flushes} flushes, {cuts} power cuts, after {shortfalls} of which the store is older")
    assert (shortfalls == 0) if durability == "power" else (shortfalls > 0)


def test_power_fails_again_and_again_with_durability_power(tmp_path: Path, seed: int) -> None:
    """Every message arrives once and in order, whatever the application knows as acknowledged is not offered again.

    Node `a` sends without an end until there were `CUTS_MIN` cuts, however fast the machine is.
    """
    chance, got, application = random.Random(seed), list[bytes](), Application()
    cuts = 0

    async def scenario() -> None:
        nonlocal cuts
        network, folder = MemoryNetwork(), tmp_path / "stores"
        async with join(network, space="s", process="b", store=None) as b:
            answering = asyncio.create_task(answer_all(b, got, application.drawing))
            is_done = False
            while not is_done:
                after_s = 0.02 + 0.2 * chance.random() if cuts < CUTS_MAX else DEADLINE_S
                run = Run("power", after_s, messages=MANY if cuts >= CUTS_MIN else ENDLESS)
                power = await run_until_cut(network, folder, application, run)
                is_done = power.cut is None
                if not is_done:
                    cuts += 1
                    power.leave(folder, chance)
            assert b.problems() == []
            answering.cancel()

    asyncio.run(asyncio.wait_for(scenario(), DEADLINE_S))
    print(f"{cuts} power cuts, {application.sent} messages")
    assert cuts >= CUTS_MIN
    assert application.sent >= MANY
    assert got == [b"%d" % n for n in range(application.sent)]
    assert application.firsts == [b"re %d" % n for n in range(application.sent)]


def test_power_fails_with_durability_process(tmp_path: Path, seed: int) -> None:
    """The store is refused if it is older than what the broker knows, with what to do; or it has all of that."""
    chance, said = random.Random(seed), list[str]()

    async def rejoin(network: MemoryNetwork, folder: Path) -> str:
        """Return why the store was refused, or nothing if it was not."""
        known = network.registrations["s", "a"]
        try:
            async with join(network, space="s", process="a", store=folder) as node:
                assert node._durable.store.progress >= known.progress
        except (NameTaken, StoreError) as refusal:
            return str(refusal)
        return ""

    async def scenario(folder: Path) -> str:
        cut_after_s, pages = 0.1 + 1.5 * chance.random(), chance.choice([20, 4_000])
        network, application = MemoryNetwork(), Application()
        run = Run("process", cut_after_s, messages=100_000, checkpoint_pages=pages)
        async with join(network, space="s", process="b", store=None) as b:
            answering = asyncio.create_task(answer_all(b, [], application.drawing))
            power = await run_until_cut(network, folder, application, run)
            answering.cancel()
            power.leave(folder, chance)
            return await rejoin(network, folder)

    for at in range(8):
        said.append(asyncio.run(asyncio.wait_for(scenario(tmp_path / f"stores{at}"), DEADLINE_S)))
    refusals = [why for why in said if why]
    print(f"{len(refusals)} of {len(said)} stores were refused")
    assert refusals
    assert all("another name" in why for why in refusals)
