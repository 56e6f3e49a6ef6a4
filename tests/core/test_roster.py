"""What a caller can do wrong, and what it is told: every `Misuse` says what to do instead, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

import antecede
from antecede import Message, MessageId, Misuse, Packet, RemoteViolation
from antecede.core.ordering.none import NoStamp

GROUPS = {"g1": ["a", "b"], "g2": ["b", "c"]}


def new(algorithm: str = "ks", processes: Iterable[str] = ("a", "b", "c"), groups: Any = None) -> antecede.Algorithm:
    return antecede.create(algorithm, process="a", processes=processes, groups=groups)


def without_c() -> antecede.Algorithm:
    algorithm = new()
    algorithm.leave("c")
    return algorithm


CREATED_WRONG = [
    (lambda: new(processes="abc"), "processes must be a collection of names, not 'abc'"),
    (lambda: new("isis"), 'this algorithm sends to groups: create(..., groups={"g1": ["a", "b"]})'),
    (lambda: new(processes=["a", ""]), "a name must be a string that is not empty, not ''"),
    (lambda: new(processes=["a", 7]), "a name must be a string that is not empty, not 7"),  # type: ignore[list-item]  # the wrong type is the test
    (lambda: new(processes=["a", "\ud800"]), "the name '\\ud800' cannot be written in UTF-8"),
    (lambda: new(processes=["a", "é" * 128]), "a name has at most 255 bytes in UTF-8; 'éééé"),
    (lambda: new("isis", groups=["g"]), 'groups must be a mapping of each group to its members, such as {"g1": ["a"'),
    (lambda: new("isis", groups={"": ["a"]}), "a name must be a string that is not empty, not ''"),
    (lambda: new("isis", groups={"g": ["a", ""]}), "a name must be a string that is not empty, not ''"),
]


@pytest.mark.parametrize(
    ("make", "told"), CREATED_WRONG, ids=lambda value: value[:40] if isinstance(value, str) else ""
)
def test_created_wrong(make: Callable[[], antecede.Algorithm], told: str) -> None:
    with pytest.raises(Misuse) as caught:
        make()
    assert str(caught.value).startswith(told)


CALLED_WRONG = [
    (new, lambda a: a.send({"b"}, "text"), "a payload must be bytes, not str: encode it first"),
    (new, lambda a: a.send({"b"}, bytearray(b"x")), "a payload must be bytes, not bytearray: encode it first"),
    (new, lambda a: a.send(set(), b""), "a message needs at least one destination"),
    (new, lambda a: a.send(7, b""), "the destinations must be a collection of names, not 7"),
    (new, lambda a: a.send([["b"]], b""), "the destinations must be a collection of names, not [['b']]"),
    (new, lambda a: a.send({"b", "z"}, b""), "unknown process 'z': call join first, or correct the name"),
    (without_c, lambda a: a.send({"b", "c"}, b""), "'c' has left: remove it from the destinations"),
    (
        lambda: new("vector"),
        lambda a: a.send({"b"}, b""),
        "this algorithm broadcasts: send to all of ['a', 'b', 'c'], not to ['b']",
    ),
    (
        lambda: new("mf"),
        lambda a: a.send({"c", "b"}, b""),
        "this algorithm sends to one process at a time, not to ['b', 'c']",
    ),
    (
        lambda: new("isis", groups=GROUPS),
        lambda a: a.send({"b"}, b""),
        "send to one of the groups ['g1', 'g2'], not to ['b']",
    ),
    (
        lambda: new("isis", groups=GROUPS),
        lambda a: a.send("g3", b""),
        "send to one of the groups ['g1', 'g2'], not to 'g3'",
    ),
    (
        lambda: new("isis", groups=GROUPS),
        lambda a: a.send("g2", b""),
        "'a' is not in group 'g2': only members send to a group",
    ),
    (
        without_c,
        lambda a: a.join("c"),
        "'c' has left, and its name cannot be used again: give the newcomer another name",
    ),
    (
        lambda: new("isis", groups=GROUPS),
        lambda a: a.join("a", ["g9"]),
        "there is no group 'g9' here; there are ['g1', 'g2']",
    ),
    (
        lambda: new("isis", groups=GROUPS),
        lambda a: a.join("d", ["g9", "g1"]),
        "there is no group 'g9' here; there are ['g1', 'g2']",
    ),
    (new, lambda a: a.join(""), "a name must be a string that is not empty, not ''"),
    (new, lambda a: a.leave("z"), "'z' is not among the processes ['a', 'b', 'c']"),
]


@pytest.mark.parametrize(("make", "call", "told"), CALLED_WRONG, ids=lambda x: x[:40] if isinstance(x, str) else "")
def test_called_wrong(make: Callable[[], antecede.Algorithm], call: Callable[[Any], object], told: str) -> None:
    algorithm = make()
    before = algorithm.snapshot()
    with pytest.raises(Misuse) as caught:
        call(algorithm)
    assert str(caught.value) == told
    assert algorithm.snapshot() == before


def message(sender: str = "b", seq: int = 1, dests: str = "a") -> Message:
    return Message(MessageId(sender, seq), frozenset(dests), b"")


NOT_TO_BE_TRUSTED = [
    (Packet("b", None, NoStamp()), "b sent a NoStamp, which is of another algorithm"),
    (Packet("c", message(), NoStamp()), "c sent a packet with message b:1, which is not its own"),
    (Packet("b", message(dests="c"), NoStamp()), "message b:1 is for ['c'], and came to a"),
    (Packet("a", message("a"), NoStamp()), "message a:1 is for ['a'], and came to a"),
    (Packet("b", message(seq=0), NoStamp()), "message b:0: messages are numbered from 1"),
    (Packet("b", message(), NoStamp()), "b:1 has a NoStamp that does not belong on it"),
]


@pytest.mark.parametrize(("packet", "told"), NOT_TO_BE_TRUSTED, ids=lambda x: x[:40] if isinstance(x, str) else "")
def test_a_packet_that_nobody_could_have_sent_here_is_refused(packet: Packet, told: str) -> None:
    algorithm = new()
    before = algorithm.snapshot()
    with pytest.raises(RemoteViolation) as caught:
        algorithm.receive(packet)
    assert str(caught.value) == told
    assert algorithm.snapshot() == before


def test_an_algorithm_without_control_packets_refuses_one() -> None:
    with pytest.raises(RemoteViolation, match="a control packet of b where a message was expected"):
        new("none").receive(Packet("b", None, NoStamp()))


def test_one_destination_may_be_given_by_its_name() -> None:
    assert new().send("b", b"")[0] == antecede.Sent(Message(MessageId("a", 1), frozenset("b"), b""))


def test_members_of_groups_are_processes_and_so_is_the_process_itself() -> None:
    algorithm = antecede.create("ks", process="z", groups={"g": ["x", "y"]})
    sent = algorithm.send({"x", "y", "z"}, b"")[0]
    assert isinstance(sent, antecede.Sent)
    assert sent.message.dests == {"x", "y", "z"}


@pytest.mark.parametrize("algorithm", sorted(antecede.algorithms()))
def test_receive_takes_a_packet_and_says_what_to_do_with_anything_else(algorithm: str) -> None:
    groups = {"g": ["a", "b"]} if antecede.algorithms()[algorithm].addressing == "group" else None
    node = antecede.create(algorithm, process="a", processes=["a", "b"], groups=groups)
    with pytest.raises(Misuse, match="receive takes a Packet, not bytes: decode bytes first"):
        node.receive(b"")  # type: ignore[arg-type]  # the wrong type is the test
