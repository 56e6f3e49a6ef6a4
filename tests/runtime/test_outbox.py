"""The way out: what leaves together is no more than the broker takes."""

import asyncio
from dataclasses import replace
from pathlib import Path

from antecede.runtime import Limits, MemoryNetwork, Node, frames, join
from antecede.runtime.outbox import DestinationQueue
from antecede.runtime.state.outgoing import Outgoing, OutgoingFrame, OutgoingLines, OutgoingPacket
from antecede.runtime.transport.contract import TRACE, Unreachable
from antecede.runtime.transport.memory import MemoryTransport
from tests.runtime.nodes import run, take
from tests.runtime.servers import server


def packet(roster: int, length: int) -> Outgoing:
    return OutgoingPacket(0, ("b",), roster, b"x" * length)


def queue(*entries: Outgoing) -> DestinationQueue:
    """A queue with these entries, numbered in this order."""
    found = DestinationQueue("b")
    found.waiting.extend(replace(entry, n=n) for n, entry in enumerate(entries))
    return found


def taken(all_of: DestinationQueue, bytes_max: int) -> list[list[int]]:
    groups = []
    while all_of.waiting:
        groups.append([outgoing.n for outgoing in all_of.take(bytes_max)])
    return groups


def test_what_leaves_together() -> None:
    """Packets of one roster, or lines; a whole frame by itself, and so is what is longer than a frame should be."""
    frame, lines = OutgoingFrame(0, ("b",), b"x"), OutgoingLines(0, ("b",), b"x")
    mixed = queue(packet(1, 10), packet(1, 10), packet(2, 10), frame, frame, lines, lines)
    assert taken(mixed, 1_000) == [[0, 1], [2], [3], [4], [5, 6]]
    assert taken(queue(packet(1, 10), packet(1, 2_000), packet(1, 10), packet(1, 10)), 1_000) == [[0], [1], [2, 3]]


def test_packets_are_counted_and_rosters_are_not() -> None:
    """One message to a new destination is one packet, though its roster goes ahead of it."""
    frame = OutgoingFrame(0, ("b",), b"x")
    assert queue(frame, packet(1, 10)).packets == 1
    assert queue(frame).packets == 1, "something waits all the same"


def test_a_frame_of_many_short_packets_is_no_longer_than_asked_for() -> None:
    busy = queue(*[packet(7, 1 + n % 3) for n in range(1_000)])
    while busy.waiting:
        parts = [outgoing.data for outgoing in busy.take(500)]
        assert len(frames.packets(7, parts)) <= 500


def test_a_busy_lane_to_a_broker_that_takes_little(tmp_path: Path) -> None:
    """What waits together is longer than this broker takes at once."""

    async def test() -> None:
        with server(tmp_path, "small", "max_payload: 65536") as broker:
            url = f"nats://{broker}"
            async with (
                join(url, space="s", process="b", store=None) as b,
                join(url, space="s", process="a", store=None) as a,
            ):
                payloads = [b"%d" % n + b"x" * 1_000 for n in range(200)] + [b"y" * 32_768]
                await asyncio.gather(*(a.send({"b"}, payload) for payload in payloads))
                assert await take(b, len(payloads)) == payloads

    run(test)


class FullTrace(MemoryTransport):
    """A transport to a broker whose stream of the trace takes nothing."""

    async def publish(self, to: str, data: bytes, key: str) -> None:
        if to == TRACE:
            raise Unreachable("the stream is full")
        await super().publish(to, data, key)


class WithFullTrace(MemoryNetwork):
    """A network of such transports."""

    def transport(self, space: str, process: str, incarnation: str) -> FullTrace:
        return FullTrace(self, space, process, incarnation)


def test_send_waits_while_the_stream_of_the_trace_takes_nothing() -> None:
    """Otherwise the lines would fill the memory and the store."""

    async def send_all(node: Node) -> None:
        while True:
            await node.send({"a"}, b"x")

    async def test() -> None:
        limits = Limits(outbox=20)
        async with join(WithFullTrace(), space="s", process="a", trace="jetstream:x", limits=limits) as a:
            sending = asyncio.create_task(send_all(a))
            while not (full := [str(one) for one in a.problems() if one.kind == "outbox full"]):
                await asyncio.sleep(0.05)
            assert "the stream of the trace" in full[0]
            assert len(a._outbox.owed) <= 2 * 20
            sending.cancel()

    run(test)
