"""The figures of a report count everything, and list the busiest and the worst."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from antecede.pipeline.tables import totals
from tests.pipeline.written_tables import CheckFiles

WriteLines = Callable[[str, Sequence[object]], str]


def link_rows(sender: str, process: str, messages: int, *, is_violated: bool) -> list[dict[str, object]]:
    """Return messages from one process to another, in a run of their own, delivered in order or backwards."""
    run, ids = f"{sender}{process}", [f"{sender}{process}{number}" for number in range(messages)]
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


def test_links_with_violations_are_kept_beside_the_busiest(
    write_lines: WriteLines, check_files: CheckFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(totals, "LINKS_MAX", 1)
    monkeypatch.setattr(totals, "VIOLATED_LINKS_MAX", 1)
    rows = link_rows("a", "b", 5, is_violated=False) + link_rows("c", "d", 3, is_violated=True)
    rows += link_rows("e", "f", 2, is_violated=True)
    figures = check_files(write_lines("t.jsonl", rows)).checked.figures
    assert figures is not None
    assert [(link.sender, link.process) for link in figures.links] == [("a", "b")]
    assert [(link.sender, link.violations) for link in figures.violated_links] == [("c", 2)]
    assert figures.violated_link_count == 2
    assert "run `antecede locality`" in figures.locality


def test_all_processes_are_counted_if_there_are_no_links(write_lines: WriteLines, check_files: CheckFiles) -> None:
    count = totals.PROCESSES_MAX + 30
    rows = [{"process": f"p{number}", "index": 0, "kind": "internal"} for number in range(count)]
    figures = check_files(write_lines("t.jsonl", rows)).checked.figures
    assert figures is not None
    assert (len(figures.processes), figures.process_count, figures.links) == (totals.PROCESSES_MAX, count, ())


def test_the_report_has_the_plan(write_lines: WriteLines, check_files: CheckFiles) -> None:
    checked = check_files(write_lines("t.jsonl", link_rows("a", "b", 1, is_violated=False))).checked
    assert checked.plan.endswith("bytes: one task reads and judges all of it")
