"""`ks` with differential stamps: the same knowledge and the same deliveries as without, from smaller stamps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from random import Random

import pytest

import antecede
from antecede import Effect, Misuse, Packet, RemoteViolation, Transmit
from antecede.core.ordering.ks import DifferentialKs, DifferentialKsStamp, KsStamp
from antecede.core.wire import shapes
from tests.properties.lockstep import Ensemble, perform
from tests.stage import Flight, Stage

BOTH: Mapping[str, Mapping[str, bool]] = {"ks": {}, "ks differential": {"differential": True}}


class SameKnowledge(Ensemble):
    """An ensemble of `BOTH`, whose processes also know the same after every step."""

    def _compare(self, at: str, done: Mapping[str, list[Effect]]) -> None:
        super()._compare(at, done)
        plain, differential = (stage.ordering(at) for stage in self.stages.values())
        assert (plain.log, plain.context) == (differential.log, differential.context)


def open_stage(names: Iterable[str] = "abc") -> Stage:
    return Stage("ks", names, differential=True)


def state(stage: Stage, process: str) -> DifferentialKs:
    ordering = stage.ordering(process)
    assert isinstance(ordering, DifferentialKs)
    return ordering


def stamp_to(stage: Stage, to: str) -> DifferentialKsStamp:
    """Return the stamp of the last packet that was transmitted to a process."""
    stamp = next(flight.packet.stamp for flight in reversed(stage.flying) if flight.to == to)
    assert isinstance(stamp, DifferentialKsStamp)
    return stamp


def bring_all(stage: Stage, to: str) -> None:
    """Bring what is in flight to a process, oldest first, as bytes."""
    for flight in [flight for flight in stage.flying if flight.to == to]:
        packet = antecede.decode(antecede.encode(flight.packet))
        assert packet == flight.packet
        stage.flying.remove(flight)
        stage.call(to, "receive", packet)


def test_002_3_5_after_each_step_the_log_and_the_context_are_those_of_plain_ks() -> None:
    for seed in range(60):
        perform(BOTH, seed, sends=30, kind=SameKnowledge)


def test_002_3_5_what_was_told_to_a_process_is_not_told_to_it_again() -> None:
    stage = open_stage("abcde")
    for dests in ("cde", "cd", "b"):
        stage.send("a", set(dests))
    first = stamp_to(stage, "b")
    assert first.owed == {"a": {1: frozenset("e"), 2: frozenset("cd")}}
    stage.send("a", {"b"})
    assert stamp_to(stage, "b") == DifferentialKsStamp(3, {}, {}, {}, frozenset(), {})
    stage.send("a", {"e"})
    stage.send("a", {"b"})
    assert stamp_to(stage, "b") == DifferentialKsStamp(
        4, {"a": {5: frozenset("e")}}, {}, {"a": 5}, frozenset("a"), {"a": {1: frozenset("e")}}
    )
    bring_all(stage, "b")
    assert state(stage, "b").log == {"a": {2: frozenset("cd"), 5: frozenset("e")}}


def test_what_has_lapsed_is_said_dot_by_dot_or_all_is_told_anew_whichever_is_shorter() -> None:
    stage = open_stage("abcde")
    stage.send("a", {"c", "d", "e"})
    stage.send("a", {"b"})
    stage.send("a", {"c"})
    assert state(stage, "a").log["a"][1] == frozenset("de")
    stage.send("a", {"c", "d"})
    answered = stage.send("d", {"a"})
    stage.arrive(answered, "a")
    stage.send("a", {"b"})
    stamp = stamp_to(stage, "b")
    assert (stamp.kept, stamp.owed) == (frozenset(), {"a": {1: frozenset("e"), 4: frozenset("cd")}})
    bring_all(stage, "b")
    assert state(stage, "b").log["a"] == {1: frozenset("e"), 4: frozenset("cd")}


def test_the_message_before_on_the_channel_is_waited_for_and_comes_twice_in_vain() -> None:
    stage = open_stage("ab")
    first, second = stage.send("a", {"b"}), stage.send("a", {"b"})
    assert stage.arrive(second, "b") == []
    assert [need.sender for held in stage.nodes["b"].pending() for need in held.needs] == ["a"]
    stage.restart("b")
    assert stage.arrive(second, "b") == []
    assert stage.arrive(first, "b") == [first.id, second.id]
    assert stage.arrive(first, "b") == []


def converse(pairs: int, turns: int, *, differential: bool) -> tuple[int, int]:
    """Let pairs talk in turns after one message of each process to all. Return the entries and bytes of all stamps."""
    names = [f"p{number}" for number in range(2 * pairs)]
    stage = Stage("ks", names, differential=differential)
    for name in names:
        stage.send(name, set(names) - {name})
    for one, other in zip(names[::2], names[1::2], strict=True):
        stage.bring(next(flight for flight in stage.flying if (flight.sender, flight.to) == (one, other)))
        stage.bring(next(flight for flight in stage.flying if (flight.sender, flight.to) == (other, one)))
    sent: list[Flight] = []
    for turn in range(turns):
        for pair in zip(names[::2], names[1::2], strict=True):
            sender, to = pair if turn % 2 else pair[::-1]
            stage.send(sender, {to})
            sent.append(stage.flying[-1])
            stage.bring(stage.flying[-1])
    entries = sum(flight.packet.stamp.entries for flight in sent)
    writer = shapes.Writer({name: number for number, name in enumerate(names)})
    for flight in sent:
        writer.stamp(flight.packet.stamp)
    return entries, len(writer.out)


def test_002_3_5_the_stamps_of_a_conversation_are_smaller() -> None:
    entries, size = converse(4, 20, differential=False)
    less, smaller = converse(4, 20, differential=True)
    assert less < entries / 4
    assert smaller < 0.75 * size


def test_each_end_of_a_channel_keeps_one_view_however_many_messages_there_were() -> None:
    stage, random, sizes = open_stage("abcd"), Random("views"), []
    for round_ in range(60):
        sender = "abcd"[round_ % 4]
        stage.send(sender, set(random.sample(sorted(set("abcd") - {sender}), 2)))
        for to in "abcd":
            bring_all(stage, to)
        sizes.append(len(stage.nodes["a"].snapshot()))
    assert state(stage, "a").told.keys() | state(stage, "a").heard.keys() <= set("bcd")
    assert max(sizes[30:]) <= 1.5 * max(sizes[10:30])


def test_a_process_that_left_is_left_out_of_every_view_whoever_hears_of_it_first() -> None:
    for first, second in ("ab", "ba"):
        stage = open_stage("abcd")
        stage.arrive(stage.send("c", {"a", "d"}), "a")
        stage.send("a", {"b"})
        bring_all(stage, "b")
        assert state(stage, "b").heard["a"].log == {"a": {1: frozenset("b")}, "c": {1: frozenset("d")}}
        stage.call(first, "leave", "c")
        stage.send("a", {"b", "d"})
        bring_all(stage, "b")
        stage.call(second, "leave", "c")
        stage.send("a", {"b"})
        bring_all(stage, "b")
        for view in (state(stage, "a").told["b"], state(stage, "b").heard["a"]):
            assert (view.log, view.context) == ({"a": {2: frozenset("d"), 3: frozenset("b")}}, {"a": 3})
        assert "c" not in {*state(stage, "b").log, *state(stage, "b").context}


def test_a_message_of_one_who_left_is_delivered_without_the_one_before_and_deletes_nothing() -> None:
    stage = open_stage("abcd")
    stage.send("b", {"c"})
    stage.send("a", {"b", "c"})
    own = stage.send("a", {"b"})
    known = state(stage, "b").log
    assert stage.arrive(own, "b") == []
    stage.call("b", "leave", "a")
    assert stage.delivered["b"] == [own.id]
    assert state(stage, "b").log == known == {"b": {1: frozenset("c")}}
    assert not state(stage, "b").heard


def test_a_stamp_that_claims_another_message_before_deletes_nothing() -> None:
    stage = open_stage("abc")
    stage.arrive(stage.send("a", {"b", "c"}), "b")
    stage.send("a", {"b"})
    honest = stage.flying[-1].packet
    assert isinstance(honest.stamp, DifferentialKsStamp)
    stage.nodes["b"].receive(replace(honest, stamp=replace(honest.stamp, after=0, context={"a": 1})))
    assert state(stage, "b").log == {"a": {1: frozenset("c")}}


def test_a_context_that_goes_back_leaves_no_dot_ahead_of_the_context() -> None:
    """A process whose log is ahead of its context cannot encode what it sends."""
    stage = open_stage("abcd")
    stage.send("a", {"b"})
    packet = stage.flying[-1].packet
    lie = DifferentialKsStamp(0, {"c": {5: frozenset("d")}}, {}, {"c": 5}, frozenset(), {})
    stage.nodes["b"].receive(replace(packet, stamp=lie))
    stage.send("a", {"b"})
    lie = DifferentialKsStamp(1, {}, {}, {"c": 1}, frozenset("c"), {})
    stage.nodes["b"].receive(replace(stage.flying[-1].packet, stamp=lie))
    stage.send("b", {"a"})
    assert antecede.decode(antecede.encode(stage.flying[-1].packet)) == stage.flying[-1].packet
    view = state(stage, "b").heard["a"]
    assert all(max(entries) <= view.context[sender] for sender, entries in view.log.items())


@pytest.mark.parametrize(
    "stamp",
    [
        KsStamp({}, {}, {}),
        DifferentialKsStamp(1, {}, {}, {}, frozenset(), {}),
        DifferentialKsStamp(0, {}, {}, {"a": 1}, frozenset(), {}),
    ],
    ids=["of plain ks", "after itself", "knows itself"],
)
def test_a_stamp_that_no_process_writes_is_refused(stamp: KsStamp | DifferentialKsStamp) -> None:
    a, b = (antecede.create("ks", process=name, processes=["a", "b"], differential=True) for name in "ab")
    packet = next(effect.packet for effect in a.send("b", b"") if isinstance(effect, Transmit))
    with pytest.raises(RemoteViolation, match="does not belong on it"):
        b.receive(Packet("a", packet.message, stamp))


def test_one_packet_for_all_cannot_be_different_for_each() -> None:
    with pytest.raises(Misuse, match="give multicast=False"):
        antecede.create("ks", process="a", processes=["a", "b"], differential=True, multicast=True)
