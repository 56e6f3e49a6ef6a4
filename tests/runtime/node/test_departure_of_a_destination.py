"""What is sent to a process that leaves: it is delivered there, or refused at the sender, and never lost in silence."""

import asyncio
import random
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import Faults, MemoryNetwork, join
from antecede.runtime.node.departure import ANSWERED
from tests.runtime.nodes import WAIT_S, draw_traces, eventually, judge_traces, nodes, run, take


@pytest.mark.parametrize("algorithm", ["ks", "serial-multicast", "vector"])
@pytest.mark.parametrize("seed", range(3))
def test_everybody_talks_and_leaves_in_many_attempts(tmp_path: Path, seed: int, algorithm: str) -> None:
    """Each is stopped and started again, wherever it is in its leaving, until it has left. What was sent before the
    first of them began to leave is delivered by all."""
    chance = random.Random(seed)
    network = MemoryNetwork(seed, Faults(drop=0.2, duplicate=0.2, delay_s=0.005))
    names = ["a", "b", "c", "d"]
    settings: dict[str, Any] = {"algorithm": algorithm, "processes": names, "store": tmp_path, "trace": tmp_path / "t"}
    all_sent = asyncio.Barrier(len(names))
    draw_traces(tmp_path / "t")

    async def attempt(name: str) -> None:
        async with join(network, space="s", process=name, **settings) as node:
            if not node.sent:
                for number in range(5):
                    await node.send({*names} - {name}, b"%d" % number)
                await all_sent.wait()
            with suppress(TimeoutError):
                await asyncio.wait_for(node.leave(), chance.random() / 2)

    async def life(name: str) -> None:
        with suppress(Misuse):  # that it has left
            while True:
                await attempt(name)

    async def test() -> None:
        await asyncio.wait_for(asyncio.gather(*map(life, names)), 2 * WAIT_S)

    asyncio.run(test())
    assert not network.inboxes
    verdict = judge_traces(tmp_path / "t")
    assert (verdict.verdict, verdict.violations, verdict.duplicates) == ("holds", 0, 0)
    assert (verdict.lost, verdict.spurious) == (0, 0)


def test_who_is_leaving_waits_for_what_waits_for_the_token(tmp_path: Path) -> None:
    """b's message for a waits for the token, which c has and cannot give to b."""

    async def test() -> None:
        network = MemoryNetwork()
        names = ["a", "b", "c"]
        async with nodes(network, "a b c", algorithm="serial-multicast", processes=names) as (a, b, c):
            await c.send({"a"}, b"now c has the token")
            await take(a, 1)
            network.partition({"b"}, {"c"})
            await b.send({"a"}, b"for a")
            leaving = asyncio.create_task(a.leave())
            await eventually(lambda: a._durable.departure.unsettled == {"b"})
            await asyncio.sleep(0.2)
            assert a._durable.departure.unsettled == {"b"}
            network.heal()
            assert await take(a, 1) == [b"for a"]
            await asyncio.wait_for(leaving, WAIT_S)

    run(test)


@pytest.mark.parametrize("restarted", [False, True])
def test_nothing_is_sent_to_somebody_who_was_told_that_it_may_leave(tmp_path: Path, restarted: bool) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a c", store=tmp_path) as (a, c), AsyncExitStack() as stack:
            b = await stack.enter_async_context(join(network, space="s", process="b", store=tmp_path))
            await a.send({"b", "c"}, b"hello")
            await take(b, 1)
            await take(c, 1)
            network.partition({"a"}, {"c"})
            leaving = asyncio.create_task(a.leave())
            await eventually(lambda: a._durable.departure.unsettled == {"c"})
            if restarted:
                await stack.aclose()
                b = await stack.enter_async_context(join(network, space="s", process="b", store=tmp_path))
            with pytest.raises(Misuse, match="'a' is leaving: remove it from the destinations"):
                await b.send({"a", "c"}, b"too late")
            await b.send({"c"}, b"in time")
            assert await take(c, 1) == [b"in time"]
            network.heal()
            await asyncio.wait_for(leaving, WAIT_S)
            await eventually(lambda: b.counts()["processes"] == 2)
            assert not [fact for fact in b._durable.store.facts if fact.startswith(ANSWERED)]

    run(test)
