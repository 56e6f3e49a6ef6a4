"""Nobody waits for ever for what cannot be read: garbage is thrown away, and what is gone or unwanted is forgotten."""

import asyncio

from antecede.runtime import MemoryNetwork, Node, frames
from antecede.runtime.transport.memory import Inbox
from antecede.runtime.watch.unreadable import GONE_AFTER_S
from tests.runtime.nodes import eventually, nodes, run, take

LATER_KIND = bytes((frames.ENVELOPE + 1,)) + b"of a later release, or damaged"


async def befriend(a: Node, b: Node) -> None:
    """Let b take a message of a."""
    await a.send({"b"}, b"x")
    assert await take(b, 1) == [b"x"]


def put(inbox: Inbox, data: bytes) -> None:
    """Put into an inbox what a process of the name a did not send."""
    inbox.put(0, "a", data)


def test_who_sent_garbage_can_leave() -> None:
    network = MemoryNetwork()

    async def test() -> None:
        async with nodes(network, "a b", store=None) as (a, b):
            await befriend(a, b)
            put(network.inboxes["s", "b"], b"\xf3 damaged or hostile bytes")
            await eventually(lambda: b.counts()["refused"] == 1)
            assert b.problems() == []
            await a.leave()
            assert b.counts()["processes"] == 1

    run(test)


def test_who_sent_what_somebody_has_removed_can_leave() -> None:
    """The page for operators says to remove it with the tools of NATS."""
    network, now = MemoryNetwork(), [0.0]

    async def test() -> None:
        async with nodes(network, "a b", store=None, clock=lambda: now[0]) as (a, b):
            await befriend(a, b)
            inbox = network.inboxes["s", "b"]
            put(inbox, LATER_KIND)
            await eventually(lambda: [problem.kind for problem in b.problems()] == ["upgrade needed"])
            leaving = asyncio.create_task(a.leave())
            await eventually(lambda: any(word.data != LATER_KIND for word in inbox.unacknowledged.values()))
            for number, received in list(inbox.unacknowledged.items()):
                if received.data == LATER_KIND:
                    del inbox.unacknowledged[number]
            assert not leaving.done()
            while not leaving.done():
                now[0] += GONE_AFTER_S / 4
                await asyncio.sleep(0.05)
            await leaving
            assert b.problems() == []
            assert now[0] > GONE_AFTER_S

    run(test)


def test_what_a_process_that_is_given_up_sent_is_forgotten_and_what_it_sends_is_refused() -> None:
    network = MemoryNetwork()

    async def test() -> None:
        async with nodes(network, "a b", store=None) as (a, b):
            await befriend(a, b)
            inbox = network.inboxes["s", "b"]
            put(inbox, LATER_KIND)
            await eventually(lambda: bool(b.problems()))
            await b.give_up("a")
            assert b.problems() == []
            put(inbox, LATER_KIND)
            await eventually(lambda: [problem.kind for problem in b.problems()] == ["given up"])
            assert b.counts()["refused"] == 1

    run(test)
