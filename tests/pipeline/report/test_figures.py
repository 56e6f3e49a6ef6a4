"""The figures of a report count everything, and list the busiest and the worst."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pytest

from antecede.pipeline.read.files import PATHS
from antecede.pipeline.tables import totals
from tests.pipeline.written_tables import CheckFiles

WriteLines = Callable[[str, Sequence[object]], str]


def link_rows(
    sender: str, process: str, messages: int, *, is_violated: bool, run: str | None = None
) -> list[dict[str, object]]:
    """Return messages from one process to another, in a run of their own, delivered in order or backwards."""
    run, ids = run or f"{sender}{process}", [f"{sender}{process}{number}" for number in range(messages)]
    order = ids[::-1] if is_violated else ids
    sends = [
        {"run": run, "process": sender, "index": index, "kind": "send", "message": one, "dests": [process]}
        for index, one in enumerate(ids)
    ]
    delivers = [
        {"run": run, "process": process, "index": index, "kind": "deliver", "message": one}
        for index, one in enumerate(order)
    ]
    return sends + delivers


def test_the_worst_links_are_listed_beside_the_busiest(write_lines: WriteLines, check_files: CheckFiles) -> None:
    rows = link_rows("a", "b", 5, is_violated=False) + link_rows("e", "f", 2, is_violated=True)
    rows += link_rows("c", "d", 2, is_violated=True) + link_rows("c", "d", 4, is_violated=True, run="another")
    written = check_files(write_lines("t.jsonl", rows))
    figures = written.checked.figures
    assert figures is not None
    assert [(link.sender, link.messages) for link in figures.links] == [("c", 6), ("a", 5), ("e", 2)]
    assert [(link.sender, link.violations) for link in figures.violated_links] == [("c", 4), ("e", 1)]
    assert figures.violated_link_count == 2
    assert "less on the wire" in figures.locality


@pytest.mark.parametrize(
    ("links_max", "violated_max", "senders"), [(1, 1, "ac"), (1, 0, "a"), (0, 2, "ce"), (9, 9, "ace")]
)
def test_of_many_links_the_busiest_and_the_worst_are_told(
    write_lines: WriteLines, check_files: CheckFiles, links_max: int, violated_max: int, senders: str
) -> None:
    rows = link_rows("a", "b", 5, is_violated=False) + link_rows("c", "d", 3, is_violated=True)
    rows += link_rows("e", "f", 2, is_violated=True)
    (path,) = (check_files(write_lines("t.jsonl", rows)).folder / "links").glob("*.parquet")
    asked = pa.record_batch([[str(path)]], schema=PATHS)
    told = pa.Table.from_batches(totals.add_up_links(links_max=links_max, violated_max=violated_max)([asked]))
    assert "".join(told["sender"].to_pylist()) == senders
    assert {(row["link_count"], row["violated_count"]) for row in told.to_pylist()} == {(3, 2)}


def test_all_processes_are_counted_if_there_are_no_links(write_lines: WriteLines, check_files: CheckFiles) -> None:
    count = totals.PROCESSES_MAX + 30
    rows = [{"process": f"p{number}", "index": 0, "kind": "internal"} for number in range(count)]
    figures = check_files(write_lines("t.jsonl", rows)).checked.figures
    assert figures is not None
    assert (len(figures.processes), figures.process_count, figures.links) == (totals.PROCESSES_MAX, count, ())


def test_the_report_has_the_plan(write_lines: WriteLines, check_files: CheckFiles) -> None:
    checked = check_files(write_lines("t.jsonl", link_rows("a", "b", 1, is_violated=False))).checked
    assert checked.plan.endswith("bytes: one task reads and judges all of it")
