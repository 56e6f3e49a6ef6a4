"""A station tells which luggage it waits for: from which station, for which hosts and since when. And whose frames it
does not read because its outbox is full."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from antecede.runtime import HoldBackLimitReached, LuggageAwaited, MemoryNetwork, OutboxFull, issue_token
from antecede.runtime.background import end
from antecede.runtime.roaming.home_station import home
from antecede.runtime.roaming.host.host import Host
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.station.view import LUGGAGE_AFTER_S
from antecede.runtime.roaming.websocket import AirLimits
from antecede.runtime.watch.problems import SOON_S
from tests.runtime.cells import KEY, NAMES, cat_lacks_one, cells, one_at_each, taken, until, url

ANN, BOB, *_ = (name for name in map("host{}".format, range(20)) if home(name, NAMES) == "s3")
"""Their luggage was at s3 first, which s2 may remember."""


@asynccontextmanager
async def cut_off(network: MemoryNetwork, **settings: Any) -> AsyncIterator[dict[str, StationServer]]:
    """Two hosts go from s1 to s2, which cannot reach s1."""
    async with cells(network, **settings) as at:
        people = [Host([url(at["s1"])], name, issue_token(KEY, name)) for name in (ANN, BOB)]
        for one in people:
            await one.__aenter__()
            await one.connected()
        network.partition({"s1"}, {"s2"})
        moves = [asyncio.create_task(one.move(url(at["s2"]))) for one in people]
        try:
            await until(lambda: at["s2"].counts()["awaited"] == 2)
            yield at
        finally:
            await end(moves)
            for one in people:
                await one.close()


def said(caplog: pytest.LogCaptureFixture, words: str) -> int:
    """How often this was logged."""
    return sum(words in record.getMessage() for record in caplog.records)


def test_luggage_that_does_not_come_is_told_once_and_once_when_it_has_come(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "antecede")
    network = MemoryNetwork()
    words = f"the state (luggage) of {ANN}, {BOB} has not come from s1 for "

    async def scenario() -> None:
        async with cut_off(network, limits=AirLimits(stall_after_s=0.5)) as at:
            await until(lambda: said(caplog, f"s2: {words}"))
            (problem,) = [one for one in at["s2"].problems() if isinstance(one, LuggageAwaited)]
            assert (problem.station, set(problem.hosts), problem.since_s >= 0.5) == ("s1", {ANN, BOB}, True)
            assert 'antecede_problems{kind="luggage awaited",process="s2"} 1.0' in at["s2"].metrics.text()
            status: Any = at["s2"].status()
            assert {"luggage awaited"} <= {one["kind"] for one in status["problems"]}
            assert sorted(one["kind"] for one in status["problems"]) == sorted(at["s2"].problem_counts())
            assert {(one["host"], one["from"]) for one in status["hand_offs"]} == {(ANN, "s1"), (BOB, "s1")}
            network.heal()
            await until(lambda: said(caplog, f"s2: this is over: {words}"))
            assert at["s2"].status()["problems"] == []

    asyncio.run(scenario())
    assert (said(caplog, f"s2: {words}"), said(caplog, f"s2: this is over: {words}")) == (1, 1)


def test_luggage_that_takes_a_moment_is_not_a_problem() -> None:
    now = [0.0]

    async def scenario() -> None:
        async with cut_off(MemoryNetwork(), clock=lambda: now[0]) as at:
            awaited = []
            for now[0] in (0.0, LUGGAGE_AFTER_S - 0.1, LUGGAGE_AFTER_S):
                awaited.append([one.since_s for one in at["s2"].problems() if isinstance(one, LuggageAwaited)])
            assert awaited == [[], [], [LUGGAGE_AFTER_S]]

    asyncio.run(scenario())


def test_a_full_outbox_is_told_once_and_once_when_there_is_room(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "antecede")
    network = MemoryNetwork()
    words = "5 packets wait for s2, which is the limit: nothing is read from ann until there is room"

    async def scenario() -> None:
        async with one_at_each(network, "ann", "bob", "cat", limits=AirLimits(outbox=5)) as (at, (ann, bob, _)):
            s1 = at["s1"]
            network.partition({"s1"}, {"s2"})
            for number in range(8):
                await ann.send({"bob"}, b"%d" % number)
            await until(lambda: said(caplog, f"s1: {words}"))
            (problem,) = [one for one in s1.problems() if isinstance(one, OutboxFull)]
            assert (problem.count, problem.to, problem.hosts, ann.unsent) == (5, ("s2",), ("ann",), 3)
            assert problem.since_s >= SOON_S
            assert 'antecede_problems{kind="outbox full",process="s1"} 1.0' in s1.metrics.text()
            status: Any = s1.status()
            assert [one["kind"] for one in status["problems"]] == ["outbox full"]
            network.heal()
            assert await taken(bob, 8) == [b"%d" % number for number in range(8)]
            await until(lambda: said(caplog, f"s1: this is over: {words}"))
            assert s1.problems() == []

    asyncio.run(scenario())
    assert (said(caplog, f"s1: {words}"), said(caplog, f"s1: this is over: {words}")) == (1, 1)


def test_an_outbox_that_is_full_for_a_moment_is_not_a_problem() -> None:
    now, network = [0.0], MemoryNetwork()

    async def scenario() -> None:
        settings = {"limits": AirLimits(outbox=1), "clock": lambda: now[0]}
        async with one_at_each(network, "ann", "bob", "cat", **settings) as (at, (ann, _, _)):
            network.partition({"s1"}, {"s2"})
            await ann.send({"bob"}, b"fills the outbox")
            await until(lambda: at["s1"].counts()["outbox"] == 1)
            now[0] = 10.0
            assert not any(isinstance(one, OutboxFull) for one in at["s1"].problems()), "nobody waits"
            await ann.send({"bob"}, b"waits")
            await until(lambda: at["s1"]._unread)
            found = []
            for now[0] in (10.0, 10.0 + SOON_S - 0.1, 10.0 + SOON_S):
                found.append([one.since_s for one in at["s1"].problems() if isinstance(one, OutboxFull)])
            assert found == [[], [], [SOON_S]]

    asyncio.run(scenario())


def test_a_host_for_which_no_more_can_be_held_back_is_a_problem_until_there_is_room() -> None:
    """What bob says to cat waits for ann, who is cut off from cat's station."""

    async def scenario() -> None:
        network = MemoryNetwork()
        async with cat_lacks_one(network, limits=AirLimits(held_back=2)) as (at, (_, bob, _)):
            for number in range(3):
                await bob.send({"cat"}, b"%d" % number)
            found = list[HoldBackLimitReached]()

            def is_told() -> bool:
                found[:] = [one for one in at["s3"].problems() if isinstance(one, HoldBackLimitReached)]
                return bool(found)

            await until(is_told)
            (problem,) = found
            assert (problem.held_back, problem.limit, problem.hosts) == (2, 2, ("cat",))
            assert str(problem).startswith(
                "2 messages are held back for cat, and the limit for a host is 2 (AirLimits."
            )
            network.heal()
            await until(lambda: not is_told())

    asyncio.run(scenario())
