"""Windows: where to cut, and that composed windows say what the whole run says, wherever they are cut."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from antecede.pipeline.kernel import loops
from antecede.pipeline.windows.compose import shifts, spread
from tests.pipeline.chain import through_windows
from tests.pipeline.oracle import assert_found, expected
from tests.pipeline.traces import Row, trace


@pytest.mark.parametrize("windows", [1, 3, 17])
@pytest.mark.parametrize("seeds", [range(200), pytest.param(range(200, 900), marks=pytest.mark.slow)], ids=str)
def test_composed_windows_count_what_the_definition_counts(windows: int, seeds: range) -> None:
    compared = 0
    for seed in seeds:
        rows, rng = trace(seed), random.Random(seed)
        cuts = sorted(rng.random() for _ in range(windows - 1))
        found = through_windows(rows, cuts) if rows else None
        if found is not None:
            assert_found(found.counts, found.violations, expected(rows))
            compared += 1
    assert compared > 0.44 * len(seeds)  # the others have no time, or clocks that no shift can repair


@given(st.integers(1_000, 2**32), st.lists(st.floats(0, 1), max_size=8).map(sorted))
@settings(max_examples=150, deadline=None)
def test_any_cuts_of_any_run_count_what_the_definition_counts(seed: int, cuts: list[float]) -> None:
    rows = trace(seed)
    found = through_windows(rows, cuts) if rows else None
    if found is not None:
        assert_found(found.counts, found.violations, expected(rows))


def test_compiled_windows_count_the_same() -> None:
    for seed in range(60):
        rows = trace(seed)
        with loops.interpret_up_to(-1):
            found = through_windows(rows, [0.3, 0.6]) if rows else None
        if found is not None:
            assert_found(found.counts, found.violations, expected(rows))


def relay(hops: int) -> list[Row]:
    """m0 goes from a to z, and takes until the end; meanwhile a chain of messages goes round, and ends at z."""
    rows = [Row("r", "a", 0, "send", 0.0, "m0", ("z",))]
    for hop in range(1, hops + 1):
        sender, taker = f"p{hop - 1}" if hop > 1 else "a", f"p{hop}" if hop < hops else "z"
        rows.append(Row("r", sender, hop, "send", float(hop), f"m{hop}", (taker,)))
        rows.append(Row("r", taker, hop, "deliver", hop + 0.5, f"m{hop}"))
    return [*rows, Row("r", "z", hops + 1, "deliver", hops + 1.0, "m0")]


def test_a_chain_through_many_windows_is_followed_to_its_end() -> None:
    rows = relay(40)
    found = through_windows(rows, [number / 60 for number in range(1, 60)])
    assert found is not None
    assert_found(found.counts, found.violations, expected(rows))
    (violation,) = found.violations
    assert (violation["message"], violation["witness"]) == ("m40", "m0")


def test_a_cycle_inside_one_window_silences_the_other_windows_of_its_run() -> None:
    rows = [
        *relay(4),
        Row("r", "x", 1, "deliver", 0.2, "n2"),
        Row("r", "x", 2, "send", 0.2, "n1", ("y",)),
        Row("r", "y", 1, "deliver", 0.2, "n1"),
        Row("r", "y", 2, "send", 0.2, "n2", ("x",)),
    ]
    found = through_windows(rows, [0.1, 0.3, 0.5, 0.9])
    assert found is not None
    assert_found(found.counts, found.violations, expected(rows))
    assert (found.counts["cyclic"], found.violations) == (1, [])


def test_shifts_repair_skew_wherever_that_is_possible() -> None:
    rng = np.random.default_rng(1)
    offset = rng.integers(-1_000, 1_000, 6)
    sender, receiver = rng.integers(0, 6, 50), rng.integers(0, 6, 50)
    delay = rng.integers(0, 30, 50)
    slack = delay + offset[receiver] - offset[sender]
    assert (slack < 0).any()
    shift = shifts(6, sender, receiver, slack)
    assert shift is not None
    assert (slack + shift[receiver] - shift[sender] >= 0).all()


@pytest.mark.parametrize("links", [[(0, 0, -1)], [(0, 1, 2), (1, 0, -3)], [(0, 1, -1), (1, 2, 0), (2, 0, 0)]])
def test_no_shift_is_found_where_a_round_trip_ends_before_it_began(links: list[tuple[int, int, int]]) -> None:
    assert shifts(3, *np.array(links).T) is None


def test_clocks_without_skew_are_left_alone() -> None:
    shift = shifts(2, np.array([0, 1]), np.array([1, 0]), np.array([0, 5]))
    assert shift is not None
    assert shift.tolist() == [0, 0]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(1, 5))
@example([1, 0], 1)
def test_windows_are_in_order_without_gaps_and_no_more_than_asked_for(counts: list[int], windows: int) -> None:
    window = spread(np.array(counts), windows)
    assert window[0] == 0
    assert set(np.diff(window).tolist()) <= {0, 1}
    assert window[-1] < windows
