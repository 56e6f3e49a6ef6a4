"""The option `acyclic`: what it refuses when a process is made, when one joins, and of what arrives."""

from __future__ import annotations

import pytest

import antecede
from antecede import Algorithm, Misuse, Packet, RemoteViolation, Transmit
from antecede.core.ordering.none import NoStamp
from tests.stage import Stage

CHAIN = {"g1": ["a", "b"], "g2": ["b", "c"], "g3": ["c", "d"]}
ALGORITHMS = pytest.mark.parametrize("algorithm", ["isis", "mr"])


def make(algorithm: str, process: str = "b") -> Algorithm:
    return antecede.create(algorithm, process=process, groups=CHAIN, acyclic=True)


@ALGORITHMS
def test_groups_in_a_cycle_are_refused_with_the_cycle(algorithm: str) -> None:
    ring = {**CHAIN, "g4": ["d", "a"]}
    with pytest.raises(Misuse, match="has a cycle: g1 and g2 share b, g2 and g3 share c, g3 and g4 share d, g4 and g1"):
        antecede.create(algorithm, process="a", groups=ring, acyclic=True)


def test_groups_that_share_two_processes_are_refused_by_mr_alone() -> None:
    groups = {"g1": ["a", "b"], "g2": ["a", "b"]}
    with pytest.raises(Misuse, match="share more than one process: g1 and g2 share a and b"):
        antecede.create("mr", process="a", groups=groups, acyclic=True)
    assert antecede.create("isis", process="a", groups=groups, acyclic=True).process == "a"


@ALGORITHMS
def test_a_newcomer_who_would_close_a_cycle_is_refused_and_nothing_changes(algorithm: str) -> None:
    process = make(algorithm)
    before = process.snapshot()
    with pytest.raises(Misuse, match="has a cycle: g1 and g2 share b, g2 and g3 share c, g3 and g1 share e"):
        process.join("e", ["g1", "g3"])
    assert process.snapshot() == before
    process.join("e", ["g1"])
    assert process.snapshot() != before


@ALGORITHMS
@pytest.mark.parametrize(
    ("name", "groups", "complaint"),
    [
        (["e"], ["g1"], "a name must be a string"),
        ("e", "g1", "must be a collection of names"),
        ("e", ["g9"], "there is no group 'g9'"),
        ("a", ["g9"], "there is no group 'g9'"),
        ("a", ["g3", "g9"], "there is no group 'g9'"),
    ],
)
def test_a_join_that_is_wrong_otherwise_is_refused_as_ever(
    algorithm: str, name: str, groups: list[str], complaint: str
) -> None:
    process = antecede.create(algorithm, process="a", groups={**CHAIN, "g3": ["d", "f"]}, acyclic=True)
    before = process.snapshot()
    with pytest.raises(Misuse, match=complaint):
        process.join(name, groups)
    assert process.snapshot() == before


@ALGORITHMS
def test_a_process_that_left_still_counts_as_a_member(algorithm: str) -> None:
    """What b passed on from g1 to g2 may be on its way when e takes the place of b, between g1 and g3."""
    process = make(algorithm, "c")
    process.leave("b")
    process = antecede.restore(process.snapshot())
    with pytest.raises(Misuse, match="g1 and g2 share b, g2 and g3 share c, g3 and g1 share e"):
        process.join("e", ["g1", "g3"])


def test_a_newcomer_who_would_be_the_second_that_two_groups_share_is_refused_by_mr_alone() -> None:
    for algorithm, refused in (("isis", False), ("mr", True)):
        process = make(algorithm, "c")
        process.leave("b")
        if refused:
            with pytest.raises(Misuse, match="g1 and g2 share b and e"):
                process.join("e", ["g1", "g2"])
        else:
            process.join("e", ["g1", "g2"])


@ALGORITHMS
def test_a_stamp_of_another_algorithm_is_refused_by_the_algorithm_inside(algorithm: str) -> None:
    message = Stage(algorithm, "abcd", CHAIN).send("b", "g1")
    with pytest.raises(RemoteViolation, match="NoStamp"):
        make(algorithm, "a").receive(Packet("b", message, NoStamp()))


@ALGORITHMS
def test_what_is_not_a_packet_is_refused(algorithm: str) -> None:
    with pytest.raises(Misuse, match="receive takes a Packet"):
        make(algorithm).receive(b"bytes")  # type: ignore[arg-type]  # the wrong type is the test


def test_what_is_held_back_is_shown_and_time_reaches_the_algorithm_inside() -> None:
    stage = Stage("mr", "abc", {"g1": ["a", "b", "c"]}, acyclic=True, resynch_after_s=1.0)
    first, second = stage.send("a", "g1"), stage.send("a", "g1")
    stage.arrive(first, "b")
    stage.arrive(second, "b")
    assert stage.held("b") == ["a:2 waits for phase 1 of c in g1"]
    resynchs = [effect for effect in stage.nodes["b"].tick(1.0) if isinstance(effect, Transmit)]
    assert [effect.to for effect in resynchs] == ["a", "c"]


@pytest.mark.parametrize("value", [1, None, "yes"])
def test_the_option_is_true_or_false(value: object) -> None:
    with pytest.raises(Misuse, match="acyclic must be True or False"):
        antecede.create("isis", process="a", groups=CHAIN, acyclic=value)
