"""Two releases side by side: nobody is sent what it cannot read, and what nobody here can read waits and is named."""

import asyncio
import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import MemoryNetwork, Node, Received, frames, join
from antecede.runtime.transport.memory import MemoryTransport
from tests.runtime.nodes import WAIT_S, draw_traces, eventually, judge_traces, run, take

NAMES = ["a", "b", "c"]
LATER_KIND = frames.ENVELOPE + 1
NEEDED = {
    "packet": "packet has version 2",
    "form": "frame has version 3",
    "kind": "frame has kind 10",
    "bare kind": "frame has kind 10",
}
"""What a later release may write, and what is said about it."""


class LaterNetwork(MemoryNetwork):
    """A network on which `later` processes write what only processes in `upgraded` can read.

    What they write is in the next version of the packet, in the next form of the wire, or of the next kind of frame, in
    an envelope or bare.
    """

    what = "packet"
    later: frozenset[str] = frozenset()
    upgraded: frozenset[str] = frozenset()

    def transport(self, space: str, process: str, incarnation: str) -> MemoryTransport:
        return _LaterTransport(self, space, process, incarnation)


class _LaterTransport(MemoryTransport):
    async def publish(self, to: str, data: bytes, key: str) -> None:
        assert isinstance(self.network, LaterNetwork)
        if self.process in self.network.later:
            data = shift(data, self.network.what, 1)
        await MemoryTransport.publish(self, to, data, key)

    async def receive(self) -> list[Received]:
        assert isinstance(self.network, LaterNetwork)
        batch = list(await MemoryTransport.receive(self))
        if self.process not in self.network.upgraded:
            return batch
        what = self.network.what
        return [Received(one.sender, shift(one.data, what, -1), one.receipt, one.number) for one in batch]


def shift(data: bytes, what: str, by: int) -> bytes:
    """Return a frame of packets with the version of its packets, or of its form, raised by 1 or lowered by 1; or with
    another kind, which is the next one that nobody knows.

    A frame that has the version already is returned as it is.
    """
    if what == "bare kind" and by < 0:
        return bytes((frames.PACKETS,)) + data[1:] if data[0] == LATER_KIND else data
    if what in ("kind", "bare kind"):
        envelope, kinds = frames.open_envelope(data), (frames.PACKETS, LATER_KIND)[::by]
        if envelope.frame[0] != kinds[0]:
            return data
        frame = bytes((kinds[1],)) + envelope.frame[1:]
        return frame if what == "bare kind" else frames.envelope(envelope.epoch, frame)
    if what == "form":
        return bytes((data[0], data[1] + by)) + data[2:] if data[1] == (2 if by > 0 else 3) else data
    envelope = frames.open_envelope(data)
    parsed = frames.parse(envelope.frame)
    if not isinstance(parsed, frames.Packets) or parsed.packets[0][0] >> 4 != (1 if by > 0 else 2):
        return data
    packets = [bytes((packet[0] + 16 * by,)) + packet[1:] for packet in parsed.packets]
    return frames.envelope(envelope.epoch, frames.packets(parsed.roster, packets))


@pytest.mark.parametrize("what", list(NEEDED))
def test_what_a_later_release_wrote_waits_for_the_upgrade(
    what: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is named in problems, stalls and the log, with the version needed, and is delivered after the upgrade."""
    network = LaterNetwork()
    network.what = what

    async def test() -> None:
        async with join(network, space="s", process="a", store=tmp_path) as a:
            async with join(network, space="s", process="b", store=tmp_path) as b:
                await a.send({"b"}, b"readable")
                assert await take(b, 1) == [b"readable"]
                network.later = frozenset({"a"})
                await a.send({"b"}, b"of a later release")
                await eventually(lambda: bool(b.problems()))
                (problem,) = b.problems()
                needed = NEEDED[what]
                assert (problem.kind, needed in str(problem)) == ("upgrade needed", True)
                assert "upgrade antecede here" in str(problem)
                stall = await asyncio.wait_for(anext(b.stalls()), WAIT_S)
                assert str(stall).startswith("a frame of a has waited")
                await eventually(lambda: needed in caplog.text)
                assert b.counts()["refused"] == 0
                assert len(network.inboxes["s", "b"].unacknowledged) == 1
            network.upgraded = frozenset({"b"})
            async with join(network, space="s", process="b", store=tmp_path) as b:
                assert await take(b, 1) == [b"of a later release"]
                assert b.problems() == []

    run(test)


@dataclass(slots=True)
class Wire:
    """What was published to whom, by form."""

    forms: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        publish = MemoryTransport.publish

        async def note(transport: MemoryTransport, to: str, data: bytes, key: str) -> None:
            self.forms[to].add(frames.open_envelope(data).form)
            await publish(transport, to, data, key)

        monkeypatch.setattr(MemoryTransport, "publish", note)


async def chat(joined: list[Node], seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(30):
        node = chance.choice(joined)
        await node.send(chance.sample([name for name in NAMES if name != node.process], chance.randint(1, 2)), b"x")
        await asyncio.sleep(chance.random() * 0.01)


@pytest.mark.parametrize("wires", [[1, 2], [2, 1]], ids=["upgrade", "downgrade"])
def test_one_process_after_the_other_changes_its_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wires: list[int]
) -> None:
    """They talk all the time. Whoever reads form 1 only is never sent another; nothing is lost or out of order."""
    network, seen = MemoryNetwork(), Wire()
    seen.watch(monkeypatch)
    settings = {"space": "s", "store": tmp_path / "stores", "trace": tmp_path / "trace"}
    draw_traces(tmp_path / "trace")

    async def member(name: str, changed: asyncio.Event, over: asyncio.Event) -> None:
        """A process that is restarted once, and takes what comes."""
        for wire, until in ((wires[0], changed), (wires[1], over)):
            async with join(network, process=name, wire=wire, **settings) as node:  # type: ignore[arg-type]  # settings in a dict have no types of their own
                running[name] = node
                taking = asyncio.create_task(_take_all(node))
                await until.wait()
                await eventually(lambda node=node: not node.pending())  # type: ignore[misc]  # mypy cannot infer a default of a lambda
                taking.cancel()

    running: dict[str, Node] = {}

    async def test() -> None:
        changes, over = {name: asyncio.Event() for name in NAMES}, asyncio.Event()
        members = [asyncio.create_task(member(name, changes[name], over)) for name in NAMES]
        await eventually(lambda: len(running) == 3)
        await chat(list(running.values()), 1)
        for number, name in enumerate(NAMES):
            before = running.pop(name)
            others = list(running.values())
            changes[name].set()
            await chat(others, 10 + number)
            await eventually(lambda name=name, before=before: running.get(name, before) is not before)  # type: ignore[misc]  # mypy cannot infer a default of a lambda
            seen.forms.clear()
            await chat(list(running.values()), 20 + number)
            readers_of_form_1 = [name] if wires[1] == 1 else NAMES[number + 1 :]
            for reader in readers_of_form_1:
                assert seen.forms[reader] <= {1}, f"{reader} announced that it reads form 1"
        await eventually(lambda: judge_traces(tmp_path / "trace").lost == 0)
        over.set()
        await asyncio.gather(*members)

    run(test)
    verdict = judge_traces(tmp_path / "trace")
    assert (verdict.verdict, verdict.lost, verdict.duplicates) == ("holds", 0, 0)
    assert seen.forms[NAMES[-1]] == {wires[1]}, "everybody has changed"


async def _take_all(node: Node) -> None:
    async for message in node:
        await message.ack()


def test_nobody_is_sent_a_form_that_it_has_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of 0.1.0 has an inbox, and no registration."""
    network, seen = MemoryNetwork(), Wire()
    seen.watch(monkeypatch)

    async def test() -> None:
        await network.transport("s", "old", "x").open()
        async with join(network, space="s", process="a") as a, join(network, space="s", process="new"):
            await a.send({"old", "new"}, b"hello")
            await a.flush()
        assert dict(seen.forms) == {"old": {1}, "new": {2}}

    run(test)


def test_a_form_that_does_not_exist_is_misuse() -> None:
    for wire in (0, 3, "2", True):
        with pytest.raises(Misuse, match="wire is"):
            join(MemoryNetwork(), space="s", process="a", wire=wire)  # type: ignore[arg-type]  # the wrong type is the test
