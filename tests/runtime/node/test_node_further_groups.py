"""A running process joins a further group, over a network in memory with every fault there is."""

import asyncio
import random
from contextlib import suppress
from pathlib import Path

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import Faults, MemoryNetwork, Node
from tests.runtime.nodes import eventually, judge_traces, nodes, run

ROUGH = Faults(drop=0.2, duplicate=0.2, shuffle=0.3, delay_s=0.01)


@pytest.mark.parametrize("algorithm", ["isis", "mr"])
def test_a_running_process_joins_a_further_group(tmp_path: Path, algorithm: str) -> None:
    """c admits itself first, then the others do; all of them send meanwhile. c sends once it has heard of all."""
    groups = {"g1": ["a", "b"], "g2": ["b", "c"]}
    settings = {"algorithm": algorithm, "processes": ["a", "b", "c"], "groups": groups}

    async def talk(node: Node, group: str, chance: random.Random) -> None:
        for n in range(10):
            await node.send(group, b"%d" % n)
            await asyncio.sleep(chance.random() * 0.01)

    async def test() -> None:
        async with nodes(MemoryNetwork(2, ROUGH), "a b c", trace=tmp_path, **settings) as (a, b, c):
            talks = [talk(node, group, random.Random(group)) for node, group in ((a, "g1"), (b, "g1"), (b, "g2"))]
            talking = asyncio.gather(*talks)
            for node in (c, b, a):
                if algorithm == "mr" and node is not c:
                    with pytest.raises(
                        Misuse, match=r"'c' has joined group 'g1' and heard nothing of \[.*'a'.*\] in it"
                    ):
                        await c.send("g1", b"too early")
                await node.admit("c", ["g1"])
                await asyncio.sleep(0.02)
            await talking
            await send_as_soon_as_possible(c, "g1", b"from c")
            await a.send("g1", b"to c")
            await eventually(lambda: judge_traces(tmp_path).lost == 0)

    run(test)
    verdict = judge_traces(tmp_path)
    assert (verdict.verdict, verdict.messages, verdict.lost, verdict.duplicates) == ("holds", 32, 0, 0)


async def send_as_soon_as_possible(node: Node, group: str, payload: bytes) -> None:
    """Send to a group that the node has joined, as soon as it has heard of all its members."""
    async with asyncio.timeout(10):
        while True:
            with suppress(Misuse):
                await node.send(group, payload)
                return
            await asyncio.sleep(0.01)


def test_a_running_process_cannot_join_a_further_group_of_mr_scalar() -> None:
    async def test() -> None:
        settings = {"algorithm": "mr-scalar", "processes": ["a", "b"], "groups": {"g1": ["a", "b"], "g2": ["b"]}}
        async with nodes(MemoryNetwork(1), "a", **settings) as (a,):
            with pytest.raises(Misuse, match="with mr-scalar the members of a group have to hear at the same time"):
                await a.admit("a", ["g2"])
            await a.admit("a")

    run(test)
