"""What a process of a stamping algorithm believes of a control packet."""

from __future__ import annotations

import pytest

import antecede
from antecede import Packet, RemoteViolation
from antecede.core.ordering.none import NoStamp
from antecede.core.process import Baseline


def new(algorithm: str = "vector") -> antecede.Algorithm:
    return antecede.create(algorithm, process="a", processes=[*"abc"])


@pytest.mark.parametrize(
    ("algorithm", "packet", "told"),
    [
        (
            "vector",
            Packet("a", None, Baseline({"all": 5})),
            "a baseline in the name of a, which is this process itself",
        ),
        ("vector", Packet("b", None, NoStamp()), "b sent a NoStamp, which is of another algorithm"),
        ("ks", Packet("b", None, Baseline({"all": 5})), "b sent a Baseline, which is of another algorithm"),
    ],
    ids=["of itself", "not a baseline", "an algorithm that needs none"],
)
def test_a_baseline_that_nobody_could_have_sent_is_refused(algorithm: str, packet: Packet, told: str) -> None:
    a = new(algorithm)
    before = a.snapshot()
    with pytest.raises(RemoteViolation) as caught:
        a.receive(packet)
    assert str(caught.value) == told
    assert a.snapshot() == before


def test_a_baseline_of_a_process_that_left_changes_nothing() -> None:
    a = new()
    a.leave("b")
    before = a.snapshot()
    assert a.receive(Packet("b", None, Baseline({"all": 5}))) == []
    assert a.snapshot() == before


def test_a_process_that_joins_again_and_has_no_groups_does_nothing() -> None:
    process = new("ks")
    before = process.snapshot()
    assert process.join("a") == []
    assert process.snapshot() == before
