"""What a node does at each of its limits."""

import asyncio
import re
from dataclasses import fields

import pytest

from antecede.runtime import Limits, MemoryNetwork, limits
from tests.runtime.nodes import eventually, nodes, run, take


def test_send_waits_while_the_outbox_is_full() -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a b", limits=Limits(outbox=3)) as (a, b):
            network.partition({"a"}, {"b"})
            for n in range(3):
                await a.send({"b"}, b"%d" % n)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(a.send({"b"}, b"too much"), 0.05)
            network.heal()
            await a.send({"b"}, b"3")
            assert await take(b, 4) == [b"0", b"1", b"2", b"3"]

    run(test)


def test_nothing_more_is_taken_while_the_inbox_is_full() -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a", limits=Limits()) as (a,), nodes(network, "b", limits=Limits(inbox=2)) as (b,):
            for n in range(20):
                await a.send({"b"}, b"%d" % n)
                await eventually(lambda: a.counts()["outbox"] == 0)
            assert 2 <= b.counts()["inbox"] < 20
            assert await take(b, 20) == [b"%d" % n for n in range(20)]

    run(test)


def test_the_batch_that_reaches_the_limit_of_the_inbox_is_taken_whole() -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a") as (a,):
            for n in range(20):
                await a.send({"b"}, b"%d" % n)
            async with nodes(network, "b", limits=Limits(inbox=2)) as (b,):
                await eventually(lambda: b.counts()["inbox"] > 2)
                assert await take(b, 20) == [b"%d" % n for n in range(20)]

    run(test)


def test_the_module_explains_the_limits_that_there_are() -> None:
    explained = set(re.findall(r"`Limits\.(\w+)`", limits.__doc__ or ""))
    assert explained == {field.name for field in fields(Limits)}


def test_a_full_hold_back_queue_loses_nothing() -> None:
    """Packets that cannot be held are not acknowledged, and come again; what waits for nothing is still taken."""
    soon = Limits(retry_s=0.02)

    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "a c d") as (a, c, d), nodes(network, "b", hold_back_limit=2, limits=soon) as (b,):
            network.partition({"a"}, {"b"})
            await a.send({"b", "c"}, b"cause")
            await take(c, 1)
            for n in range(8):
                await c.send({"b"}, b"%d" % n)
            await eventually(lambda: b.counts()["offered_again"] > 0)
            assert b.counts()["held_back"] == 2
            await d.send({"b"}, b"at once")
            assert await take(b, 1) == [b"at once"]
            network.heal()
            assert await take(b, 9) == [b"cause", *(b"%d" % n for n in range(8))]

    run(test)
