"""Which messages might be overtaken, and for how long one must know of them."""

from __future__ import annotations

from antecede.pipeline.kernel.encode import encode
from antecede.pipeline.kernel.layout import lay_out
from antecede.pipeline.kernel.mask_blocks import OvertakablePairs, find_overtakable
from antecede.pipeline.kernel.pair import paired_runs
from tests.pipeline.traces import Row, coded, overtaking


def overtakable(rows: list[Row]) -> OvertakablePairs:
    paired = paired_runs(encode(coded(rows))).rows
    layout = lay_out(paired)
    return find_overtakable(paired, layout, layout.kernels.linearise(layout.lanes, 0, 1))


def spans(rows: list[Row]) -> list[tuple[int, int]]:
    """The first and last position of each pair that might be overtaken; positions count from 1, as in the pictures."""
    pairs = overtakable(rows)
    return [(int(first) + 1, int(last) + 1) for first, last in zip(pairs.first, pairs.last, strict=True)]


def test_the_picture_of_the_mask_walk() -> None:
    rows = [
        Row("r", "a", 1, "send", 1.0, "m1", ("c",)),
        Row("r", "b", 1, "send", 2.0, "m2", ("c",)),
        Row("r", "c", 1, "deliver", 3.0, "m2"),
        Row("r", "a", 2, "send", 4.0, "m3", ("b",)),
        Row("r", "b", 2, "deliver", 5.0, "m3"),
        Row("r", "b", 3, "send", 6.0, "m4", ("c",)),
        Row("r", "c", 2, "deliver", 7.0, "m4"),
        Row("r", "c", 3, "deliver", 8.0, "m1"),
    ]
    assert spans(rows) == [(4, 7)]


def test_a_message_to_several_tells_of_itself() -> None:
    rows = [
        Row("r", "a", 1, "send", 1.0, "m1", ("b", "c")),
        Row("r", "b", 1, "deliver", 2.0, "m1"),
        Row("r", "b", 2, "send", 3.0, "m2", ("c",)),
        Row("r", "c", 1, "deliver", 4.0, "m2"),
        Row("r", "c", 2, "deliver", 5.0, "m1"),
    ]
    assert spans(rows) == [(1, 4)]


def test_a_message_from_the_same_process_overtakes() -> None:
    assert spans(overtaking("r")) == [(2, 3)]


def test_messages_whose_senders_have_heard_of_nothing_overtake_nobody() -> None:
    rows = [Row("r", f"p{number}", 1, "send", float(number), f"m{number}", ("z",)) for number in range(9)]
    rows += [Row("r", "z", number, "deliver", 20.0 - number, f"m{9 - number}") for number in range(1, 10)]
    assert spans(rows) == []
