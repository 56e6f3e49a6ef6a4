"""Representatives forward: which packets they refuse, and who can be one."""

from __future__ import annotations

from typing import Any

import pytest

import antecede
from antecede import Message, MessageId, Misuse, Packet, RemoteViolation
from antecede.core.fifo import Number
from antecede.core.ordering.hops import Across, Down, Up
from antecede.core.ordering.ks import KsStamp
from antecede.core.types import Stamp

CLUSTERS = {"a": ["b"], "c": ["d"]}


def new(process: str) -> antecede.Algorithm:
    return antecede.create("hierarchy", process=process, processes=[*"abcd"], representatives=CLUSTERS)


def packet(sender: str, author: str, dests: str, stamp: Stamp) -> Packet:
    return Packet(sender, Message(MessageId(author, 1), frozenset(dests), b""), Number(1, stamp))


def across(identity: str, to: str) -> Across:
    return Across(MessageId(identity, 1), frozenset(to), KsStamp({}, {}, {}))


REFUSED = {
    "up to a process that represents nobody": (
        "b",
        packet("d", "d", "a", Up()),
        "d:1 came to b, which does not represent other processes",
    ),
    "across to a process that represents nobody": (
        "b",
        packet("c", "d", "b", across("c", "b")),
        "d:1 came to b, which does not represent other processes",
    ),
    "up to the representative of others": (
        "a",
        packet("d", "d", "a", Up()),
        "d:1 came up from d, which a does not represent",
    ),
    "up, of another author": ("a", packet("b", "d", "a", Up()), "d:1 came up from b, which a does not represent"),
    "up, for nobody else": ("a", packet("b", "b", "b", Up()), "b:1 came up from b, and has no other destination"),
    "across in the name of another": (
        "a",
        packet("c", "d", "a", across("a", "a")),
        "c forwarded d:1 in the name of a",
    ),
    "down from the representative of others": (
        "b",
        packet("c", "d", "b", Down()),
        "d:1 came down from c to b, where it does not belong",
    ),
    "down to one it is not for": ("b", packet("a", "d", "c", Down()), "d:1 came down from a to b, where it does not"),
    "a stamp of another algorithm": (
        "a",
        packet("c", "c", "a", KsStamp({}, {}, {})),
        "c sent a KsStamp, which is of another algorithm",
    ),
}


@pytest.mark.parametrize(("process", "wrong", "told"), REFUSED.values(), ids=REFUSED)
def test_what_comes_from_the_wrong_side_is_refused(process: str, wrong: Packet, told: str) -> None:
    node = new(process)
    before = node.snapshot()
    with pytest.raises(RemoteViolation) as caught:
        node.receive(wrong)
    assert str(caught.value).startswith(told)
    assert node.snapshot() == before


@pytest.mark.parametrize(
    ("representatives", "told"),
    [
        (["a", "c"], "representatives must be a mapping of each to the processes it represents, not ['a', 'c']"),
        ({"a": ["b"], "z": ["d"]}, "'z' represents others, and is not among the processes ['a', 'b', 'c', 'd']"),
        ([], "representatives must be a mapping of each to the processes it represents, not []"),
        ([CLUSTERS, {"b": ["a"]}], "'b' represents others, and is not among the processes ['a', 'c']"),
        (
            [CLUSTERS, {"a": ["c"], "c": ["a"]}],
            "representatives must hold every process once, and there must be one: ['a', 'a', 'c', 'c']",
        ),
        ([CLUSTERS, *[{"a": ["c"]}], *[{"a": []}] * 5], "a hierarchy has at most 6 levels, not 7"),
        ({"a": "b"}, "the processes of representative 'a' must be a collection of names, not 'b'"),
    ],
)
def test_representatives_are_processes_and_each_has_its_own(representatives: Any, told: str) -> None:
    with pytest.raises(Misuse) as caught:
        antecede.create("hierarchy", process="a", processes=[*"abcd"], representatives=representatives)
    assert str(caught.value) == told


def test_no_timer_is_ever_set() -> None:
    """The algorithms that representatives run among themselves have none."""
    for process in "ab":
        assert new(process).tick(1.0) == []
