"""Spaces of many processes: `join` with representatives that forward."""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from statistics import mean

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import Faults, MemoryNetwork, Node, join
from antecede.runtime.node.departure import BEGUN, HANDED_OVER
from antecede.runtime.node.last_numbers import FROM, TO
from tests.runtime.nodes import WAIT_S, eventually, judge_traces, nodes, run, take

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
def test_chosen_representatives_over_bad_wires_and_all_leave_one_after_the_other(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    names = [*"abcde"]

    async def test() -> None:
        network = MemoryNetwork(seed, Faults(drop=0.2, duplicate=0.2, delay_s=0.01))
        shared = {"algorithm": "hierarchy", "processes": names, "representatives": CLUSTERS, "trace": tmp_path}
        async with nodes(network, " ".join(names), **shared) as everybody:
            taking = [asyncio.create_task(take_all(node)) for node in everybody]
            copies = 0
            for node in everybody * 10:
                dests = chance.sample(sorted({*names} - {node.process}), chance.randint(1, 3))
                await node.send(dests, b"hello")
                copies += len(dests)
            await eventually(lambda: sum(node.counts()["delivered"] for node in everybody) == copies)
            for node in everybody:
                await asyncio.wait_for(node.leave(), WAIT_S)
            for task in taking:
                task.cancel()

    run(test)
    verdict = judge_traces(tmp_path)
    assert (verdict.verdict, verdict.messages, verdict.lost, verdict.duplicates) == ("holds", 50, 0, 0)


@asynccontextmanager
async def in_clusters(network: MemoryNetwork, folder: Path) -> AsyncIterator[list[Node]]:
    """All five processes, with stores and traces. A message of e to b goes through d and a."""
    shared = {"algorithm": "hierarchy", "processes": [*"abcde"], "representatives": CLUSTERS}
    async with nodes(network, "a b c d e", store=folder, trace=folder / "trace", **shared) as everybody:
        yield everybody


def test_who_leaves_waits_for_a_message_that_is_still_with_a_representative(tmp_path: Path) -> None:
    """d has e's message for b, and cannot reach a. Everybody else has nothing to do with it any more."""

    async def test() -> None:
        network = MemoryNetwork()
        async with in_clusters(network, tmp_path) as (_, b, _, d, e):
            network.partition({"d"}, {"a"})
            await e.send({"b"}, b"for b")
            await eventually(lambda: d.counts()["outbox"] > 0)
            leaving = asyncio.create_task(b.leave())
            await eventually(lambda: b._durable.departure.unsettled == {"e"})
            with pytest.raises(Misuse, match="'b' is leaving: remove it from the destinations"):
                await e.send({"b"}, b"too late")
            network.heal()
            assert await take(b, 1) == [b"for b"]
            await asyncio.wait_for(leaving, WAIT_S)
            assert not [fact for fact in e._durable.store.facts if fact in (TO + "b", FROM + "b")]

    run(test)


def test_who_is_asked_waits_for_a_message_that_is_still_with_a_representative(tmp_path: Path) -> None:
    """a has b's message for e, and cannot reach d. If b were gone before e has it, nobody could tell e to wait for it
    when e leaves too."""

    async def test() -> None:
        network = MemoryNetwork()
        async with in_clusters(network, tmp_path) as (a, b, _, _, e):
            network.partition({"a"}, {"d"})
            await b.send({"e"}, b"for e")
            await eventually(lambda: a.counts()["outbox"] > 0)
            leaving = [asyncio.create_task(b.leave())]
            await eventually(lambda: b._durable.departure.unsettled == {"e"})
            leaving.append(asyncio.create_task(e.leave()))
            await asyncio.sleep(0.2)
            assert b._durable.departure.unsettled == {"e"}
            network.heal()
            assert await take(e, 1) == [b"for e"]
            await asyncio.wait_for(asyncio.gather(*leaving), WAIT_S)

    run(test)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_lost_while_processes_talk_and_leave(tmp_path: Path, seed: int) -> None:
    """Three processes leave at random moments, two of them representatives, while all send to all who are there."""
    chance = random.Random(seed)

    async def talk(node: Node, others: set[str]) -> None:
        for number in range(30):
            to = chance.sample(sorted(others), chance.randint(1, 3))
            with suppress(Misuse):  # one of them is leaving, or has left
                await node.send(to, b"%d" % number)
            await asyncio.sleep(0.01 * chance.random())
            if node.process in "abd" and chance.random() < 0.05:
                break
        if node.process in "abd":
            await node.leave()

    async def test() -> None:
        network = MemoryNetwork(seed, Faults(drop=0.2, duplicate=0.2, delay_s=0.02))
        async with in_clusters(network, tmp_path) as everybody:
            taking = [asyncio.create_task(take_all(node)) for node in everybody]
            await asyncio.gather(*(talk(node, {*"abcde"} - {node.process}) for node in everybody))
            _, _, c, _, e = everybody
            await eventually(lambda: judge_traces(tmp_path / "trace").lost == 0)
            await eventually(lambda: c.counts()["processes"] == e.counts()["processes"] == 2)
            await e.send({"c"}, b"through their successors")
            await eventually(lambda: judge_traces(tmp_path / "trace").lost == 0)
            for task in taking:
                task.cancel()

    run(test)
    verdict = judge_traces(tmp_path / "trace")
    assert (verdict.verdict, verdict.lost, verdict.duplicates, verdict.spurious) == ("holds", 0, 0, 0)
    assert verdict.messages > 20


def test_a_representative_that_stops_while_it_hands_over_goes_on_when_it_is_started_again(tmp_path: Path) -> None:
    """a leaves and cannot reach d; b's message for e waits at b. Then a is closed, and started again."""

    async def test() -> None:
        network = MemoryNetwork()
        shared = {"algorithm": "hierarchy", "processes": [*"abcde"], "representatives": CLUSTERS, "space": "s"}
        settings = shared | {"store": tmp_path, "trace": tmp_path / "trace"}
        async with nodes(network, "b c d e", **{k: v for k, v in settings.items() if k != "space"}) as (b, c, d, e):
            async with join(network, process="a", **settings) as a:  # type: ignore[arg-type]  # settings in a dict have no types of their own
                await a.send({"e"}, b"the last of a")
                assert await take(e, 1) == [b"the last of a"]
                leaving = asyncio.create_task(a.leave())
                await eventually(lambda: a._durable.departure.step == BEGUN and not a._durable.departure.unsettled)
                network.partition({"a"}, {"d"})
                await eventually(lambda: a._durable.departure.step == HANDED_OVER)
                await eventually(lambda: "a" in b._durable.algorithm.inner.succession.quiet)  # type: ignore[attr-defined]  # the inside of a hierarchy
                await b.send({"e"}, b"kept")
                assert [str(held) for held in b.pending()] == ["b:1 waits for successor 1 of a"]
                leaving.cancel()
                with suppress(asyncio.CancelledError):
                    await leaving
            network.heal()
            with pytest.raises(Misuse, match="that was interrupted is complete"):
                async with join(network, process="a", **settings):  # type: ignore[arg-type]  # settings in a dict have no types of their own
                    pass
            assert await take(e, 1) == [b"kept"]
            await e.send({"c"}, b"to the successor")
            assert await take(c, 1) == [b"to the successor"]
            await eventually(lambda: d.counts()["processes"] == 4)

    run(test)
    verdict = judge_traces(tmp_path / "trace")
    assert (verdict.verdict, verdict.lost, verdict.duplicates, verdict.spurious) == ("holds", 0, 0, 0)


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
