"""Events without an index are numbered by line in one file, and by time over several; nothing is guessed."""

from typing import Any

import pyarrow as pa

from antecede.pipeline.read.indexes import BY_LINE, BY_TIME, MIXED, NO_ORDER, number_events
from antecede.pipeline.read.rows import NEEDED, Wanted

SCHEMA = Wanted().events


def number(*rows: tuple[str, int | None, float | None, str, int]) -> tuple[list[int], list[str], tuple[str, ...]]:
    """Return the indexes, the reasons for refusals and the notes for rows of (process, index, time, file, line)."""
    columns: dict[str, list[Any]] = {name: [None] * len(rows) for name in NEEDED}
    columns |= {"run": ["r"] * len(rows), "kind": ["internal"] * len(rows)}
    for place, name in enumerate(("process", "index", "time", "file", "line")):
        columns[name] = [row[place] for row in rows]
    table = pa.table([pa.array(columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA)
    numbered, refused, notes = number_events(table)
    return numbered["index"].to_pylist(), refused["reason"].to_pylist(), notes


def test_in_one_file_the_lines_are_the_order_whatever_the_times_say() -> None:
    rows = [("a", None, 9.0, "f", 4), ("b", None, None, "f", 2), ("a", None, 1.0, "f", 7), ("a", None, None, "f", 3)]
    assert number(*rows) == ([2, 1, 3, 1], [], (BY_LINE,))


def test_over_several_files_times_are_the_order() -> None:
    """A log that is rotated: the file whose name comes first is the newest."""
    rows = [("a", None, 5.0, "app.log", 1), ("a", None, 1.0, "app.log.1", 1), ("a", None, 2.0, "app.log.1", 2)]
    assert number(*rows) == ([3, 1, 2], [], (BY_TIME,))


def test_events_of_the_same_time_stay_in_the_order_of_their_lines() -> None:
    rows = [("a", None, 1.0, "f", 2), ("a", None, 1.0, "f", 1), ("a", None, 0.0, "g", 9)]
    assert number(*rows)[0] == [3, 2, 1]


def test_over_several_files_without_times_nothing_is_guessed() -> None:
    rows = [("a", None, None, "f", 1), ("a", None, 1.0, "g", 1), ("b", None, None, "g", 2)]
    assert number(*rows) == ([1], [NO_ORDER, NO_ORDER], (BY_LINE,))


def test_an_event_without_an_index_is_refused_if_others_of_its_process_have_one() -> None:
    rows = [("a", 7, None, "f", 1), ("a", None, None, "f", 2), ("b", 3, None, "f", 3)]
    assert number(*rows) == ([7, 3], [MIXED], ())


def test_events_that_all_have_an_index_stay_as_they_are() -> None:
    assert number(("a", 7, None, "f", 1), ("a", 8, None, "g", 2)) == ([7, 8], [], ())
