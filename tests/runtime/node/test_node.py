"""What an application sees of a node, over a network in memory with every fault there is."""

import asyncio
import random
import re
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from antecede.core.errors import Misuse
from antecede.core.types import MessageId
from antecede.runtime import (
    Faults,
    Limits,
    MemoryNetwork,
    NameTaken,
    Node,
    StoreError,
    join,
    join_sync,
)
from antecede.runtime.state.store import Store
from tests.paths import ROOT
from tests.runtime.nodes import WAIT_S, eventually, judge_traces, nodes, run, take

ROUGH = Faults(drop=0.2, duplicate=0.2, shuffle=0.3, delay_s=0.01)
GUIDE = ROOT / "docs" / "guide" / "06-enforcing.md"


@pytest.mark.parametrize("algorithm", ["ks", "ses", "rst", "vector", "serial-multicast", "history", "sps"])
def test_a_rough_network_changes_nothing(tmp_path: Path, algorithm: str) -> None:
    """Dropped, doubled, shuffled, late: everything is delivered once and in causal order, with any algorithm."""
    names = ["a", "b", "c"]

    async def talk(node: Node, chance: random.Random, broadcast: bool) -> None:
        others = [name for name in names if name != node.process]
        for n in range(25):
            dests = others if broadcast else chance.sample(others, chance.randint(1, 2))
            await node.send(set(dests), b"%d" % n)
            await asyncio.sleep(chance.random() * 0.01)

    async def test() -> None:
        broadcast = algorithm in ("vector", "history")
        settings = {"algorithm": algorithm, "processes": names, "trace": tmp_path}
        async with nodes(MemoryNetwork(1, ROUGH), "a b c", **settings) as joined:
            await asyncio.gather(*(talk(node, random.Random(seed), broadcast) for seed, node in enumerate(joined)))
            await eventually(lambda: all(node.counts()["outbox"] == 0 == node.counts()["held_back"] for node in joined))
            await eventually(lambda: judge_traces(tmp_path).lost == 0)

    run(test)
    verdict = judge_traces(tmp_path)
    assert (verdict.verdict, verdict.messages, verdict.lost, verdict.duplicates) == ("holds", 75, 0, 0)


def test_an_algorithm_with_groups_and_timers(tmp_path: Path) -> None:
    """`mr` sets timers, sends to groups by name, and needs channels in order, which the node makes so."""
    groups = {"g1": ["a", "b"], "g2": ["b", "c"], "g3": ["a", "b", "c"]}
    settings = {"algorithm": "mr", "processes": ["a", "b", "c"], "groups": groups, "resynch_after_s": 0.05}

    async def talk(node: Node, chance: random.Random) -> None:
        mine = sorted(group for group, members in groups.items() if node.process in members)
        for n in range(15):
            await node.send(chance.choice(mine), b"%d" % n)
            await asyncio.sleep(chance.random() * 0.01)

    async def test() -> None:
        async with nodes(MemoryNetwork(2, ROUGH), "a b c", trace=tmp_path, **settings) as joined:
            await asyncio.gather(*(talk(node, random.Random(seed)) for seed, node in enumerate(joined)))
            await eventually(lambda: judge_traces(tmp_path).lost == 0)

    run(test)
    verdict = judge_traces(tmp_path)
    assert (verdict.verdict, verdict.messages, verdict.lost, verdict.duplicates) == ("holds", 45, 0, 0)


def test_pending_and_stalls_name_the_missing_message() -> None:
    """a tells b and c; c answers b; what a told b is stuck: b knows what it waits for, and from whom."""

    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b c", limits=Limits(stall_after_s=0.05)) as (a, b, c):
            network.partition({"a"}, {"b"})
            await a.send({"b", "c"}, b"lost my ring")
            assert await take(c, 1) == [b"lost my ring"]
            await c.send({"b"}, b"oh no")
            await eventually(lambda: bool(b.pending()))
            assert b.pending()[0].messages == (MessageId("a", 1),)
            stall = await anext(b.stalls())
            assert (stall.message, stall.awaited_from) == (MessageId("c", 1), ("a",))
            assert "message 1 of a" in str(stall)
            blocked = await anext(a.stalls())
            assert (blocked.to, "cut off" in str(blocked)) == ("b", True)
            network.heal()
            assert await take(b, 2) == [b"lost my ring", b"oh no"]

    run(test)


def test_what_waits_is_told_in_every_way_of_asking_that_the_guide_names(caplog: pytest.LogCaptureFixture) -> None:
    """And to whoever does not ask, it is logged once, as a warning, with the same words."""
    promise = re.search(r"\* \*\*You are told what waits\*\*.*?\n\* ", GUIDE.read_text(), re.DOTALL)
    assert promise is not None
    ways = re.findall(r"`(.*?)`", promise[0])
    assert ways == [
        'logging.getLogger("antecede")',
        "leave",
        f"Limits(forgotten_after_s={Limits().forgotten_after_s})",
        "node.problems()",
        "node.pending()",
        "async for stall in node.stalls()",
        f"Limits(stall_after_s={Limits().stall_after_s})",
        "antecede status",
        "antecede_held_back",
        "antecede_outbox",
        "antecede_problems",
    ]

    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b c", limits=Limits(stall_after_s=0.05)) as (a, b, c):
            network.partition({"a"}, {"b"})
            await a.send({"b", "c"}, b"lost my ring")
            await take(c, 1)
            await c.send({"b"}, b"oh no")
            await eventually(lambda: bool(b.pending()))
            assert [str(held) for held in b.pending()] == ["c:1 waits for message 1 of a"]
            async for stall in b.stalls():
                assert str(stall).endswith("for message 1 of a")
                break
            assert [(problem.kind, problem.key) for problem in b.problems()] == [("held back", (stall.message, None))]
            await eventually(lambda: len(caplog.records) == 2)
            answer = b.status()["stalls"]  # what `antecede status` shows
            assert isinstance(answer, list)
            assert [(one["what"], one["from"]) for one in answer] == [("c:1", ["a"])]
            assert 'antecede_held_back{process="b"} 1.0' in b.metrics.text()
            assert 'antecede_outbox{process="a"} 1.0' in a.metrics.text()
            assert 'antecede_problems{kind="held back",process="b"} 1.0' in b.metrics.text()
            assert {(record.name, record.levelname) for record in caplog.records} == {("antecede", "WARNING")}
            said = sorted(record.getMessage() for record in caplog.records)
            assert re.fullmatch(r"a: 1 packet has waited 0\.\d s for the inbox of b: .* cut off .*", said[0])
            assert re.fullmatch(r"b: c:1 has waited 0\.\d s for message 1 of a", said[1])
            network.heal()
            await take(b, 2)
            await eventually(lambda: len(caplog.records) == 4)
            assert all("this is over" in record.getMessage() for record in caplog.records[2:])

    run(test)


def test_a_message_to_somebody_who_is_not_there_yet_waits() -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a", limits=Limits(stall_after_s=0.05)) as (a,):
            await a.send({"late"}, b"hello")
            stall = await anext(a.stalls())
            assert stall.to == "late"
            assert "no inbox" in stall.reason
            async with nodes(network, "late") as (late,):
                assert await take(late, 1) == [b"hello"]

    run(test)


def test_who_sends_and_ends_has_sent_to_somebody_who_came_later() -> None:
    """The next try would be in a minute, and the sender ends now. The receiver has joined, so it gets the message."""

    async def test() -> None:
        network = MemoryNetwork()
        limits = Limits(back_off_s=(60.0, 60.0))
        async with join(network, space="s", process="a", limits=limits, store=None) as a:
            await a.send({"b"}, b"hello")
            await a.flush()  # there is no inbox to wait for
            assert a.counts()["outbox"] > 0
            async with join(network, space="s", process="b", store=None):
                pass
        assert a.counts()["outbox"] == 0

    run(test)


def test_what_was_not_acknowledged_is_offered_again_in_order(tmp_path: Path) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        again = partial(nodes, network, "b", store=tmp_path)
        async with nodes(network, "a") as (a,), again() as (b,):
            for n in range(5):
                await a.send({"b"}, b"%d" % n)
            first = await b.next_within(WAIT_S)
            second = await b.next_within(WAIT_S)
            assert first is not None
            assert second is not None
            await second.ack()
            await eventually(lambda: b.counts()["delivered"] == 5)
        async with again() as (b,):
            assert await take(b, 4) == [b"0", b"2", b"3", b"4"]
        async with again() as (b,):
            assert await b.next_within(0.05) is None

    run(test)


def test_a_lying_packet_is_refused_and_touches_nothing() -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b") as (a, b):
            liar = network.transport("s", "liar", "x")
            await liar.publish("b", b"\1\0\3\x10bc", "k")
            await liar.publish("b", b"\0 is rubbish", "k")
            await a.send({"b"}, b"true")
            assert await take(b, 1) == [b"true"]
            await eventually(lambda: b.counts()["refused"] == 2)
            assert network.inboxes["s", "b"].waiting == []
            assert 'antecede_refused_total{process="b"} 2.0' in b.metrics.text()

    run(test)


def test_a_name_without_its_store_is_taken() -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a"):
            pass
        with pytest.raises(NameTaken, match="cannot be used again"):
            async with nodes(network, "a"):
                pass

    run(test)


def test_a_store_stays_what_it_was(tmp_path: Path) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a", store=tmp_path):
            pass
        with pytest.raises(Misuse, match="has algorithm ks, and was opened with rst: use a new space"):
            async with nodes(network, "a", store=tmp_path, algorithm="rst"):
                pass

    run(test)


def test_a_full_disk_stops_the_node_and_a_restart_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The send that did not fit raises, nothing of it gets out, and everything before it is there afterwards."""

    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "b") as (b,):
            with monkeypatch.context() as patch:
                patch.setattr("antecede.runtime.node.join.Store", partial(Store, pages_max=60))
                async with nodes(network, "a", store=tmp_path) as (a,):
                    await a.send({"b"}, b"fits")
                    with pytest.raises(StoreError, match="full"):
                        await a.send({"b"}, bytes(300_000))
                    with pytest.raises(StoreError, match="full"):
                        await a.send({"b"}, b"too late")
            assert await take(b, 1) == [b"fits"]
            async with nodes(network, "a", store=tmp_path) as (a,):
                assert a.sent == 1
                await a.send({"b"}, b"room again")
                assert await take(b, 1) == [b"room again"]

    run(test)


def test_time_that_jumps_is_no_reason_for_anything() -> None:
    """The clock of a node is its own: one that stands still and one that leaps both see every message."""
    times = iter([5.0, 5.0, 1e9, 1e9] + [2e9] * 100_000)

    async def test() -> None:
        network = MemoryNetwork()
        async with (
            nodes(network, "a", clock=lambda: 1.0) as (a,),
            nodes(network, "b", clock=lambda: next(times)) as (b,),
        ):
            for n in range(5):
                await a.send({"b"}, b"%d" % n)
            assert await take(b, 5) == [b"0", b"1", b"2", b"3", b"4"]

    run(test)


def test_metrics_are_served_on_the_loopback_interface() -> None:
    async def test() -> None:
        async with nodes(MemoryNetwork(), "a b") as (a, b):
            await a.send({"b"}, b"1")
            await take(b, 1)
            server = b.metrics.serve(0)
            with server:
                address = f"http://127.0.0.1:{server.server_port}/metrics"
                answer = await asyncio.to_thread(lambda: urlopen(address).read().decode())
                server.shutdown()
            assert 'antecede_delivered_total{process="b"} 1.0' in answer
            assert 'antecede_inbox{process="b"} 0.0' in answer

    run(test)


def test_batches_are_acknowledged_together(tmp_path: Path) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a") as (a,), nodes(network, "b", store=tmp_path) as (b,):
            for n in range(6):
                await a.send({"b"}, b"%d" % n)
            await eventually(lambda: b.counts()["inbox"] == 6)
            batch = await anext(b.batches(4))
            await b.ack(batch)
            assert [message.payload for message in batch] == [b"0", b"1", b"2", b"3"]
            assert b.counts()["inbox"] == 2

    run(test)


def test_a_payload_that_no_broker_takes_is_misuse() -> None:
    async def test() -> None:
        async with nodes(MemoryNetwork(), "a b") as (a, _):
            with pytest.raises(Misuse, match="split it"):
                await a.send({"b"}, bytes(5 * 2**20))
            with pytest.raises(Misuse, match="bytes"):
                await a.send({"b"}, "text")  # type: ignore[arg-type]  # the wrong type is the test
            with pytest.raises(Misuse, match="bytes"):
                await a.send({"b"}, None)  # type: ignore[arg-type]  # the wrong type is the test
            with pytest.raises(Misuse, match="destinations"):
                await a.send(None, b"")  # type: ignore[arg-type]  # the wrong type is the test
            with pytest.raises(Misuse, match="name"):
                await a.send({5}, b"")  # type: ignore[arg-type]  # the wrong type is the test


@pytest.mark.parametrize(("space", "process"), [("", "a"), ("x" * 1_001, "a"), ("shop", ""), ("shop", 5)])
def test_names_that_no_broker_takes_are_misuse(space: str, process: Any) -> None:
    async def test() -> None:
        with pytest.raises(Misuse, match="name"):
            async with join(MemoryNetwork(), space=space, process=process):
                pass

    run(test)


def test_an_algorithm_that_has_to_know_everybody_says_so() -> None:
    async def test() -> None:
        with pytest.raises(Misuse, match="processes="):
            async with nodes(MemoryNetwork(), "a", algorithm="vector"):
                pass

    run(test)


def test_the_synchronous_node(tmp_path: Path) -> None:
    with (
        join_sync("embedded://", space="s", process="a") as a,
        join_sync("embedded://", space="s", process="b", trace=tmp_path) as b,
    ):
        a.send({"b"}, b"hello")
        message = b.receive(WAIT_S)
        assert message is not None
        message.ack()
        assert (message.payload, message.sender, b.receive(0.01)) == (b"hello", "a", None)
        assert (b.pending(), b.stalls(), b.counts()["delivered"]) == ((), [], 1)
        a.leave()
