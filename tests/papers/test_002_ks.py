"""Kshemkalyani, Singhal: "Necessary and sufficient conditions on information for causal message ordering and their
optimal implementation" (002).

The examples of §4.4, and the lemmas and special cases that can be run.

That packets and logs hold exactly what §3.4 demands is shown in `tests/properties/test_constraints.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from random import Random

import pytest

from antecede import Effect, Message, MessageId, Transmit, encode
from antecede.core.ordering.chain2 import Chain2Stamp
from antecede.core.ordering.ks import Ks, KsStamp
from antecede.core.ordering.none import NoStamp
from antecede.core.ordering.serial import Turn
from antecede.core.ordering.vector import VectorStamp
from antecede.core.wire import shapes
from tests.properties.lockstep import BROADCAST, perform
from tests.stage import Stage, Step, improvise

NODES = [str(number) for number in range(1, 12)]
NODE_I, J = "1", "5"
"""Nodes i and j of the running example of §4.4."""


def snd_example(multicast: bool = False) -> tuple[Stage, Message]:
    """LOG_j has l_{i,a} with Dests {2,3,4,6,8}, because j has just delivered M_{i,a}; then j sends to {3,4,7,8,11}."""
    stage = Stage("ks", NODES, multicast=multicast)
    before = stage.send(NODE_I, {J, "2", "3", "4", "6", "8"})
    stage.arrive(before, J)
    assert stage.ordering(J).log == {NODE_I: {1: frozenset("23468")}}
    return stage, stage.send(J, {"3", "4", "7", "8", "11"})


def carried(stage: Stage, message: Message, to: str) -> set[str]:
    """o_{i,a}.Dests as `to` reads it."""
    stamp = stage.packet(message, to).stamp
    assert isinstance(stamp, KsStamp)
    due = {to} if stamp.due.get(to, {}).get(NODE_I) == 1 else set()
    return set(stamp.owed.get(NODE_I, {}).get(1, frozenset())) | due


@pytest.mark.parametrize("multicast", [False, True])
@pytest.mark.parametrize(
    ("to", "dests"), [("3", "236"), ("4", "246"), ("8", "268"), ("7", "26"), ("11", "26")], ids=lambda x: f"[{x}]"
)
def test_4_4_example_SND_2_what_goes_to_each_node(multicast: bool, to: str, dests: str) -> None:
    stage, message = snd_example(multicast)
    assert carried(stage, message, to) == set(dests)


def test_4_4_example_SND_3_and_4_the_log_after_the_send() -> None:
    stage, _ = snd_example()
    assert stage.ordering(J).log == {NODE_I: {1: frozenset("26")}, J: {1: frozenset(["3", "4", "7", "8", "11"])}}


def test_4_4_SND_2_with_a_packet_each_no_other_destination_is_mentioned() -> None:
    stage, message = snd_example()
    for to in message.dests:
        stamp = stage.packet(message, to).stamp
        assert isinstance(stamp, KsStamp)
        assert stamp.due.keys() <= {to}


def rcv_example() -> Ks:
    """O_M has o_{i,7}, o_{i,9}, o_{i,12}, o_{i,20}; LOG_j has l_{i,9}, l_{i,10}, l_{i,14}, l_{i,20}, l_{i,21}."""
    mine = {9: frozenset({"2", "7", "13"}), 10: frozenset("4"), 14: frozenset("6"), 20: frozenset("3")}
    theirs = {7: frozenset("8"), 9: frozenset({"7", "11"}), 12: frozenset("9"), 20: frozenset({"15", "16"})}
    ks = Ks("j", log={"i": {**mine, 21: frozenset("2")}}, context={"i": 21})
    arriving = Message(MessageId("k", 4), frozenset({"j", "17"}), b"")
    ks.deliver(arriving, KsStamp({"i": theirs}, {}, {"i": 20, "k": 3}))
    return ks


def test_4_4_example_RCV_4_loop_1_deletes_what_the_other_side_knows_to_be_settled() -> None:
    assert not {7, 12, 10, 14} & rcv_example().log["i"].keys()


def test_4_4_example_RCV_4_loop_2_keeps_what_both_sides_owe() -> None:
    assert rcv_example().log["i"] == {9: frozenset({"7"}), 21: frozenset("2")}


def test_4_4_example_RCV_5_l_20_is_purged_and_implied_by_l_21() -> None:
    ks = rcv_example()
    assert 20 not in ks.log["i"]
    assert ks.context["i"] == 21


def test_4_4_RCV_3_the_message_itself_is_owed_to_its_other_destinations() -> None:
    ks = rcv_example()
    assert ks.log["k"] == {4: frozenset({"17"})}
    assert ks.context["k"] == 4


def test_4_4_PURGE_the_newest_null_entry_is_kept_as_the_greatest_lower_bound() -> None:
    """M_{i,1} is known to be delivered everywhere: no entry is left, and still an old "owed to c" is not believed."""
    stage = Stage("ks", ["i", "a", "b", "c"])
    m = stage.send("i", {"a", "b", "c"})
    stage.arrive(m, "a")
    stage.arrive(m, "b")
    stage.arrive(m, "c")
    from_b = stage.send("b", {"a"})  # says that c is owed M
    stage.arrive(stage.send("c", {"a"}), "a")  # says that it is not
    assert stage.ordering("a").log.get("i", {}) == {1: frozenset("b")}
    stage.arrive(from_b, "a")
    assert stage.ordering("a").log.get("i") is None
    assert stage.ordering("a").context["i"] == 1


Logs = list[tuple[shapes.Log, Mapping[str, Mapping[str, int]]]]


def random_logs(seeds: int) -> Iterator[tuple[shapes.Log, Mapping[str, Mapping[str, int]]]]:
    """Every log and, with what is due, every packet of random executions."""
    for seed in range(seeds):
        stage = Stage("ks", ["a", "b", "c", "d", "e"], multicast=seed % 2 == 1)
        logs: Logs = []

        def witness(process: str, effect: Effect, stage: Stage = stage, logs: Logs = logs) -> None:
            logs.append((stage.ordering(process).log, {}))

        stage.witnesses.append(witness)
        improvise(stage, Random(f"002 {seed}"), sends=20)
        for step in stage.steps:
            stamps = [effect.packet.stamp for effect in step.effects if isinstance(effect, Transmit)]
            logs += [(stamp.owed, stamp.due) for stamp in stamps if isinstance(stamp, KsStamp)]
        yield from logs


def test_5_1_lemma_1_at_most_one_dot_for_each_sender_and_destination() -> None:
    dots = 0
    for log, due in random_logs(60):
        for sender, entries in log.items():
            dests = [dest for owed in entries.values() for dest in owed]
            dests += [dest for dest, row in due.items() if sender in row]
            assert len(set(dests)) == len(dests)
            dots += len(dests)
    assert dots > 5_000


def test_6_1_lemma_7_there_is_no_null_entry_but_the_implied_one() -> None:
    for log, due in random_logs(20):
        assert all(entries and all(entries.values()) for entries in log.values())
        assert all(due.values())


def test_4_5_hardware_multicast_one_packet_for_all_and_the_same_logs() -> None:
    """First note of §4.5. The instants of delivery are compared by `perform`; here the logs at the end, and what each
    destination was told on the way."""
    cast: dict[str, dict[str, bool]] = {"ks": {}, "ks multicast": {"multicast": True}}
    for seed in range(40):
        single, hardware = perform(cast, seed).stages.values()
        for name in single.names:
            assert single.ordering(name).log == hardware.ordering(name).log
            assert single.ordering(name).context == hardware.ordering(name).context
        for one, other in zip(single.steps, hardware.steps, strict=True):
            assert told(one) == told(other)
            assert len({id(effect.packet) for effect in other.effects if isinstance(effect, Transmit)}) <= 1


def told(step: Step) -> list[object]:
    """What a send tells each of its destinations: the log it is to keep, and what it is to wait for."""
    transmissions = [effect for effect in step.effects if isinstance(effect, Transmit)]
    stamps = [(effect.to, effect.packet.stamp) for effect in transmissions]
    return [(to, s.owed, s.context, s.due.get(to, {})) for to, s in stamps if isinstance(s, KsStamp)]


def test_4_5_a_new_process_starts_at_clock_0() -> None:
    stage = Stage("ks", ["a", "b"])
    stage.arrive(stage.send("a", {"b"}), "b")
    for name in ("a", "b"):
        stage.call(name, "join", "c")
    stage.names.append("c")
    stage.nodes["c"], stage.delivered["c"] = stage.create("c"), []
    first = stage.send("c", {"a", "b"})
    assert first.id == ("c", 1)
    assert stage.arrive(first, "b") == [first.id]
    answer = stage.send("b", {"a", "c"})
    assert stage.arrive(answer, "a") == []
    assert stage.arrive(first, "a") == [first.id, answer.id]
    assert stage.arrive(answer, "c") == [answer.id]


def theorem_8(algorithm: str) -> tuple[Stage, list[MessageId]]:
    """m -> {x, d}, x -> y, y -> d; the copy of the first for d comes last."""
    stage = Stage(algorithm, ["m", "x", "y", "d"])
    first = stage.send("m", {"x", "d"})
    stage.arrive(first, "x")
    stage.arrive(stage.send("x", {"y"}), "y")
    last = stage.send("y", {"d"})
    stage.arrive(last, "d")
    stage.arrive(first, "d")
    return stage, [first.id, last.id]


def test_7_theorem_8_ks_keeps_order_over_the_chain_of_three() -> None:
    stage, in_order = theorem_8("ks")
    assert stage.delivered["d"] == in_order


def test_7_theorem_8_less_information_breaks_it() -> None:
    stage, in_order = theorem_8("chain2")
    assert stage.delivered["d"] == in_order[::-1]


def test_7_1_lemma_8_chains_of_length_two_are_kept_with_2n_identifiers() -> None:
    """Whatever j has delivered of i, what i sent to k up to then is delivered at k before what j sends to k."""
    chains = 0
    for seed in range(120):
        stage = Stage("chain2", ["a", "b", "c", "d"])
        improvise(stage, Random(f"lemma 8 {seed}"), sends=14)
        heard: dict[MessageId, list[MessageId]] = {}
        messages: dict[MessageId, Message] = {}
        done: dict[str, list[MessageId]] = {name: [] for name in stage.names}
        for step in stage.steps:
            for effect in step.effects:
                if isinstance(effect, Transmit):
                    assert isinstance(effect.packet.stamp, Chain2Stamp)
                    assert effect.packet.control_entries <= 2 * len(stage.names)
                    continue
                message = effect.message  # type: ignore[union-attr]  # no timers here
                if message.id not in messages:
                    messages[message.id] = message
                    heard[message.id] = list(done[step.process])
                    continue
                for told in [*heard[message.id], message.id]:
                    for cause in messages.values():
                        if cause.sender == told.sender and cause.id < told and step.process in cause.dests:
                            assert cause.id in done[step.process]
                            chains += cause.sender != message.sender
                done[step.process].append(message.id)
    assert chains > 500


def test_7_1_broadcast_case_the_log_comes_down_to_a_vector_clock() -> None:
    """ "One entry that uniquely identifies the latest broadcast of each node": the context of `ks` is the vector."""
    for seed in range(40):
        stages = perform(BROADCAST, seed).stages
        for name in stages["ks"].names:
            vector, ks = stages["vector"].ordering(name), stages["ks"].ordering(name)
            own = {name: vector.sent} if vector.sent else {}
            assert ks.context == vector.delivered | own


def test_7_1_broadcast_case_n_entries() -> None:
    stage = Stage("vector", ["a", "b", "c"])
    for _ in range(2):
        for name in stage.names:
            stage.send(name, stage.names)
        stage.drain()
    stamp = stage.packet(stage.send("a", stage.names), "b").stamp
    assert isinstance(stamp, VectorStamp)
    assert stamp.entries == 3


def test_7_1_serialised_broadcasts_carry_one_entry_and_are_in_one_order() -> None:
    for seed in range(20):
        stage = Stage("serial-broadcast", ["a", "b", "c"])
        improvise(stage, Random(f"serial {seed}"), sends=12)
        turns = [flight.packet.stamp for flight in stage.brought if isinstance(flight.packet.stamp, Turn)]
        assert {turn.entries for turn in turns} == {1}
        common = [set(order) for order in stage.delivered.values()]
        everywhere = set.intersection(*common)
        assert len({tuple(m for m in order if m in everywhere) for order in stage.delivered.values()}) == 1


def test_7_1_serialised_multicasts_track_the_latest_for_each_destination() -> None:
    """A message of s destinations carries s entries; two messages are in the same order at all common destinations."""
    for seed in range(20):
        stage = Stage("serial-multicast", ["a", "b", "c", "d"])
        improvise(stage, Random(f"serial {seed}"), sends=14)
        for flight in stage.brought:
            if isinstance(flight.packet.stamp, Turn) and flight.packet.message:
                assert flight.packet.stamp.entries == len(flight.packet.message.dests)
        after = {pair for order in stage.delivered.values() for pair in pairs(order)}
        assert not any((second, first) in after for first, second in after)


def pairs(order: list[MessageId]) -> Iterator[tuple[MessageId, MessageId]]:
    return ((first, second) for at, first in enumerate(order) for second in order[at + 1 :])


def test_7_1_synchronous_unicasts_the_next_message_leaves_after_the_delivery() -> None:
    """Send(M') can occur only after Delivery(M), of whichever process M' is."""
    stage = Stage("rendezvous", ["a", "b", "c"])
    first, second, third = stage.send("c", {"a"}), stage.send("c", {"b"}), stage.send("b", {"c"})
    assert [flight.packet.message for flight in stage.flying if flight.packet.message is not None] == [first]
    stage.arrive_control("b", "c")
    stage.arrive(first, "a")
    stage.drain()
    assert stage.delivered == {"a": [first.id], "b": [second.id], "c": [third.id]}
    left = [flight.packet.message for flight in stage.brought if flight.packet.message is not None]
    assert left == [first, third, second], "the request of b came before c could send its second message"


def test_7_1_synchronous_unicasts_no_control_information_in_messages() -> None:
    stage = improvise(Stage("rendezvous", ["a", "b", "c"]), Random("rendezvous"), sends=20)
    entries = {(flight.packet.message is None, flight.packet.control_entries) for flight in stage.brought}
    assert entries == {(False, 0), (True, 1)}


def test_7_1_mattern_fuenfrocken_the_next_message_leaves_after_the_acknowledgement() -> None:
    """M is in the receiver's buffer before M' is sent from the sender's: as if communication were synchronous."""
    stage = Stage("mf", ["a", "b", "c"])
    first, second = stage.send("a", {"b"}), stage.send("a", {"c"})
    assert [(flight.to, flight.packet.message) for flight in stage.flying] == [("b", first)]
    assert stage.packet(first, "b").stamp == NoStamp()
    stage.arrive(first, "b")
    stage.arrive_control("b", "a")
    assert [(flight.to, flight.packet.message) for flight in stage.flying] == [("c", second)]


def test_7_1_mattern_fuenfrocken_no_control_information_in_messages() -> None:
    stage = improvise(Stage("mf", ["a", "b", "c"]), Random("mf"), sends=20)
    stamps = {type(flight.packet.stamp) for flight in stage.brought if flight.packet.message is not None}
    assert stamps == {NoStamp}


def test_7_1_centralised_extreme_everything_goes_through_one_process() -> None:
    names = ["centre", "a", "b", "c"]
    stage = Stage("hierarchy", names, representatives={"centre": ["a", "b", "c"]})
    improvise(stage, Random("centre"), sends=15)
    assert all("centre" in (flight.sender, flight.to) for flight in stage.brought)
    assert {flight.packet.control_entries for flight in stage.brought} == {1}, "a channel number and nothing else"


def test_7_1_hierarchy_only_representatives_talk_to_each_other() -> None:
    stage = Stage("hierarchy", ["r", "a", "b", "s", "c", "d"], representatives={"r": ["a", "b"], "s": ["c", "d"]})
    improvise(stage, Random("hierarchy"), sends=20)
    cluster = {"r": "r", "a": "r", "b": "r", "s": "s", "c": "s", "d": "s"}
    for flight in stage.brought:
        ends = {flight.sender, flight.to}
        assert ends == {"r", "s"} or (ends & {cluster[flight.sender]} and cluster[flight.sender] == cluster[flight.to])


@pytest.mark.parametrize("names", [8, 40, 64])
def test_6_2_a_set_of_destinations_is_never_written_with_more_than_half_the_names(names: int) -> None:
    """PROC - Dests where that is smaller: the bound n/2 holds for each entry (not for each sender, as the text says).

    Beyond 64 names a byte a complement would let a short packet ask for a large set; then it is a bitmap.
    """
    everyone = [f"p{number}" for number in range(names)]
    random = Random(f"complement {names}")
    for size in range(names + 1):
        writer = shapes.Writer()
        writer.index = {name: number for number, name in enumerate(everyone)}
        chosen = frozenset(random.sample(everyone, size))
        writer.names(chosen)
        assert len(writer.out) <= 2 + min(size, names - size), f"{size} of {names}: one byte each, and two for the head"
        assert shapes.Reader(bytes(writer.out), everyone, met=names).names() == chosen


def test_7_1_channels_need_not_be_FIFO_and_no_sequence_numbers_are_needed() -> None:
    """The text asks for numbers on each channel. Two messages of one sender, the second brought first."""
    stage = Stage("ks", ["a", "b"])
    sent = [stage.send("a", {"b"}) for _ in range(5)]
    for message in reversed(sent):
        stage.arrive(message, "b")
    assert stage.delivered["b"] == [message.id for message in sent]
    assert all(first < second for first, second in pairwise(stage.delivered["b"]))


def test_4_5_what_goes_to_every_destination_is_computed_once() -> None:
    """Third note: a single common computation, and only what is due to a destination is its own."""
    stage, message = snd_example()
    stamps = [stage.packet(message, to).stamp for to in message.dests]
    assert len({id(stamp.owed) for stamp in stamps if isinstance(stamp, KsStamp)}) == 1
    assert len(stamps) == 5


def test_6_2_the_name_of_a_sender_is_written_once_for_all_its_entries() -> None:
    names = ["a", "b", "c", "the-sender"]
    stage = Stage("ks", names)
    for to in ("b", "c"):
        stage.send("the-sender", {to})
    message = stage.send("the-sender", {"a"})
    stage.arrive(message, "a")
    packet = stage.packet(stage.send("a", {"b"}), "b")
    assert isinstance(packet.stamp, KsStamp)
    assert packet.control_entries == 2
    assert encode(packet).count(b"the-sender") == 1
