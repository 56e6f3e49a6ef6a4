"""Hostile packets, rare turns of events and wrong calls that once broke the core, each in its smallest form."""

from __future__ import annotations

from typing import Any

import pytest

import antecede
from antecede import (
    Codec,
    Deliver,
    Message,
    MessageId,
    Misuse,
    Packet,
    RemoteViolation,
    SnapshotError,
    Transmit,
    WireError,
    decode,
    encode,
)
from antecede.core.fifo import Number
from antecede.core.holdback import HoldBack
from antecede.core.ordering.history import HistoryStamp
from antecede.core.ordering.hops import Up
from antecede.core.ordering.ks import KsStamp
from antecede.core.ordering.prs import BitStringStamp, PrsStamp
from antecede.core.ordering.serial import Turn
from antecede.core.ordering.succession import Quiet, Resign, Role, RolePart, Succeed
from antecede.core.ordering.vector import VectorStamp
from antecede.core.process import Baseline
from tests.fuzz import VARIANTS, describe
from tests.stage import Stage


class TestLeaving:
    @pytest.mark.parametrize("algorithm", ["mr", "mr-broadcast", "mr-scalar"])
    def test_a_packet_held_for_one_process_does_not_wait_for_another_that_left(self, algorithm: str) -> None:
        """b's message waits at c for the phases of a and of d, in this order. d leaves first."""
        grouped = algorithm in ("mr", "mr-scalar")
        stage = Stage(algorithm, "abcd", {"g": [*"abcd"]} if grouped else None)
        to: Any = "g" if grouped else {*"abcd"}
        first = stage.send("a", to)
        stage.arrive(first, "b")
        second = stage.send("b", to)
        stage.arrive_control("b", "c")
        assert stage.arrive(second, "c") == []
        stage.call("c", "leave", "d")
        assert stage.arrive(first, "c") == [first.id, second.id]
        assert not stage.held("c")

    def test_a_newcomer_does_not_wait_for_one_who_left_before_it_came(self) -> None:
        """c leaves; a packet of a, sent before that, reminds b of c; b must not remind the newcomer in turn."""
        stage = Stage("isis", "abc", {"g": [*"abc"]})
        of_c = stage.send("c", "g")
        for process in "ab":
            stage.arrive(of_c, process)
        of_a = stage.send("a", "g")
        for process in "ab":
            stage.call(process, "leave", "c")
        newcomer = antecede.create("isis", process="d", groups={"g": [*"abd"]})
        for process in "ab":
            for effect in stage.call(process, "join", "d", ["g"]):
                assert isinstance(effect, Transmit)
                newcomer.receive(effect.packet)
        assert stage.arrive(of_a, "b") == [of_a.id]
        of_b = stage.send("b", "g")
        assert [type(effect) for effect in newcomer.receive(stage.packet(of_b, "d"))] == [Deliver]


class TestJoining:
    @pytest.mark.parametrize("algorithm", ["vector", "prs-broadcast", "isis"])
    def test_joining_again_loses_nothing_that_is_in_flight(self, algorithm: str) -> None:
        """A newcomer is told that what was sent before it came is not for it. b did not come, it was there."""
        grouped = algorithm == "isis"
        stage = Stage(algorithm, "ab", {"g": ["a", "b"]} if grouped else None)
        first, second = (stage.send("a", "g" if grouped else {"a", "b"}) for _ in range(2))
        stage.call("a", "join", "b", ["g"] if grouped else [])
        for flight in [flight for flight in stage.flying if flight.packet.message is None]:
            stage.bring(flight)
        assert stage.arrive(second, "b") == []
        assert stage.arrive(first, "b") == [first.id, second.id]


class TestChannelNumbers:
    def test_a_packet_that_found_no_room_is_tried_again_when_there_is_some(self) -> None:
        """At b, with room for one: c's message comes before its resynchronisation, and then a's is in its place."""
        stage = Stage("mr-broadcast", "abcd", numbered=True, hold_back_limit=1)
        cause = stage.send("d", {*"abcd"})
        for process in "ac":
            stage.arrive(cause, process)
        of_a, of_c = (stage.send(process, {*"abcd"}) for process in "ac")
        stage.arrive_control("a", "b")
        assert stage.arrive(of_a, "b") == stage.arrive(of_c, "b") == []
        stage.arrive_control("c", "b")
        assert len(stage.held("b")) == 2
        stage.restart("b")
        assert stage.arrive(cause, "b") == [cause.id, of_a.id, of_c.id]

    @pytest.mark.parametrize("algorithm", ["hierarchy", "mr", "mr-broadcast", "mr-scalar"])
    def test_duplicates_from_a_process_that_left_are_dropped(self, algorithm: str) -> None:
        grouped = algorithm in ("mr", "mr-scalar")
        options: dict[str, Any] = {"representatives": {"a": ["b"]}} if algorithm == "hierarchy" else {"numbered": True}
        stage = Stage(algorithm, "ab", {"g": ["a", "b"]} if grouped else None, **options)
        first, second = (stage.send("b", "g" if grouped else {"a", "b"}) for _ in range(2))
        stage.drain()
        stage.call("a", "leave", "b")
        before = stage.nodes["a"].snapshot()
        for message in (second, first):
            assert stage.arrive(message, "a") == []
        assert stage.nodes["a"].snapshot() == before


def over_the_wire(packet: Packet) -> Packet:
    return decode(encode(packet))


def claim(sender: str) -> KsStamp:
    """Message 9 of `sender` has been sent, and is owed to c."""
    return KsStamp({sender: {9: frozenset("c")}}, {}, {sender: 9})


class TestPacketsNoCorrectProcessSends:
    def test_ks_refuses_a_stamp_that_knows_of_a_later_message_of_its_sender(self) -> None:
        """Once believed, it made stamps that could not be encoded."""
        a = antecede.create("ks", process="a", processes=[*"abc"])
        packet = Packet("b", Message(MessageId("b", 1), frozenset("a"), b""), claim("b"))
        before = a.snapshot()
        with pytest.raises(RemoteViolation, match="does not belong"):
            a.receive(over_the_wire(packet))
        assert a.snapshot() == before

    def test_ks_believes_nobody_about_what_it_has_sent_itself(self) -> None:
        """The sender may have been lied to by a third: its message is taken, and the claim is not."""
        a, c = (antecede.create("ks", process=name, processes=[*"abc"]) for name in "ac")
        packet = Packet("b", Message(MessageId("b", 1), frozenset("a"), b""), claim("a"))
        assert len(a.receive(over_the_wire(packet))) == 1
        for seq in (1, 2):
            transmit = a.send({"c"}, b"")[1]
            assert isinstance(transmit, Transmit)
            assert transmit.packet.message is not None
            assert transmit.packet.message.id.seq == seq
            assert len(c.receive(over_the_wire(transmit.packet))) == 1

    def test_prs_sends_no_huge_string_of_bits_because_others_tell_of_many_names(self) -> None:
        """20,000 names in a barrier would be a string of 50 MB on each message."""
        a = antecede.create("prs", process="a", processes=[*"abc"], bit_string=True)
        barrier = {"c": {f"nobody {number}": 1 for number in range(20_000)}}
        packet = Packet("b", Message(MessageId("b", 1), frozenset("a"), b""), PrsStamp(barrier))
        assert len(a.receive(over_the_wire(packet))) == 1
        transmit = a.send({"b"}, b"")[1]
        assert isinstance(transmit, Transmit)
        assert type(transmit.packet.stamp) is PrsStamp
        assert len(encode(transmit.packet)) < 2 * len(encode(packet))

    def test_a_string_of_bits_for_more_names_than_there_are_is_refused(self) -> None:
        packet = Packet("b", Message(MessageId("b", 1), frozenset("a"), b""), BitStringStamp({"a": {"b": 5}}))
        data = encode(packet)
        assert data.endswith(b"\x1c\x02\x04\x05"), "stamp 28, two names, bit 2, and the count"
        for n in (b"\x00", b"\x01", b"\x03", b"\x7f", b"\xff" * 8 + b"\x7f"):
            with pytest.raises(WireError, match="a table of"):
                decode(data[:-3] + n + bytes(2_000))

    def test_a_representative_refuses_a_message_for_nobody_but_its_sender(self) -> None:
        a = antecede.create("hierarchy", process="a", processes=["a", "b"], representatives={"a": ["b"]})
        packet = Packet("b", Message(MessageId("b", 1), frozenset("b"), b""), Number(1, Up()))
        before = a.snapshot()
        with pytest.raises(RemoteViolation, match="no other destination"):
            a.receive(over_the_wire(packet))
        assert a.snapshot() == before

    def test_nobody_takes_a_role_away_from_a_representative_that_did_not_resign(self) -> None:
        """c wants b's messages: it says that it plays the role, hands a role over, and resigns from it."""
        b = antecede.create("hierarchy", process="b", processes=[*"abc"], representatives={"a": ["b", "c"]})
        before = b.snapshot()
        for stamp in (Succeed("a"), Succeed("b"), RolePart(1, 1, b""), RolePart(1, 2**40, bytes(9)), Resign(), Quiet()):
            with pytest.raises(RemoteViolation):
                b.receive(over_the_wire(Packet("c", None, Number(1, stamp))))
            assert b.snapshot() == before

    def test_a_role_that_a_representative_made_up_is_refused_whole(self) -> None:
        """Damaged, of another type, or of a process that does not fit: the successor waits on, and is as it was."""
        b = antecede.create("hierarchy", process="b", processes=[*"abc"], representatives={"a": ["b", "c"]})
        b.receive(over_the_wire(Packet("a", None, Number(1, Resign()))))
        before = b.snapshot()
        vector: Any = antecede.create("vector", process="a", processes=["a"])
        for data in (b"", before, vector.snapshot(), Role(vector, {}, {}, {}, []).as_parts()[0].data[:-1]):
            with pytest.raises(RemoteViolation):
                b.receive(over_the_wire(Packet("a", None, Number(2, RolePart(1, 1, data)))))
            assert b.snapshot() == before

    def test_an_absurd_count_is_named_without_listing_it(self) -> None:
        a = antecede.create("vector", process="a", processes=[*"abc"])
        packet = Packet("b", Message(MessageId("b", 1), frozenset("abc"), b""), VectorStamp({"c": 2**63 - 1}))
        assert a.receive(over_the_wire(packet)) == []
        (waiting,) = a.pending()
        assert str(waiting) == f"b:1 waits for messages 1 to {2**63 - 1} of c"
        assert waiting.messages[:2] == (MessageId("c", 1), MessageId("c", 2))
        assert len(waiting.messages) == 10_000

    def test_nobody_is_told_a_baseline_of_itself_or_of_the_departed(self) -> None:
        a = antecede.create("isis", process="a", processes=[*"abc"], groups={"g": [*"abc"]})
        a.leave("c")
        before = a.snapshot()
        with pytest.raises(RemoteViolation, match="in the name of a"):
            a.receive(over_the_wire(Packet("a", None, Baseline({"g": 2**63 - 1}))))
        assert a.receive(over_the_wire(Packet("c", None, Baseline({"g": 5})))) == []
        assert a.snapshot() == before

    def test_history_is_told_nothing_about_its_own_deliveries(self) -> None:
        stage = Stage("history", "ab")
        stage.call("a", "receive", Packet("b", None, HistoryStamp((), {"a": {"b": 100}})))
        first = stage.send("b", {"a"})
        assert stage.arrive(first, "a") == [first.id]

    def test_no_turn_waits_for_itself_or_a_later_one(self) -> None:
        a = antecede.create("serial-broadcast", process="a", processes=["a", "b"])
        for before in (5, 10):
            with pytest.raises(RemoteViolation, match="no turn before it"):
                a.receive(over_the_wire(Packet("b", None, Turn(5, {"a": before}))))


class TestToken:
    def test_a_token_that_comes_to_a_process_after_it_left_goes_on(self) -> None:
        """b has asked for the token and says that it leaves before it is here."""
        stage = Stage("serial-multicast", "abc")
        last = stage.send("b", {"c"})
        assert stage.call("b", "leave", "b") == []
        stage.arrive_control("b", "a")
        stage.arrive_control("a", "b")
        for process in "ac":
            stage.call(process, "leave", "b")
        stage.drain()
        after = stage.send("a", {"c"})
        stage.drain()
        assert stage.delivered["c"] == [last.id, after.id]


WRONG: tuple[Any, ...] = (
    *(None, 5, -1, 1.5, float("nan"), "x", "", b"ab", []),
    *(["a", 1], [["a"]], {"z": 5}, {1, "zz"}, object(), ["\ud800"]),
)
MEANT = {
    ("process", 5),
    ("processes", 8),
    ("processes", 11),
    ("groups", 0),
    ("hold_back_limit", 1),
    ("memory", 1),
    ("acknowledge_every", 1),
    ("repeat_after_s", 1),
    ("repeat_after_s", 3),
    ("resynch_after_s", 1),
    ("resynch_after_s", 3),
    ("token_at", 0),
    ("links", 0),
    ("representatives", 0),
    ("successors", 0),
}
"""The options for which one of these, by its place, is right after all."""


@pytest.mark.parametrize("algorithm", sorted(antecede.algorithms()))
class TestWrongCalls:
    def test_wrong_options(self, algorithm: str) -> None:
        info = antecede.algorithms()[algorithm]
        groups = {"g": ["a", "b"]} if info.addressing == "group" else None
        for option in ("process", "processes", "groups", *info.options):
            for place, wrong in enumerate(WRONG):
                if (option, place) in MEANT:
                    continue
                settings: dict[str, Any] = {"process": "a", "processes": ["a", "b"], "groups": groups, option: wrong}
                with pytest.raises(Misuse):
                    antecede.create(algorithm, **settings)


WRITTEN_OUT: dict[object, Any] = {
    "random": [("a", "b"), ("b", "a")],
    "separators": {"a": ["b"]},
    "last": "b",
}
"""What stands for a word by which the fuzzer has a world choose the value of an option."""


@pytest.mark.parametrize("variant", range(len(VARIANTS)), ids=describe)
class TestWrongCallsWithOptions:
    def test_wrong_destinations_payloads_and_names(self, variant: int) -> None:
        algorithm, chosen = VARIANTS[variant]
        options: dict[str, Any] = {name: WRITTEN_OUT.get(value, value) for name, value in chosen.items()}
        options.pop("answers_ride", None)  # an option of the simulator
        groups = {"g": ["a", "b"]} if antecede.algorithms()[algorithm].addressing == "group" else None
        node: Any = antecede.create(algorithm, process="a", processes=["a", "b"], groups=groups, **options)
        before = node.snapshot()
        for wrong in WRONG:
            with pytest.raises(Misuse):
                node.send(wrong, b"")
            with pytest.raises(Misuse):
                node.leave(wrong)
            if wrong != b"ab":
                with pytest.raises(Misuse):
                    node.send("g" if groups else ["b"], wrong)
            if wrong != "x":
                with pytest.raises(Misuse):
                    node.join(wrong)
            if wrong != []:
                for newcomer in ("a", "c"):
                    with pytest.raises(Misuse):
                        node.join(newcomer, wrong)
        with pytest.raises(Misuse, match="the limit is"):
            node.send("g" if groups else ["b"], bytes(8 * 2**20 + 1))
        assert node.snapshot() == before


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: type(wrong).__name__)
def test_what_is_no_algorithm_no_packet_no_snapshot_and_no_roster(wrong: Any) -> None:
    for call in (
        lambda: antecede.create(wrong, process="a"),
        lambda: antecede.encode(wrong),
        lambda: Codec([wrong]) if wrong != "x" else Codec("x" * 2),
    ):
        with pytest.raises(Misuse):
            call()
    for read in (antecede.decode, antecede.restore):
        with pytest.raises(RemoteViolation if isinstance(wrong, bytes) else Misuse):
            read(wrong)


def test_a_snapshot_whose_fields_are_of_other_types_is_refused() -> None:
    """The checksum is right, and it is a snapshot of a Process; but what it holds is not what a Process holds."""
    for field, wrong in (("roster", 7), ("ordering", HoldBack()), ("held", None)):
        node: Any = antecede.create("ks", process="a", processes=["a", "b"])
        setattr(node, field, wrong)
        with pytest.raises(SnapshotError, match=field):
            antecede.restore(node.snapshot())
    for field, value in (("delivered", {"b": "1"}), ("log", {"b": {1: "c"}}), ("departed", {"c"}), ("multicast", 1)):
        node = antecede.create("ks", process="a", processes=["a", "b"])
        setattr(node.ordering, field, value)
        with pytest.raises(SnapshotError, match=field):
            antecede.restore(node.snapshot())


@pytest.mark.parametrize("algorithm", ["rst", "ses", "prs", "psync", "chain2", "isis", "history", "ks"])
def test_stamps_do_not_grow_with_processes_that_came_and_left(algorithm: str) -> None:
    """While a newcomer leaves, packets that count it are on their way between those who stay."""
    groups = {"g": [*"abc"]} if algorithm == "isis" else None
    stage = Stage(algorithm, "abc", groups)
    everyone: Any = "g" if groups else {*"abc"}
    for number in range(20):
        guest = f"guest {number}"
        for process in "abc":
            stage.call(process, "join", guest, ["g"] if groups else [])
        stage.nodes[guest] = antecede.create(
            algorithm, process=guest, processes=[*"abc", guest], groups={"g": [*"abc", guest]} if groups else None
        )
        stage.delivered[guest] = []
        stage.send("a", "g" if groups else [*"abc", guest])
        stage.drain()
        stage.send(guest, "g" if groups else [*"abc"])
        stage.drain()
        for process in "abc":
            stage.send(process, everyone)
        stage.flying = [flight for flight in stage.flying if flight.to != guest]
        for process in "abc":
            stage.call(process, "leave", guest)
        stage.drain()
    last = stage.send("a", everyone)
    assert b"guest" not in encode(stage.packet(last, "b"))
    stage.drain()
    assert len(stage.delivered["c"]) == 20 * 5 + 1


@pytest.mark.parametrize("wrong", [None, "5", True, float("nan"), float("inf"), 10**400], ids=lambda one: str(one)[:5])
@pytest.mark.parametrize("algorithm", ["history", "mr", "mr-broadcast", "mr-scalar"])
def test_a_time_that_is_not_a_number_of_seconds_is_refused(algorithm: str, wrong: Any) -> None:
    """It was kept, and the next snapshot could not be restored."""
    option = "repeat_after_s" if algorithm == "history" else "resynch_after_s"
    groups = {"g": ["a", "b"]} if algorithm in ("mr", "mr-scalar") else None
    made: Any = {"process": "a", "processes": ["a", "b"], "groups": groups}
    node = antecede.create(algorithm, **(made | {option: 1.0}))
    before = node.snapshot()
    with pytest.raises(Misuse, match="time"):
        node.tick(wrong)
    assert node.snapshot() == before
    with pytest.raises(Misuse, match=option):
        antecede.create(algorithm, **(made | {option: wrong}))
