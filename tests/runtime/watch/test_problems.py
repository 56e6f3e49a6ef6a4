"""What is wrong is told when it begins and when it is over: as a value, in the log, in metrics and in status."""

import asyncio
from pathlib import Path

import pytest

from antecede.runtime import (
    AcknowledgementMissing,
    HoldBackLimitReached,
    InboxFull,
    LeavingWaits,
    Limits,
    MemoryNetwork,
    NatsOptions,
    NeverAcknowledged,
    NoSuchProcess,
    OutboxFull,
    join,
    join_sync,
)
from antecede.runtime.node.departure import HANDED_OVER
from antecede.runtime.roaming.websocket import AirLimits
from antecede.runtime.transport.delayed import SlowNetwork
from antecede.runtime.transport.memory import MemoryTransport
from antecede.runtime.transport.nats.options import NatsLimits
from antecede.runtime.watch.problem_log import ProblemLog, find_broker_lost
from antecede.runtime.watch.problems import Problem
from antecede.runtime.watch.words import plural
from tests.runtime.cells import cat_lacks_one, cells, until
from tests.runtime.logged import said
from tests.runtime.nodes import eventually, nodes, run, take

FORGOTTEN = "1 message is not acknowledged, although later ones are: the oldest is "


def test_a_destination_that_nobody_started_is_told_with_names_that_are_like_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With the limits as they are: within seconds, and once more when somebody is there."""

    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "billing stock") as (billing, _):
            await billing.send({"stok"}, b"paid")
            await eventually(lambda: bool(caplog.records))
            (problem,) = billing.problems()
            assert isinstance(problem, NoSuchProcess)
            assert (problem.to, problem.owed, problem.similar) == ("stok", 1, ("stock",))
            words = "billing: there is no process 'stok' in space 's': .* 1 packet waits for it. Did you mean 'stock'"
            assert str(problem).endswith("Did you mean 'stock'? If nobody ever starts it, call give_up('stok')")
            assert said(caplog, words) == 1
            assert 'antecede_problems{kind="no such process",process="billing"} 1.0' in billing.metrics.text()
            async with nodes(network, "stok") as (stok,):
                await take(stok, 1)
                await eventually(lambda: said(caplog, "this is over: there is no process 'stok'") == 1)
            assert billing.problems() == []

    run(test)


def test_a_full_inbox(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with nodes(MemoryNetwork(), "a b", limits=Limits(inbox=3)) as (a, b):
            for n in range(3):
                await a.send({"b"}, b"%d" % n)
                await a.flush()
            await eventually(lambda: said(caplog, r"b: 3 messages are not acknowledged; nothing more is taken") == 1)
            (problem,) = b.problems()
            assert (problem, problem.kind) == (InboxFull(problem.since_s, 3), "inbox full")
            shown = b.status()["problems"]
            assert isinstance(shown, list)
            assert [one["text"] for one in shown] == [str(problem)]
            await take(b, 3)
            await eventually(lambda: said(caplog, "this is over: 3 messages are not acknowledged") == 1)

    run(test)


def test_some_messages_that_are_forgotten_while_later_ones_are_acknowledged(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with nodes(MemoryNetwork(), "a b", limits=Limits(forgotten_after_s=0.2)) as (a, b):
            for n in range(3):
                await a.send({"b"}, b"%d" % n)
            first, forgotten, last = [await anext(b) for _ in range(3)]
            await b.ack([first, last])
            await eventually(lambda: said(caplog, f"b: {FORGOTTEN}a:2, taken .* ago.*await message.ack") == 1)
            (problem,) = b.problems()
            assert problem == AcknowledgementMissing(problem.since_s, 1, forgotten.id)
            assert 'antecede_problems{kind="acknowledgement missing",process="b"} 1.0' in b.metrics.text()
            await forgotten.ack()
            await eventually(lambda: said(caplog, f"this is over: {FORGOTTEN}") == 1)

    run(test)


def test_messages_that_are_taken_and_never_acknowledged(caplog: pytest.LogCaptureFixture) -> None:
    """A newcomer who forgets `ack` sees it in the terminal, long before the inbox is full."""

    async def test() -> None:
        async with nodes(MemoryNetwork(), "a b") as (a, b):
            for n in range(3):
                await a.send({"b"}, b"%d" % n)
            first = [await anext(b) for _ in range(3)]
            await eventually(
                lambda: said(caplog, r"b: 3 messages are taken and none acknowledged.*await message.ack") == 1
            )
            (problem,) = b.problems()
            assert isinstance(problem, NeverAcknowledged)
            await b.ack(first)
            await eventually(lambda: said(caplog, "this is over") == 1)

    run(test)


def test_a_full_outbox(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b", limits=Limits(outbox=3)) as (a, b):
            network.partition({"a"}, {"b"})
            sending = [asyncio.create_task(a.send({"b"}, b"%d" % n)) for n in range(5)]
            await eventually(lambda: said(caplog, r"a: 3 packets wait for b, which is the limit: send\(\) waits") == 1)
            assert any(isinstance(problem, OutboxFull) and problem.to == ("b",) for problem in a.problems())
            network.heal()
            await asyncio.gather(*sending)
            await eventually(lambda: said(caplog, "this is over: .* packets wait") == 1)
            await take(b, 5)

    run(test)


def test_a_limit_of_what_is_held_back_that_is_reached(caplog: pytest.LogCaptureFixture) -> None:
    """Long before anything is a stall: what is left with the broker, the limit, and what to do."""
    words = r"b: 6 frames are left with the broker.*hold_back_limit=2 is reached: 2 messages are held back.*give_up\(\)"

    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a c") as (a, c), nodes(network, "b", hold_back_limit=2) as (b,):
            network.partition({"a"}, {"b"})
            await a.send({"b", "c"}, b"cause")
            await take(c, 1)
            for n in range(8):
                await c.send({"b"}, b"%d" % n)
                await c.flush()
            await eventually(lambda: said(caplog, words) == 1)
            (problem,) = b.problems()
            assert problem == HoldBackLimitReached(problem.since_s, held_back=2, limit=2, frames=6)
            assert 'antecede_problems{kind="hold-back limit",process="b"} 1.0' in b.metrics.text()
            network.heal()
            await take(b, 9)
            await eventually(lambda: said(caplog, "this is over: 6 frames are left with the broker") == 1)
            assert b.problems() == []

    run(test)


def test_an_outbox_that_one_message_fills(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b", limits=Limits(outbox=1)) as (a, b):
            network.partition({"a"}, {"b"})
            sending = [asyncio.create_task(a.send({"b"}, b"%d" % n)) for n in range(2)]
            await eventually(lambda: said(caplog, "a: 1 packet waits for b, which is the limit") == 1)
            network.heal()
            await asyncio.gather(*sending)
            await take(b, 2)

    run(test)


def test_leave_says_whom_it_waits_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a", store=tmp_path) as (a,):
            async with nodes(network, "b", store=tmp_path) as (b,):
                await a.send({"b"}, b"x")
                await take(b, 1)
            leaving = asyncio.create_task(a.leave())
            await eventually(
                lambda: said(caplog, r"a: leave\(\) has waited .* s for b: start what is not running") == 1
            )
            (problem,) = a.problems()
            assert problem == LeavingWaits(problem.since_s, ("b",))
            async with nodes(network, "b", store=tmp_path):
                await leaving
        assert said(caplog, r"this is over: leave\(\) has waited .* s for b") == 1

    run(test)


def test_leave_says_whom_a_representative_waits_for() -> None:
    """What is sent to a is slow, so that handing its role over takes some seconds."""

    async def test() -> None:
        network, names = SlowNetwork(MemoryNetwork(), {"a": 1.5}), "a b c d"
        shared = {"algorithm": "hierarchy", "processes": names.split(), "representatives": {"a": {"b"}, "c": {"d"}}}
        async with nodes(network, names, **shared) as (a, *_):
            waited: set[tuple[str, ...]] = set()

            def has_left() -> bool:
                if a._durable.departure.step == HANDED_OVER:
                    waited.update(problem.whom for problem in a.problems() if isinstance(problem, LeavingWaits))
                return leaving.done()

            leaving = asyncio.create_task(a.leave())
            await eventually(has_left)
            await leaving
            assert {("b", "c"), ("b",)} <= waited, "first all who have to be quiet, then the successor"

    run(test)


def test_a_node_that_closes_tells_which_inboxes_do_not_have_its_packets(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "b c"):
            async with nodes(network, "a", store=tmp_path) as (a,):
                network.partition({"a"}, {"b", "c"})
                await a.send({"b", "c"}, b"one")
                await a.send({"c"}, b"two")
            network.partition({"d"}, {"b"})
            async with nodes(network, "d") as (d,):
                await d.send({"b", "c"}, b"three")
                await d.send({"nobody"}, b"four")

    run(test)
    assert said(caplog, "a: 3 packets are not in the inbox of b, c.*is sent after the next join with the same s") == 1
    assert said(caplog, "d: 1 packet is not in the inbox of b, .*: what is left is lost with the store in memory") == 1
    assert said(caplog, "not in the inbox of") == 2


def test_the_time_that_is_told_begins_with_the_first_attempt(tmp_path: Path) -> None:
    """An address that refuses is tried for the whole time that a connection may take."""

    async def test() -> None:
        nowhere = NatsOptions(addresses={"b": "nats://127.0.0.1:9"}, limits=NatsLimits(connect_s=1.0))
        url, limits = f"embedded://{tmp_path}", Limits(stall_after_s=0.3)
        async with join(url, space="s", process="a", nats=nowhere, limits=limits) as a:
            await a.send({"b"}, b"x")
            await until(a.problems)
            (problem,) = a.problems()
            assert problem.since_s >= 1.0
            assert str(problem).startswith(f"1 packet has waited {problem.since_s:.1f} s for the inbox of b: no NATS")

    run(test)


def test_the_synchronous_node_has_problems_too() -> None:
    with join_sync(MemoryNetwork(), space="s", process="a", limits=Limits(stall_after_s=0.05)) as a:
        a.send({"nobody"}, b"x")
        while not a.problems():
            pass
        assert [problem.kind for problem in a.problems()] == ["no such process"]


def test_a_station_tells_what_is_held_back_and_whom_it_cannot_reach(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        network = MemoryNetwork()
        limits = AirLimits(stall_after_s=0.1)
        async with cat_lacks_one(network, limits=limits) as (at, (_, bob, _)):
            await bob.send({"cat"}, b"two")
            await until(lambda: said(caplog, r"s3: bob:1 for cat has waited .* for message 1 of ann") == 1)
            await until(lambda: said(caplog, r"s1: 1 packet has waited .* for the inbox of s3: .* cut off") == 1)
            assert [problem.kind for problem in at["s3"].problems()] == ["held back"]
            assert 'antecede_problems{kind="held back",process="s3"} 1.0' in at["s3"].metrics.text()
            network.heal()
            await until(lambda: said(caplog, "s3: this is over") == 1)

    asyncio.run(scenario())


def test_a_problem_is_logged_once_and_again_only_if_it_begins_anew(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    log = ProblemLog("me", lambda: now[0])
    full = InboxFull(1.0, 3)
    for problems in ([full], [full, full], [], [], [full]):
        log.look(problems)
    assert [record.getMessage().startswith("me: this is over") for record in caplog.records] == [False, True, False]
    assert log.counts() == {"inbox full": 1}
    assert log.age_s("x") == 0.0
    now[0] = 5.0
    assert (log.age_s("x"), log.age_s("x", is_so=False), log.age_s("x")) == (5.0, 0.0, 0.0)


def test_a_broker_that_is_away_for_a_moment_is_not_a_problem() -> None:
    now = [0.0]
    log = ProblemLog("me", lambda: now[0])
    found = []
    for now[0], outage in ((0.0, "away"), (1.9, "away"), (2.0, "away"), (3.0, ""), (4.0, "away")):
        found.append([str(problem) for problem in find_broker_lost(log, outage)])
    assert found == [[], [], ["nothing is sent and nothing has come for 2.0 s: away"], [], []]


def test_a_station_whose_broker_is_away(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            monkeypatch.setattr(MemoryTransport, "outage", "no server answers")
            await until(lambda: said(caplog, "s1: nothing is sent and nothing has come for .* no server answers") == 1)
            assert [problem.kind for problem in at["s1"].problems()] == ["no broker"]
            assert 'antecede_problems{kind="no broker",process="s1"} 1.0' in at["s1"].metrics.text()

    asyncio.run(scenario())


def test_words_for_one_and_many() -> None:
    assert (plural(1, "message"), plural(3_000, "message")) == ("1 message is", "3,000 messages are")
    with pytest.raises(NotImplementedError):
        _ = Problem(0.0).kind
