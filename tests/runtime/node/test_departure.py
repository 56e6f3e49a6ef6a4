"""Leaving for good: order is kept, nothing is lost, nobody waits for who has gone, and what was interrupted goes on."""

import asyncio
import random
from pathlib import Path

import pytest

from antecede.core.effects import Transmit
from antecede.core.errors import Misuse
from antecede.core.registry import restore
from antecede.runtime import Faults, Limits, MemoryNetwork, NameTaken, Node, NodeClosed, join
from antecede.runtime.frames import FAREWELL, leaving_word, open_envelope
from antecede.runtime.transport.contract import Unreachable
from antecede.runtime.transport.memory import MemoryTransport
from tests.runtime.nodes import WAIT_S, eventually, judge_traces, nodes, run, take

OPEN_ALGORITHMS = ["ks", "prs", "rst", "ses"]


async def exchange(payload: bytes, a: Node, b: Node) -> None:
    """First a says it to b, who gets it, and then b to a."""
    for one, other in ((a, b), (b, a)):
        await one.send({other.process}, payload)
        assert await take(other, 1) == [payload]


@pytest.mark.parametrize("algorithm", OPEN_ALGORITHMS)
def test_what_is_held_back_keeps_its_order_when_its_sender_leaves(algorithm: str) -> None:
    """c can not be told a1; b1 and b2 wait for it, and d1 for b1. b leaves only when c has got them."""

    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b c d", algorithm=algorithm) as (a, b, c, d):
            network.partition({"a"}, {"c"})
            await a.send({"b", "c"}, b"a1")
            await take(b, 1)
            await b.send({"c", "d"}, b"b1")
            await b.flush()
            await b.send({"c"}, b"b2")
            await take(d, 1)
            leaving = asyncio.create_task(b.leave())
            await d.send({"c"}, b"d1")
            await eventually(lambda: len(c.pending()) == 3)
            network.heal()
            got = await take(c, 4)
            assert got[:2] == [b"a1", b"b1"]
            assert set(got) == {b"a1", b"b1", b"b2", b"d1"}
            await asyncio.wait_for(leaving, WAIT_S)

    run(test)


@pytest.mark.parametrize("seed", range(6))
def test_everybody_talks_and_leaves(tmp_path: Path, seed: int) -> None:
    """Order holds, and nothing that was sent is lost, over wires that lose and repeat."""
    chance = random.Random(seed)
    faults = Faults(drop=0.2, duplicate=0.2, delay_s=0.01)

    async def life(node: Node, everybody: list[str]) -> None:
        for _ in range(8):
            dest = chance.choice([name for name in everybody if name != node.process])
            try:
                await node.send({dest}, b"hello")
            except Misuse:
                continue  # it has left
            await asyncio.sleep(chance.random() * 0.02)
        await node.leave()

    async def test() -> None:
        async with nodes(MemoryNetwork(seed, faults), "a b c d e", trace=tmp_path) as everybody:
            names = [node.process for node in everybody]
            await asyncio.wait_for(asyncio.gather(*(life(node, names) for node in everybody)), WAIT_S)

    run(test)
    verdict = judge_traces(tmp_path)
    assert (verdict.verdict, verdict.violations, verdict.duplicates) == ("holds", 0, 0)


def test_leaving_that_was_interrupted_goes_on_when_the_process_is_started_again(tmp_path: Path) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "b c", store=tmp_path) as (b, c):
            async with join(network, space="s", process="a", store=tmp_path) as a:
                await a.send({"b", "c"}, b"hi")
                await take(b, 1)
                await take(c, 1)
                network.partition({"a"}, {"b"})
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(a.leave(), 0.3)
                with pytest.raises(NodeClosed, match="leaving"):
                    await a.send({"b"}, b"more")
            network.heal()
            for _ in range(2):
                with pytest.raises(Misuse, match="has left"):
                    async with join(network, space="s", process="a", store=tmp_path):
                        pass
            await eventually(lambda: b.counts()["processes"] == 1 == c.counts()["processes"])
            assert [name for _, name in network.inboxes] == ["b", "c"]

    run(test)


def test_leaving_that_was_interrupted_and_waits_for_somebody_who_is_gone_can_be_ended(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """`join` says for whom it waits each time, and how to give up."""

    async def test() -> None:
        network = MemoryNetwork()
        async with join(network, space="s", process="b", store=None):
            pass
        async with join(network, space="s", process="a", store=tmp_path) as a:
            await a.send({"b"}, b"hi")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(a.leave(), 0.3)
        for _ in range(2):
            caplog.clear()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(join(network, space="s", process="a", store=tmp_path).__aenter__(), 0.3)
            assert "a: leave() was interrupted and goes on" in caplog.text
            assert "Not known yet of b. Start what is not running, or use join(..., give_up=[...])" in caplog.text
        with pytest.raises(Misuse, match=r"'a' has left space 's': the leave\(\) that was interrupted is complete"):
            async with join(network, space="s", process="a", store=tmp_path, give_up=["b"]):
                pass
        assert [name for _, name in network.inboxes] == ["b"]

    caplog.set_level("WARNING", "antecede")
    run(test)


def test_a_token_is_not_handed_to_somebody_who_is_leaving_too() -> None:
    async def test() -> None:
        names = ["a", "b", "c"]
        async with nodes(MemoryNetwork(), "a b c", algorithm="serial-multicast", processes=names) as (a, b, c):
            await asyncio.wait_for(asyncio.gather(a.leave(), b.leave()), WAIT_S)
            await c.send({"c"}, b"alone")
            assert await take(c, 1) == [b"alone"]

    run(test)


@pytest.mark.parametrize("algorithm", ["mf", "rendezvous", "sps", "serial-multicast", "serial-broadcast"])
def test_what_the_algorithm_has_not_let_go_yet_is_waited_for(tmp_path: Path, algorithm: str) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        settings = {"space": "s", "algorithm": algorithm, "processes": ["a", "b"], "store": tmp_path}
        async with join(network, process="a", **settings):  # type: ignore[arg-type]  # settings in a dict have no types of their own
            pass
        async with join(network, process="b", **settings) as b:  # type: ignore[arg-type]  # settings in a dict have no types of their own
            await b.send("a", b"one")
            await b.send("a", b"two")
            leaving = asyncio.create_task(b.leave())
            await asyncio.sleep(0.1)
            async with join(network, process="a", **settings) as a:  # type: ignore[arg-type]  # settings in a dict have no types of their own
                assert await take(a, 2) == [b"one", b"two"]
                await asyncio.wait_for(leaving, WAIT_S)

    run(test)


def test_who_is_needed_can_not_leave_and_goes_on() -> None:
    async def test() -> None:
        shared = {
            "algorithm": "hierarchy",
            "processes": [*"abc"],
            "representatives": [{"a": [], "b": ["c"]}, {"a": ["b"]}],
        }
        async with nodes(MemoryNetwork(), "a b c", **shared) as (a, b, _):
            with pytest.raises(Misuse, match="'a' represents 'b' on a higher level"):
                await a.leave()
            await a.send({"b"}, b"still here")
            assert await take(b, 1) == [b"still here"]

    run(test)


def test_an_inbox_that_is_gone_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to a farewell is lost on its way back, and meanwhile who got it has left too."""
    publish = MemoryTransport.publish
    lost: list[str] = []

    async def forgetful(self: MemoryTransport, to: str, data: bytes, key: str) -> None:
        await publish(self, to, data, key)
        if open_envelope(data).frame == leaving_word(FAREWELL) and self.process == "d" and not lost:
            lost.append(to)
            raise Unreachable("no answer")

    monkeypatch.setattr(MemoryTransport, "publish", forgetful)

    async def test() -> None:
        async with nodes(MemoryNetwork(), "c d", limits=Limits(back_off_s=(0.3, 2.0))) as (c, d):
            await d.send({"c"}, b"x")
            await take(c, 1)
            leaving = asyncio.create_task(d.leave())
            await eventually(lambda: c.counts()["processes"] == 1)
            await c.leave()
            await asyncio.wait_for(leaving, WAIT_S)
            assert lost

    run(test)


def test_a_process_does_not_give_itself_up() -> None:
    async def test() -> None:
        async with nodes(MemoryNetwork(), "a") as (a,):
            with pytest.raises(Misuse, match="call leave"):
                await a.give_up("a")

    run(test)


def test_who_takes_the_name_of_somebody_who_left_is_refused() -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "b") as (b,):
            async with nodes(network, "a") as (a,):
                await a.send({"b"}, b"1")
                await take(b, 1)
                await a.leave()
            with pytest.raises(NameTaken, match="has left"):
                async with nodes(network, "a"):
                    pass
            del network.registrations["s", "a"]  # the broker has forgotten that it left
            async with nodes(network, "a") as (impostor,):
                await impostor.send({"b"}, b"I am a")
                await eventually(lambda: b.counts()["refused"] == 1)

    run(test)


def test_a_list_of_processes_may_grow_between_two_starts(tmp_path: Path) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        settings = {"algorithm": "vector", "store": tmp_path}
        async with nodes(network, "a b", processes=["a", "b"], **settings):
            pass
        async with nodes(network, "a b c", processes=["a", "b", "c"], **settings) as (a, b, c):
            await a.send({"b", "c"}, b"to all")
            assert await take(b, 1) == await take(c, 1) == [b"to all"]

    run(test)


def test_a_closed_node_has_no_next_message() -> None:
    async def test() -> None:
        async with nodes(MemoryNetwork(), "a") as (a,):
            await a.leave()
            with pytest.raises(NodeClosed, match="left"):
                await a.next_within(1.0)

    run(test)


def test_the_outbox_has_its_limit_within_one_turn_too() -> None:
    async def test() -> None:
        async with nodes(MemoryNetwork(), "a", limits=Limits(outbox=10)) as (a,):
            sending = [asyncio.create_task(a.send({"nobody"}, b"x")) for _ in range(100)]
            await eventually(lambda: sum(task.done() for task in sending) >= 9)
            await asyncio.sleep(0.1)
            assert a.counts()["outbox"] <= 10
            for task in sending:
                task.cancel()
            await asyncio.gather(*sending, return_exceptions=True)

    run(test)


def test_who_left_is_forgotten_and_its_name_is_not_reused(tmp_path: Path) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b", store=tmp_path) as (a, b):
            await exchange(b"bye", a, b)
            await a.leave()
            await eventually(lambda: b.counts()["processes"] == 1)
            with pytest.raises(NodeClosed, match="left"):
                await a.send({"b"}, b"one more thing")
            with pytest.raises(Misuse, match="has left"):
                await b.send({"a"}, b"come back")
        with pytest.raises(Misuse, match="cannot be used again"):
            async with nodes(network, "a", store=tmp_path):
                pass

    run(test)


def test_everybody_may_leave_at_once() -> None:
    async def test() -> None:
        async with nodes(MemoryNetwork(), "a b c d") as everybody:
            for node in everybody:
                await node.send({"a", "b", "c", "d"}, node.process.encode())
            leaving = [asyncio.create_task(node.leave()) for node in everybody]
            await asyncio.wait_for(asyncio.gather(*leaving), WAIT_S)

    run(test)


def test_who_is_leaving_too_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b") as (a, b):
            await a.send({"b"}, b"hi")
            await take(b, 1)
            await b.leave()
            await eventually(lambda: a.counts()["processes"] == 1)

            async def still_there(_: object) -> list[str]:
                return ["a", "b"]

            monkeypatch.setattr(MemoryTransport, "peers", still_there)
            await asyncio.wait_for(a.leave(), WAIT_S)

    run(test)


def kept_by(node: Node) -> tuple[int, int, list[str]]:
    """How long a packet of this process is, its state, and the names of the facts in its store."""
    durable = node._durable
    state = durable.algorithm.snapshot()
    twin = restore(state)
    (packet,) = [effect.packet for effect in twin.send({"b"}, b"") if isinstance(effect, Transmit)]
    facts = sorted(key for key in durable.store.facts if not key.startswith("departed "))
    return len(durable.rosters.codec.encode(packet)), len(state), facts


def test_nothing_grows_with_those_who_left(tmp_path: Path) -> None:
    """Forty guests come, talk to everybody and leave for good. Of each its name remains, in two places of the state;
    packets, facts, rosters and lanes are as if they had never been. So it is after a restart."""
    guests = [f"guest{number:02}" for number in range(40)]

    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b", store=tmp_path) as (a, b):
            await exchange(b"hello", a, b)
            before = kept_by(a)
            for guest in guests:
                async with nodes(network, guest) as (one,):
                    await one.send({"a", "b"}, b"hello")
                    await take(a, 1)
                    await take(b, 1)
                    await a.send({"b", guest}, b"hello")
                    await take(b, 1)
                    await take(one, 1)
                    await one.leave()
            await eventually(lambda: (a.counts()["processes"], b.counts()["processes"]) == (2, 2))
            await b.send({"a"}, b"all gone")
            await take(a, 1)
            packet, state, facts = kept_by(a)
            assert packet <= before[0] + 4  # numbers that are longer now
            assert state <= before[1] + len(guests) * 2 * (len("guest00") + 6)  # a name, and how long it is
            assert not [fact for fact in facts if "guest" in fact]
            assert len(facts) <= len(before[2]) + 2  # of b, the roster it has now, and which of ours it was told
            assert len(a._durable.rosters.names) <= 3  # the living, and the last guest
            assert sorted(a._outbox.queues) == ["b"]
        async with nodes(network, "a b", store=tmp_path) as (a, b):
            assert kept_by(a) == (packet, state, facts)
            await a.send({"b"}, b"and we are still here")
            assert await take(b, 1) == [b"and we are still here"]

    run(test)


def test_what_is_owed_to_somebody_who_is_given_up_is_not_owed_any_more(tmp_path: Path) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b", store=tmp_path) as (a, b):
            await a.send({"b", "ghost"}, b"anybody there?")
            assert await take(b, 1) == [b"anybody there?"]
            await eventually(lambda: a.counts()["outbox"] > 0 and a._outbox.queues["ghost"].blocked_since is not None)
            await a.give_up("ghost")
            await eventually(lambda: a.counts()["outbox"] == 0)
            await eventually(lambda: not a.status()["stalls"])
        async with nodes(network, "a", store=tmp_path) as (a,):
            assert a.counts()["outbox"] == 0

    run(test)
