"""Spaces of many processes: `join` with representatives that forward."""

import asyncio
import json
import random
from pathlib import Path
from statistics import mean

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import Faults, MemoryNetwork, Node, join
from tests.runtime.nodes import eventually, judge_traces, nodes, run, take

CLUSTERS = {"a": {"b", "c"}, "d": {"e"}}


async def take_all(node: Node) -> None:
    async for message in node:
        await message.ack()


def test_a_hundred_nodes(tmp_path: Path) -> None:
    """Random groups of eight. What a sender sends has a tenth of the 769 control bytes that `ks` needs there."""
    names = [f"n{number:02}" for number in range(100)]
    chance = random.Random(1)

    async def test() -> None:
        shared = {"algorithm": "hierarchy", "processes": names, "trace": tmp_path}
        async with nodes(MemoryNetwork(), " ".join(names), **shared) as everybody:
            taking = [asyncio.create_task(take_all(node)) for node in everybody]
            for node in everybody * 2:
                await node.send(chance.sample(sorted({*names} - {node.process}), 7), b"hello")
            await eventually(lambda: sum(node.counts()["delivered"] for node in everybody) == 2 * 100 * 7)
            for task in taking:
                task.cancel()

    run(test)
    verdict = judge_traces(tmp_path)
    assert (verdict.verdict, verdict.deliveries, verdict.lost, verdict.duplicates) == ("holds", 1_400, 0, 0)
    lines = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    assert mean(line["control_bytes"] for line in lines if line["kind"] == "send") < 77


@pytest.mark.parametrize("seed", range(3))
def test_chosen_representatives_over_bad_wires_and_those_who_are_not_leave(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    names = [*"abcde"]

    async def test() -> None:
        network = MemoryNetwork(seed, Faults(drop=0.2, duplicate=0.2, delay_s=0.01))
        shared = {"algorithm": "hierarchy", "processes": names, "representatives": CLUSTERS, "trace": tmp_path}
        async with nodes(network, " ".join(names), **shared) as everybody:
            taking = [asyncio.create_task(take_all(node)) for node in everybody]
            for node in everybody * 10:
                await node.send(chance.sample(sorted({*names} - {node.process}), chance.randint(1, 3)), b"hello")
            sent = judge_traces(tmp_path)
            await eventually(
                lambda: sum(node.counts()["delivered"] for node in everybody) == sent.deliveries + sent.lost
            )
            for node in everybody:
                if node.process in CLUSTERS:
                    with pytest.raises(Misuse, match="represents a cluster"):
                        await node.leave()
                else:
                    await node.leave()
            for task in taking:
                task.cancel()

    run(test)
    verdict = judge_traces(tmp_path)
    assert (verdict.verdict, verdict.messages, verdict.lost, verdict.duplicates) == ("holds", 50, 0, 0)


def test_the_store_knows_the_representatives_however_they_are_written(tmp_path: Path) -> None:
    names = [*"abcde"]
    ways = ({"a": {"b", "c"}, "d": {"e"}}, {"a": frozenset("cb"), "d": ["e"]}, {"a": ["b", "c"], "d": ("e",)})

    async def test() -> None:
        network = MemoryNetwork()
        for number, representatives in enumerate(ways):
            shared = {"algorithm": "hierarchy", "processes": names, "representatives": representatives}
            async with nodes(network, "a b d e", store=tmp_path, **shared) as (_, b, _, e):
                await b.send({"e"}, b"%d" % number)
                assert await take(e, 1) == [b"%d" % number]
        others = {"a": {"b"}, "d": {"c", "e"}}
        with pytest.raises(Misuse, match="has options"):
            async with join(
                network,
                space="s",
                process="b",
                algorithm="hierarchy",
                processes=names,
                representatives=others,
                store=tmp_path,
            ):
                pass

    run(test)


def test_an_option_that_no_store_can_keep_is_misuse() -> None:
    with pytest.raises(Misuse, match="an option cannot be kept in the store"):
        join(MemoryNetwork(), space="s", process="a", algorithm="hierarchy", processes=["a"], representatives=object())
