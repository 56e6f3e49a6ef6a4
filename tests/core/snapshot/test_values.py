"""A field that a class no longer has keeps its place in the snapshot, and one that it got later has a default."""

from __future__ import annotations

import pytest

from antecede import SnapshotError
from antecede.core.mobile.direct import Direct
from antecede.core.mobile.flood import Flood
from antecede.core.ordering.hierarchy import Hierarchy
from antecede.core.ordering.ks import Ks
from antecede.core.ordering.succession import Succession
from antecede.core.roster import Roster
from antecede.core.snapshot import values

REMOVED = [(Ks("a", multicast=True), 2, "rcv4"), (Direct("rst", hold_max=7), 1, True), (Flood(seq=3), 0, True)]


@pytest.mark.parametrize(("value", "place", "_"), REMOVED)
def test_a_removed_field_is_stored_in_its_place(value: object, place: int, _: object) -> None:
    stored = values.dumps(value)
    assert values.loads(stored) == value
    assert [place for place, _ in values.REMOVED[type(value)]] == [place]


@pytest.mark.parametrize(("value", "place", "other"), REMOVED)
def test_a_removed_field_with_another_value_is_refused(
    value: object, place: int, other: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setitem(values.REMOVED, type(value), [(place, other)])
        stored = values.dumps(value)
    with pytest.raises(SnapshotError, match=f"field {place} of a .* is {other!r}, which is no longer supported"):
        values.loads(stored)


def test_more_values_than_are_remembered_are_read_as_they_were_written() -> None:
    numbers = list(range(2 * values.SHORT_KEPT_MAX))
    assert values.loads(values.dumps([numbers, {str(number): number for number in numbers}])) == [
        numbers,
        {str(number): number for number in numbers},
    ]
    assert len(values.SHORT_READ) <= values.SHORT_KEPT_MAX


def test_a_field_that_was_added_is_stored_if_it_has_not_its_default() -> None:
    """So a snapshot of before is read, and a process in which nothing is new is stored as before."""
    without = Hierarchy(Roster("a", "multicast", {"a"}), {"a": "a"}, None, {})
    with_it = Hierarchy(Roster("a", "multicast", {"a"}), {"a": "a"}, None, {}, Succession({"a": "b"}))
    assert b"Succession" not in values.dumps(without)
    assert b"Succession" in values.dumps(with_it)
    for value in (without, with_it):
        assert values.loads(values.dumps(value)) == value


def test_a_field_that_was_not_added_is_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setitem(values.FIELDS, Hierarchy, ["roster", "representative", "inner"])
        earlier.setitem(values.ADDED, Hierarchy, [])
        stored = values.dumps(Hierarchy(Roster("a", "multicast", {"a"}), {"a": "a"}, None, {}))
    with pytest.raises(SnapshotError, match="not a snapshot of this version"):
        values.loads(stored)
