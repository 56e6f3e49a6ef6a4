"""When the send of a message is recorded: when it was sent, and with a synchronous algorithm when it leaves."""

import asyncio
import random
from contextlib import closing
from pathlib import Path

from antecede.judge.events import Event
from antecede.judge.orders import judge_orders
from antecede.judge.trace import arrange
from antecede.runtime import Faults, MemoryNetwork, Node, join
from antecede.runtime.node.traced_events import EARLY
from antecede.runtime.state.store import Store
from tests.runtime.nodes import eventually, nodes, read_traces, run, take

NAMES = ["a", "b", "c", "d"]
MESSAGES = 60


async def take_all(node: Node) -> None:
    async for message in node:
        await message.ack()


def record(folder: Path, algorithm: str, seed: int) -> list[Event]:
    """Send many messages at the same time over bad wires, and return the events of all processes."""
    chance = random.Random(seed)

    async def test() -> None:
        network = MemoryNetwork(seed, Faults(drop=0.1, duplicate=0.2, delay_s=0.005))
        settings = {"algorithm": algorithm, "processes": NAMES, "trace": folder}
        async with nodes(network, " ".join(NAMES), **settings) as everybody:
            taking = [asyncio.create_task(take_all(node)) for node in everybody]
            for number in range(MESSAGES):
                await everybody[number % len(NAMES)].send({chance.choice(NAMES)}, b"hello")
            await eventually(lambda: sum(node.counts()["delivered"] for node in everybody) == MESSAGES)
            for task in taking:
                task.cancel()

    run(test)
    return read_traces(folder)


def test_a_trace_of_rendezvous_has_no_crown(tmp_path: Path) -> None:
    for seed in range(3):
        events = record(tmp_path / str(seed), "rendezvous", seed)
        (found,) = map(judge_orders, arrange(events))
        assert {order: judged.verdict for order, judged in found.items()} == dict.fromkeys(found, "holds")
        sends = [event for event in events if event.kind == "send"]
        assert len({event.message for event in sends}) == len(sends) == MESSAGES
        assert any(event.dests == (event.process,) for event in sends)
        assert {event.control_entries for event in sends} == {0, None}  # a message to oneself has no packet


def test_that_of_mf_has_one(tmp_path: Path) -> None:
    (found,) = map(judge_orders, arrange(record(tmp_path, "mf", 1)))
    assert (found["causal"].verdict, found["synchronous"].verdict) == ("holds", "violated")


def test_sends_that_an_earlier_release_recorded_are_not_recorded_again(tmp_path: Path) -> None:
    """It recorded them when they were sent, and its stores do not have the fact that says so."""
    settings = {"space": "s", "algorithm": "rendezvous", "processes": ["a", "b"], "store": tmp_path / "stores"}

    async def test() -> None:
        network = MemoryNetwork()
        async with join(network, process="a", **settings) as a:  # type: ignore[arg-type]  # settings in a dict have no types of their own
            await a.send({"b"}, b"one")
            await a.send({"b"}, b"two")
        (path,) = (tmp_path / "stores").rglob("*.sqlite")
        with closing(Store(path)) as store:
            store.drop(EARLY)
            store.commit()
        traced = {**settings, "trace": tmp_path / "trace"}
        async with join(network, process="a", **traced) as a, join(network, process="b", **traced) as b:  # type: ignore[arg-type]  # as above
            await a.send({"b"}, b"three")
            assert await take(b, 3) == [b"one", b"two", b"three"]

    run(test)
    sends = [event.message for event in read_traces(tmp_path / "trace") if event.kind == "send"]
    assert sends == ["a:3"]
