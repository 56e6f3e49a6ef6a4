"""Messages go along known links, over a network in memory with every fault there is, and through restarts."""

import asyncio
import random
from pathlib import Path

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import Faults, MemoryNetwork, Node
from tests.runtime.nodes import eventually, judge_traces, nodes, run

ROUGH = Faults(drop=0.2, duplicate=0.2, shuffle=0.3, delay_s=0.01)
LINKS = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("a", "c"), ("c", "d"), ("d", "c")]
ROUND = 12


@pytest.mark.parametrize("algorithm", ["ks", "prs"])
def test_messages_along_links_are_delivered_in_order_also_after_restarts(tmp_path: Path, algorithm: str) -> None:
    network = MemoryNetwork(4, ROUGH)
    settings = {"algorithm": algorithm, "processes": ["a", "b", "c", "d"], "links": LINKS, "trace": tmp_path / "trace"}

    async def talk(node: Node, seed: int) -> None:
        chance = random.Random(f"{node.process} {seed}")
        near = [to for process, to in LINKS if process == node.process]
        for _ in range(ROUND):
            await node.send(set(chance.sample(near, chance.randint(1, len(near)))), b"x")
            await asyncio.sleep(chance.random() * 0.005)

    async def test() -> None:
        for seed in range(3):
            async with nodes(network, "a b c d", store=tmp_path, **settings) as everybody:
                await asyncio.gather(*(talk(node, seed) for node in everybody))
                if seed == 2:
                    await eventually(lambda: judge_traces(tmp_path / "trace").lost == 0)

    run(test)
    verdict = judge_traces(tmp_path / "trace")
    assert (verdict.verdict, verdict.messages, verdict.duplicates) == ("holds", 3 * 4 * ROUND, 0)


def test_a_message_to_a_process_without_a_link_is_refused_and_the_next_one_is_sent(tmp_path: Path) -> None:
    async def test() -> None:
        settings = {"processes": ["a", "b", "c", "d"], "links": LINKS}
        async with nodes(MemoryNetwork(4), "a b", store=tmp_path, **settings) as (a, b):
            with pytest.raises(Misuse, match="no link"):
                await a.send({"b", "d"}, b"not along links")
            await a.send({"b"}, b"along a link")
            message = await b.next_within(10)
            assert message is not None
            assert message.payload == b"along a link"
            await message.ack()

    run(test)
