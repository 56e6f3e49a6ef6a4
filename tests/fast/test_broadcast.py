"""The compiled short cut beside the core: the same packets, truthful and lying, give the same in both."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bench.core.traffic import broadcast_schedule
from hypothesis import given, settings
from hypothesis import strategies as st

import antecede.fast
from antecede import Codec, Deliver, HoldBackFull, Message, MessageId, Packet, Transmit, WireError
from antecede.core.ordering.prs_broadcast import BarrierStamp
from antecede.core.process import Process
from antecede.fast import FastBroadcast
from tests.replay import Drawing


def accelerate(algorithm: antecede.Algorithm, codec: Codec) -> FastBroadcast:
    """Accelerate so that the state moves at every occasion, and not once in hundreds of packets."""
    return antecede.fast.accelerate(algorithm, codec, move_cost=0)


def create(name: str, names: Sequence[str], **options: Any) -> Process:
    made = antecede.create("prs-broadcast", process=name, processes=names, **options)
    assert isinstance(made, Process)
    return made


class Pair:
    """A process of the core and its fast twin. What the process does is added to a drawing, its own or this one."""

    def __init__(self, name: str, names: Sequence[str], *, drawing: Drawing | None = None, **options: Any) -> None:
        self.drawing = drawing or Drawing()
        self.codec = Codec(names)
        self.plain = create(name, names, **options)
        self.fast = accelerate(create(name, names, **options), self.codec)

    def send(self, dests: set[str], payload: bytes) -> bytes:
        plain, fast = self.plain.send(dests, payload), self.fast.send(dests, payload)
        self._draw(plain)
        assert plain == fast
        return next(self.codec.encode(effect.packet) for effect in plain if isinstance(effect, Transmit))

    def receive(self, packets: Sequence[bytes]) -> list[antecede.Effect]:
        """One after the other in the core, all at once in the twin."""
        effects: list[antecede.Effect] = []
        refused = []
        for at, data in enumerate(packets):
            try:
                packet = self.codec.decode(data)
                self.drawing.add_arrival(self.plain.process, packet)
                new = self.plain.receive(packet)
            except antecede.AntecedeError as error:
                self.drawing.add(self.plain.process, f"refuse a packet: {type(error).__name__}")
                refused.append((at, type(error), str(error)))
            else:
                self._draw(new)
                effects += new
        received = self.fast.receive_all(packets)
        assert received.effects == effects
        assert [(at, type(error), str(error)) for at, error in received.refused] == refused
        return effects

    def _draw(self, effects: Sequence[antecede.Effect]) -> None:
        for effect in effects:
            self.drawing.add_effect(self.plain.process, effect)

    def agree(self) -> None:
        restored = antecede.restore(self.fast.snapshot())
        assert isinstance(restored, Process)
        assert state(restored) == state(self.plain)
        assert self.fast.pending() == self.plain.pending()

    def restart(self) -> None:
        self.drawing.add(self.plain.process, "restart")
        self.fast = accelerate(antecede.restore(self.fast.snapshot()), self.codec)


def state(process: Process) -> tuple[object, ...]:
    ordering: Any = process.ordering
    delivered = {name: count for name, count in ordering.delivered.items() if count}
    return delivered, ordering.barrier, ordering.sent, process.roster, list(process.held.packets.values())


@pytest.mark.parametrize("seed", range(30))
def test_any_execution_is_the_same_in_both(seed: int) -> None:
    """Reordered, doubled, in batches of any size, with broadcasts that go to their sender too, over restarts."""
    chance = Random(seed)
    n = chance.choice([2, 3, 8, 9, 17, 40])
    names = [f"p{number}" for number in range(n)]
    drawing = Drawing()
    pairs = [Pair(name, names, drawing=drawing) for name in names]
    wire: list[bytes] = []
    inbox: list[list[bytes]] = [[] for _ in names]
    for step in broadcast_schedule(n, 120, seed, propagation=chance.choice([0.1, 1.0, 10.0])):
        at = step[1]
        if step[0] == "send":
            dests = set(names) if chance.random() < 0.2 else set(names) - {names[at]}
            wire.append(pairs[at].send(dests, chance.randbytes(chance.choice([0, 1, 200]))))
        else:
            inbox[at] += [wire[step[2]]] * chance.choice([1, 1, 1, 2])
            if chance.random() < 0.1:
                inbox[at].append(chance.choice(wire))
        if chance.random() < 0.3:
            pairs[at].receive(inbox[at])
            inbox[at] = []
        if chance.random() < 0.02:
            pairs[at].agree()
            pairs[at].restart()
    for pair, packets in zip(pairs, inbox, strict=True):
        pair.receive(packets)
        pair.agree()
        assert not pair.plain.pending()


NAMES = [f"p{number}" for number in range(5)]
FEW = st.integers(1, 6)
FAR = st.sampled_from([1, 2, 2**62, 2**63 - 2, 2**63 - 1])


@st.composite
def lies(draw: st.DrawFn, numbers: st.SearchStrategy[int] = FEW | FAR, *, to_anybody: bool = True) -> Packet:
    """A packet that could have been encoded, from anybody, with any number, about anything."""
    sender = draw(st.sampled_from(NAMES[0 if to_anybody else 1 :]))
    everybody = frozenset(NAMES)
    others = [everybody, frozenset({"p0"}), frozenset({"p1"})] if to_anybody else [everybody]
    dests = draw(st.sampled_from([everybody - {sender}] * 6 + others))
    barrier = draw(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 4) | numbers, max_size=4))
    message = Message(MessageId(sender, draw(numbers)), dests, draw(st.sampled_from([b"", b"text"])))
    return Packet(sender, message, BarrierStamp(barrier))


@settings(max_examples=500, deadline=None)
@given(st.lists(lies(FEW, to_anybody=False), max_size=30))
def test_numbers_that_jump_and_needs_that_never_were_are_taken_alike(packets: list[Packet]) -> None:
    pair = Pair("p0", NAMES)
    pair.receive([pair.codec.encode(packet) for packet in packets])
    pair.agree()


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(lies(), max_size=12), max_size=6), st.sampled_from([0, 1, 3, 100]))
def test_lies_are_taken_alike(batches: list[list[Packet]], limit: int) -> None:
    pair = Pair("p0", NAMES, hold_back_limit=limit)
    for batch in batches:
        pair.receive([pair.codec.encode(packet) for packet in batch])
    pair.agree()


@settings(max_examples=300, deadline=None)
@given(st.lists(lies(), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_damaged_packets_are_refused_alike(packets: list[Packet], chance: Random) -> None:
    pair = Pair("p0", NAMES)
    batch = [pair.codec.encode(packet) for packet in packets]
    for _ in range(4):
        data = bytearray(chance.choice(batch))
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.randint(0, 2)] = chance.randbytes(chance.randint(0, 2))
        batch.insert(chance.randrange(len(batch) + 1), bytes(data))
    pair.receive([*batch, b"", b"\x13"])
    pair.agree()


@pytest.mark.parametrize("known", [[], [1], [1, 2, 3, 4, 5], [*range(1, 19)], [*range(20)]])
def test_a_packet_cut_short_anywhere_is_refused(known: list[int]) -> None:
    """Its barrier a list, a bitmap or a complement, and nothing behind it that could be read instead."""
    names = [f"p{number}" for number in range(20)]
    pair = Pair("p0", names)
    message = Message(MessageId("p1", 300), frozenset(names) - {"p1"}, b"")
    data = pair.codec.encode(Packet("p1", message, BarrierStamp({names[number]: 200 + number for number in known})))
    for size in range(len(data)):
        pair.receive([data[:size]])
        head = data[:6] + bytes([1, 0, 1]) + data[10 : size + 1]
        pair.receive([head + bytes([255]), head + bytes([200, 1])])
    pair.agree()


@pytest.mark.parametrize("n", [2, 8, 9, 100, 129, 256])
def test_a_long_row_in_reverse_is_released_at_once(n: int) -> None:
    """Two senders that answer each other, and the first message comes last."""
    names = [f"p{number}" for number in range(n)]
    codec = Codec(names)
    nodes = [create(name, names) for name in (names[0], names[-1])]
    wire = []
    for turn in range(600):
        effect = nodes[turn % 2].send(set(names) - {nodes[turn % 2].process}, b"")[1]
        assert isinstance(effect, Transmit)
        wire.append(codec.encode(effect.packet))
        nodes[1 - turn % 2].receive(effect.packet)
    pair = Pair("p1" if n > 2 else "p0", names)
    mine = wire if n > 2 else wire[1::2]
    if n == 2:
        pair.plain, pair.fast = nodes[0], accelerate(antecede.restore(nodes[0].snapshot()), codec)
    delivered = [pair.receive([data]) for data in reversed(mine)]
    assert sum(map(len, delivered)) == (600 if n > 2 else 0)
    assert n == 2 or not any(delivered[:-1])
    pair.agree()


def test_at_the_limit_what_would_wait_is_refused_and_what_need_not_is_taken() -> None:
    sender, pair = create("p1", NAMES), Pair("p0", NAMES, hold_back_limit=2)
    first, *later = (pair.codec.encode(packet_of(sender)) for _ in range(4))
    assert pair.receive(later) == []
    assert isinstance(pair.fast.receive_all(later).refused[0][1], HoldBackFull)
    assert len(pair.receive([first])) == 3


def test_a_refused_packet_does_not_stand_in_the_way() -> None:
    sender, fast = create("p1", NAMES), accelerate(create("p0", NAMES), Codec(NAMES))
    one, two = (Codec(NAMES).encode(packet_of(sender)) for _ in range(2))
    effects, refused = fast.receive_all([one, b"nonsense", two])
    assert [effect.message.id.seq for effect in effects if isinstance(effect, Deliver)] == [1, 2]
    assert [(at, isinstance(error, WireError)) for at, error in refused] == [(1, True)]


def test_newcomers_and_departures_are_left_to_the_core() -> None:
    pair, sender = Pair("p0", NAMES), create("p1", NAMES)
    packets = [pair.codec.encode(packet_of(sender)) for _ in range(3)]
    pair.receive(packets[1:])
    assert pair.plain.join("new") == pair.fast.join("new")
    pair.receive(packets[:1])
    assert pair.plain.leave("p2") == pair.fast.leave("p2")
    pair.receive([pair.codec.encode(packet_of(sender))])
    pair.agree()


def test_senders_that_are_not_in_the_roster_are_not_forgotten() -> None:
    pair = Pair("p0", NAMES)
    stranger = Message(MessageId("ghost", 1), frozenset({"p0"}), b"")
    ghost = antecede.encode(Packet("ghost", stranger, BarrierStamp({})))
    known = pair.codec.encode(packet_of(create("p1", NAMES)))
    assert len(pair.receive([ghost, known, ghost])) == 2
    pair.agree()


def test_a_packet_that_fits_only_as_it_came_stays_in_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its names are its own; with the roster it would be longer than a packet may be."""
    pair, sender = Pair("p0", NAMES), create("p1", NAMES)
    first, second = (packet_of(sender) for _ in range(2))
    held = antecede.encode(second)
    pair.codec.packet_bytes_max = 12
    monkeypatch.setattr(pair.codec, "decode", {b"held": second, b"first": first}.__getitem__)
    assert len(held) > 12
    pair.receive([b"held"])
    assert len(pair.receive([b"first"])) == 2


def test_a_call_that_was_interrupted_is_told_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was held back and what was delivered are not known any more, and must not be guessed."""
    sender, fast = create("p1", NAMES), accelerate(create("p0", NAMES), Codec(NAMES))
    first, second = (Codec(NAMES).encode(packet_of(sender)) for _ in range(2))
    snapshot = fast.snapshot()
    with monkeypatch.context() as interrupted:
        interrupted.setattr("antecede.fast.broadcast._make_deliver", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            fast.receive_all([first])
    for call in (fast.snapshot, fast.pending, lambda: fast.receive_all([second]), lambda: fast.send(set(NAMES), b"")):
        with pytest.raises(antecede.Misuse, match="restore"):
            call()
    restored = accelerate(antecede.restore(snapshot), Codec(NAMES))
    assert len(restored.receive_all([first, second]).effects) == 2


def test_more_packets_than_go_to_the_kernel_at_once() -> None:
    pair, sender = Pair("p0", NAMES), create("p1", NAMES)
    packets = [pair.codec.encode(packet_of(sender, bytes(chance))) for chance in [0, 1, 2**13, 5] * 600]
    shuffled = packets[::-1][:700] + packets[:-700] + [b"nonsense", packets[0]]
    assert len(pair.receive(shuffled)) == len(packets)


def test_what_waits_is_named() -> None:
    sender, fast = create("p1", NAMES), accelerate(create("p0", NAMES), Codec(NAMES))
    _, second = (packet_of(sender) for _ in range(2))
    fast.receive_all([Codec(NAMES).encode(second)])
    assert [str(waiting) for waiting in fast.pending()] == ["p1:2 waits for message 1 of p1"]


@pytest.mark.parametrize(
    ("algorithm", "roster"), [("ks", NAMES), ("prs-broadcast", []), ("prs-broadcast", ["p1", "p2"])]
)
def test_what_can_not_be_made_fast_is_told(algorithm: str, roster: list[str]) -> None:
    with pytest.raises(antecede.Misuse):
        accelerate(antecede.create(algorithm, process="p0", processes=NAMES), Codec(roster))


@pytest.mark.parametrize("packets", [[bytearray(b"x")], b"xyz", None, iter([b"x"])])
def test_only_a_list_of_bytes_is_taken(packets: Any) -> None:
    with pytest.raises(antecede.Misuse, match="list of packets"):
        accelerate(create("p0", NAMES), Codec(NAMES)).receive_all(packets)


@pytest.mark.slow
def test_nothing_is_read_or_written_beyond_the_end(tmp_path: Path) -> None:
    """The kernel once more with every index checked, compiled anew because what is kept is without."""
    checked = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    tests = ["-k", "lies or damaged or cut_short or jump or any_execution", "-p", "no:cacheprovider", "-q", __file__]
    command = [sys.executable, "-m", "pytest", *tests]
    done = subprocess.run(command, env=checked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def packet_of(sender: Process, payload: bytes = b"") -> Packet:
    effect = sender.send(set(NAMES) - {sender.process}, payload)[1]
    assert isinstance(effect, Transmit)
    return effect.packet
