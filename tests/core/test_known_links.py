"""The option `links`: what it refuses, what a stamp on a link tells of, and what a process keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

import antecede
from antecede import Algorithm, Message, MessageId, Misuse, Packet, RemoteViolation, SnapshotError, Stamp, Transmit
from antecede.core.known_links import KnownLinks
from antecede.core.ordering.ks import KsStamp
from antecede.core.ordering.none import NoStamp
from antecede.core.ordering.prs import PrsStamp
from antecede.core.ordering.rst import Rst
from antecede.core.snapshot import values
from antecede.locality import BadGraph, Graph
from tests.stage import Stage

ALGORITHMS = pytest.mark.parametrize("algorithm", ["ks", "prs"])
RING = Graph.both_ways([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]).links
HUB = Graph.both_ways([("hub", leaf) for leaf in "abcd"]).links
BOW_TIE = Graph.both_ways([("a", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("c", "e"), ("d", "e")]).links


def make(algorithm: str, process: str = "a", links: Iterable[tuple[str, str]] = RING, **options: Any) -> Algorithm:
    return antecede.create(algorithm, process=process, processes=[*"abcd"], links=list(links), **options)


def state_of(node: Algorithm) -> Mapping[str, Any]:
    """Return what the process holds about messages that are owed to others."""
    assert isinstance(node, KnownLinks)
    ordering: Any = node.inner.ordering
    found: Mapping[str, Any] = ordering.log if hasattr(ordering, "log") else ordering.barrier
    return found


def told(stage: Stage, sender: str, to: str) -> set[tuple[str, str]]:
    """Return the pairs of sender and destination of which the last packet on a link tells."""
    stamp = next(flight.packet.stamp for flight in reversed(stage.flying) if (flight.sender, flight.to) == (sender, to))
    if isinstance(stamp, PrsStamp):
        return {(process, dest) for dest, row in stamp.barrier.items() for process in row}
    assert isinstance(stamp, KsStamp)
    owed = {(process, d) for process, entries in stamp.owed.items() for dests in entries.values() for d in dests}
    return owed | {(process, dest) for dest, row in stamp.due.items() for process in row}


@ALGORITHMS
def test_a_destination_without_a_link_is_refused_and_nothing_changes(algorithm: str) -> None:
    node = make(algorithm)
    before = node.snapshot()
    for dests in ("c", {"b", "c"}, iter(["c"])):
        with pytest.raises(Misuse, match="there is no link from 'a' to 'c': send to it through other processes"):
            node.send(dests, b"")
    assert node.snapshot() == before


@ALGORITHMS
@pytest.mark.parametrize(
    ("dests", "complaint"),
    [
        (7, "must be a collection of names"),
        ([["b"]], "must be a collection of names"),
        ([], "at least one destination"),
        ("z", "unknown process 'z'"),
        ({"c", "z"}, "unknown process 'z'|no link from 'a' to 'c'"),
    ],
)
def test_destinations_that_are_wrong_otherwise_are_refused_as_ever(algorithm: str, dests: Any, complaint: str) -> None:
    with pytest.raises(Misuse, match=complaint):
        make(algorithm).send(dests, b"")


@ALGORITHMS
def test_a_message_to_oneself_needs_no_link(algorithm: str) -> None:
    stage = Stage(algorithm, "abcd", links=RING)
    stage.send("a", iter(["a", "b"]))
    assert stage.delivered["a"] == [MessageId("a", 1)]
    assert [flight.to for flight in stage.flying] == ["b"]


@ALGORITHMS
def test_links_that_cannot_be_are_refused(algorithm: str) -> None:
    with pytest.raises(Misuse, match="'d' has no link, so it could neither send nor receive"):
        make(algorithm, links=[("a", "b"), ("b", "c")])
    with pytest.raises(BadGraph, match="the graph has no links"):
        make(algorithm, links=[])
    with pytest.raises(BadGraph, match="'x' is not a link: give pairs of names"):
        antecede.create(algorithm, process="a", processes=[*"ab"], links="x")
    with pytest.raises(Misuse, match=r"links must be pairs of names, such as .*; of a Graph, its \.links"):
        antecede.create(algorithm, process="a", processes=[*"ab"], links=Graph.of([("a", "b")]))


@pytest.mark.parametrize("other", [{"multicast": True}, {"differential": True}])
def test_each_destination_has_a_packet_of_its_own(other: dict[str, Any]) -> None:
    with pytest.raises(Misuse, match="with links each destination has a packet of its own: give multicast=False"):
        antecede.create("ks", process="a", processes=[*"abcd"], links=RING, **other)


@ALGORITHMS
def test_a_packet_without_a_link_is_refused_and_nothing_changes(algorithm: str) -> None:
    stamps: dict[str, Stamp] = {"ks": KsStamp({}, {}, {}), "prs": PrsStamp({})}
    node = make(algorithm)
    before = node.snapshot()
    for sender in ("c", "a", "z"):
        message = Message(MessageId(sender, 1), frozenset({"a"}), b"")
        with pytest.raises(RemoteViolation, match=f"a packet of {sender}, which has no link to a"):
            node.receive(Packet(sender, message, stamps[algorithm]))
    with pytest.raises(RemoteViolation, match="a NoStamp that does not belong on it"):
        node.receive(Packet("b", Message(MessageId("b", 1), frozenset({"a"}), b""), NoStamp()))
    with pytest.raises(RemoteViolation, match="which is of another algorithm"):
        node.receive(Packet("b", None, stamps[algorithm]))
    other = stamps["prs" if algorithm == "ks" else "ks"]
    with pytest.raises(RemoteViolation, match="that does not belong on it"):
        node.receive(Packet("b", Message(MessageId("b", 1), frozenset({"a"}), b""), other))
    with pytest.raises(Misuse, match="receive takes a Packet"):
        node.receive(b"bytes")  # type: ignore[arg-type]  # the wrong type is the test
    assert node.snapshot() == before


@ALGORITHMS
def test_what_the_links_exclude_is_taken_without_harm(algorithm: str) -> None:
    """Nobody but the hub has a link to a leaf; a stamp that says otherwise makes nobody wait, or pass it on."""
    lies = {"b": 7, "nobody": 9}
    stamps: dict[str, Stamp] = {
        "ks": KsStamp(
            {"b": {7: frozenset("cd")}, "hub": {1: frozenset("c")}}, {"a": lies, "c": lies}, {**lies, "a": 3}
        ),
        "prs": PrsStamp({"a": lies, "c": {"hub": 1, **lies}}),
    }
    node = antecede.create(algorithm, process="a", processes=["hub", *"abcd"], links=HUB)
    node.receive(Packet("hub", Message(MessageId("hub", 2), frozenset("abz"), b""), stamps[algorithm]))
    assert node.pending() == ()
    plain = {"ks": {}, "prs": {"a": {"hub": 2}}}
    assert state_of(node) == plain[algorithm]


@ALGORITHMS
def test_a_leaf_keeps_and_tells_nothing_of_the_others(algorithm: str) -> None:
    stage = Stage(algorithm, ["hub", *"abcd"], links=HUB)
    for _ in range(3):
        stage.send("hub", [*"abcd"])
    stage.drain()
    stage.send("a", "hub")
    assert told(stage, "a", "hub") <= {("hub", "a")}  # what a has delivered
    stage.drain()
    stage.send("hub", [*"abcd"])
    assert all(told(stage, "hub", leaf) <= {("hub", leaf), (leaf, "hub")} for leaf in "abcd")
    assert {"ks": not state_of(stage.nodes["b"]), "prs": state_of(stage.nodes["b"]).keys() == {"b"}}[algorithm]


def test_prs_keeps_what_else_is_owed_to_a_destination() -> None:
    """q reaches d through p alone: what p sent to d is useless to q, and what s sent to d is not."""
    links = [("s", "d"), ("s", "q"), ("q", "p"), ("p", "q"), ("p", "d")]
    stage = Stage("prs", "dpqs", links=links)
    stage.send("s", "d")
    stage.arrive(stage.send("s", "q"), "q")
    stage.arrive(stage.send("p", [*"dq"]), "q")
    assert state_of(stage.nodes["q"])["d"] == {"s": 1}
    stage.send("q", "p")
    assert ("s", "d") in told(stage, "q", "p")
    assert ("p", "d") not in told(stage, "q", "p")


@ALGORITHMS
def test_a_stamp_tells_of_its_block_only_and_of_nothing_that_its_receiver_sent(algorithm: str) -> None:
    stage = Stage(algorithm, "abcde", links=BOW_TIE)
    stage.send("c", [*"abde"])
    stage.bring(next(flight for flight in stage.flying if flight.to == "a"))
    stage.send("a", [*"bc"])
    assert ("c", "b") in told(stage, "a", "b")
    assert told(stage, "a", "c") <= {("c", "a")}
    stage.send("c", [*"ad"])
    assert told(stage, "c", "a") == {("c", "a"), ("c", "b")}
    assert told(stage, "c", "d") == {("c", "d"), ("c", "e")}


@ALGORITHMS
def test_a_sender_remembers_what_a_stamp_that_came_back_does_not_tell(algorithm: str) -> None:
    """a:1 to c is late. b tells a nothing of it; so d, which hears from a alone, has to hear of it still."""
    links = Graph.both_ways([("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("c", "d")]).links
    stage = Stage(algorithm, "abcd", links=links)
    late = stage.send("a", "c")
    word = stage.send("a", "b")
    stage.arrive(word, "b")
    answer = stage.send("b", "a")
    stage.arrive(answer, "a")
    passed_on = stage.send("a", "d")
    stage.arrive(passed_on, "d")
    last = stage.send("d", "c")
    assert stage.arrive(last, "c") == []
    assert [str(waiting) for waiting in stage.nodes["c"].pending()] == [f"{last.id} waits for message 1 of a"]
    stage.restart("c")
    assert stage.arrive(late, "c") == [late.id, last.id]


@ALGORITHMS
def test_a_sender_forgets_what_its_destination_says_has_come(algorithm: str) -> None:
    stage = Stage(algorithm, "abcd", links=RING)
    stage.send("a", "b")
    stage.drain()
    stage.send("b", "a")
    stage.drain()
    stage.send("a", "d")
    assert told(stage, "a", "d") <= {("b", "a")}


@ALGORITHMS
def test_one_way_links_tell_only_those_who_can_pass_it_on(algorithm: str) -> None:
    """a -> b -> c -> d and a -> c, b -> d: who is behind the destination has no use for the entry."""
    links = [("a", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("c", "d")]
    stage = Stage(algorithm, "abcd", links=links)
    stage.send("a", [*"bc"])
    stage.bring(next(flight for flight in stage.flying if flight.to == "c"))
    stage.send("c", "d")
    assert told(stage, "c", "d") == set()
    stage.bring(next(flight for flight in stage.flying if flight.to == "b"))
    stage.send("b", [*"cd"])
    assert ("a", "c") in told(stage, "b", "c")
    assert told(stage, "b", "d") == set()


@ALGORITHMS
def test_processes_that_the_links_name_may_join_later_and_others_get_no_message(algorithm: str) -> None:
    stage = Stage(algorithm, "abc", links=RING)
    for name in "abc":
        stage.call(name, "join", "d")
        stage.call(name, "join", "stranger")
    stage.nodes["d"] = antecede.create(algorithm, process="d", processes=[*"abcd"], links=RING)
    stage.delivered["d"] = []
    newcomer = stage.send("a", "d")
    assert stage.arrive(newcomer, "d") == [newcomer.id]
    with pytest.raises(Misuse, match="no link from 'a' to 'stranger'"):
        stage.send("a", "stranger")


@ALGORITHMS
def test_nobody_waits_for_one_that_was_given_up(algorithm: str) -> None:
    stage = Stage(algorithm, "abcd", links=RING)
    stage.send("a", [*"bd"])
    stage.bring(next(flight for flight in stage.flying if flight.to == "b"))
    passed_on = stage.send("b", "c")
    stage.arrive(passed_on, "c")
    last = stage.send("c", "d")
    assert stage.arrive(last, "d") == []
    assert stage.nodes["d"].tick(1.0) == []
    stage.call("d", "leave", "a")
    assert stage.delivered["d"] == [last.id]
    with pytest.raises(Misuse, match="'a' has left"):
        stage.send("d", "a")


@pytest.mark.parametrize("options", [{}, {"bit_string": True}])
def test_prs_keeps_its_form_on_the_wire(options: dict[str, Any]) -> None:
    plain = antecede.create("prs", process="a", processes=[*"abcd"], **options)
    linked = make("prs", **options)
    stamps = []
    for node in (plain, linked):
        node.send([*"bd"], b"")
        stamps += [effect.packet.stamp for effect in node.send("b", b"") if isinstance(effect, Transmit)]
    assert type(stamps[0]) is type(stamps[1])


@ALGORITHMS
def test_a_restarted_process_is_the_same_and_stores_the_links_of_its_blocks(algorithm: str) -> None:
    node = antecede.create(algorithm, process="a", processes=[*"abcde"], links=BOW_TIE)
    assert isinstance(node, KnownLinks)
    assert node.blocks == ({"a": ("b", "c"), "b": ("a", "c"), "c": ("a", "b")},)
    node.send([*"bc"], b"")
    again = antecede.restore(node.snapshot())
    assert again == node
    assert again.snapshot() == node.snapshot()
    assert again.send("b", b"") == node.send("b", b"")


@ALGORITHMS
def test_a_snapshot_with_another_algorithm_inside_is_refused(algorithm: str) -> None:
    node = make(algorithm)
    assert isinstance(node, KnownLinks)
    node.inner.ordering = Rst("a")
    with pytest.raises(SnapshotError, match="whose parts do not fit together"):
        antecede.restore(node.snapshot())


@ALGORITHMS
@pytest.mark.parametrize("wrong", [{"b": ("c",), "c": ("b",)}, {"a": ("b", "z"), "b": ()}, {"a": ("b",), "b": ()}])
def test_a_snapshot_whose_links_do_not_fit_is_refused(algorithm: str, wrong: dict[str, tuple[str, ...]]) -> None:
    """The process is not in the block; a link leads out of it; a message is held that came without a link."""
    node = make(algorithm)
    needs: dict[str, Stamp] = {"ks": KsStamp({}, {"a": {"b": 1}}, {"b": 1}), "prs": PrsStamp({"a": {"b": 1}})}
    node.receive(Packet("b", Message(MessageId("b", 2), frozenset("a"), b""), needs[algorithm]))
    assert len(node.pending()) == 1
    assert isinstance(node, KnownLinks)
    forged = KnownLinks(node.inner, (wrong,))
    with pytest.raises(SnapshotError, match="whose parts do not fit together"):
        antecede.restore(values.dumps(forged))
