"""Print what commands show: the current stage, an answer of one screen, columns, and the paths of the report.

Names and texts come from other people's logs, so control characters are removed from them first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.core.errors import Misuse

if TYPE_CHECKING:
    from antecede.pipeline.check import Checked
    from antecede.pipeline.progress import Progress
    from antecede.pipeline.report.model import ExplainedViolation
    from antecede.pipeline.runner import Runner

IN_PROCESS, CAUSAL = "in-process", "causal"
TEXT_CHARS_MAX = 1_500
NOTES_MAX = 5
STEPS_MAX = 8
NAME_CHARS_MAX, PLACE_CHARS_MAX, WITNESS_CHARS_MAX = 48, 200, 300
COUNTED = (
    ("runs", "processes", "events", "quarantined"),
    ("messages", "deliveries", "violations", "overtaken"),
    ("lost", "duplicates", "spurious", "early"),
)
COUNTED_BY_CLOCKS = (COUNTED[0], ("receives", "late"))
"""What is counted if vector clocks are judged, which tell neither messages nor what is lost."""


def show(checked: Checked) -> None:
    """Print the verdict, the worst violation if causal order is required, the orders, the counts and the notes."""
    found = checked.answer
    incomplete = "" if found.complete else " (incomplete)"
    print(f"{found.verdict.upper()}{incomplete}: {plain(found.reason)}\n")
    if checked.explained and found.required == CAUSAL:
        for line in violation_lines(checked.explained[0]):
            print(line)
        print()
    for line in order_lines(checked):
        print(f"  {line}")
    print()
    for line in count_lines(checked):
        print(f"  {line}")
    notes = [*checked.notes, *(f"run {run.run!r} was verified {run.one_task}" for run in found.runs if run.one_task)]
    if notes:
        print()
    for note in notes[:NOTES_MAX]:
        print(f"Note: {plain(note)}")
    if len(notes) > NOTES_MAX:
        left = len(notes) - NOTES_MAX
        print(f"and {left} more {'note' if left == 1 else 'notes'}")


def violation_lines(violation: ExplainedViolation) -> Iterator[str]:
    """Yield the worst violation in words, and its events with file and line: of the chain, and the two delivers."""
    from antecede.pipeline.report.message_names import cut_middle, name_messages

    yield f"The worst violation: {plain(violation.words)}."
    chain = list(violation.chain)
    shown = chain if len(chain) <= STEPS_MAX else [*chain[: STEPS_MAX // 2], *chain[-STEPS_MAX // 2 :]]
    events = [*shown, *violation.delivers]
    names = name_messages((event.message for event in events if event.message), violation.titles)
    words = [
        plain(f"{cut_middle(event.process, NAME_CHARS_MAX)} {event.kind}s {names.get(event.message or '', '')}")
        for event in events
    ]
    width = max(map(len, words), default=0)
    for number, (event, said) in enumerate(zip(events, words, strict=True)):
        if number == STEPS_MAX // 2 and len(shown) < len(chain):
            yield f"  … {len(chain) - len(shown)} more steps"
        place = "" if event.file is None else f"  {plain(event.file, PLACE_CHARS_MAX)}:{event.line}"
        yield f"  {said:<{width}}{place}".rstrip()


def show_places(checked: Checked, report: str | None, exported: Sequence[str]) -> None:
    """Print where the report, the tables and the exported files are."""
    if report is not None:
        print(f"\nReport: {report}\nTables: {checked.out}")
    elif not exported:
        print("\nNo tables and no report were written. Add --out DIR to write them.")
    for path in exported:
        print(f"Exported: {path}")


def count_lines(checked: Checked) -> Iterator[str]:
    """Yield the counts in a few lines of columns."""
    values = checked.as_dict()
    values |= {"receives": values["deliveries"], "late": values["violations"]}
    for names in COUNTED_BY_CLOCKS if values["basis"] == "clocks" else COUNTED:
        yield "".join(f"{name:<12}{values[name]:>12,}    " for name in names).rstrip()


def order_lines(checked: Checked) -> Iterator[str]:
    """Yield one line for each order of delivery: whether it holds, and if not, a witness.

    If causal order is required, the worst violation is shown by itself, if any is explained, and not repeated here.
    """
    found = checked.answer
    for one in found.orders:
        is_shown = one.order == found.required == CAUSAL and bool(checked.explained)
        words = "" if is_shown else plain(one.words or "", WITNESS_CHARS_MAX)
        yield f"{one.order:<12}{one.verdict:<14}{words}".rstrip()


def plain(text: str, chars_max: int = TEXT_CHARS_MAX) -> str:
    """Return `text` on one line, printable, and not longer than `chars_max`."""
    shown = "".join(char if char.isprintable() else "\ufffd" for char in text[: chars_max + 1])
    return shown if len(shown) <= chars_max else f"{shown[:chars_max]}…"


def without_controls(text: str) -> str:
    """Return `text` with its line breaks, and without other characters that a terminal may obey."""
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)


def write_report(checked: Checked, progress: Progress, link: str | None = None) -> str:
    """Write the report into the output folder and return its path. If the folder is remote, use the current folder.

    `link` is a template for links from the steps of violations to another tool.
    """
    progress("report")
    from antecede.pipeline.tables.folder import is_remote
    from antecede.web.report import render
    from antecede.web.step_links import parse_template

    assert checked.out is not None
    folder = Path.cwd() if is_remote(checked.out) else Path(checked.out.removeprefix("file:"))
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    path = folder / "report.html"
    template = None if link is None else parse_template(link)
    unfinished = path.with_name(".report.html.new")
    write(str(unfinished), iter([render(checked, written=written, link=template)]))
    unfinished.replace(path)  # nobody sees half a report
    return str(path)


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the rows of a table as lines, with the cells of each column one below the other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def start_runner(paths: Sequence[str], master: str | None, progress: Progress) -> Runner:
    """Return what runs the tasks of a check of `paths`: Spark, or this process if `master` is `in-process`."""
    if master == IN_PROCESS:
        from antecede.pipeline.runner import InProcess

        return InProcess()
    progress("starting Spark")
    from antecede.pipeline.spark.runner import SparkRunner
    from antecede.pipeline.spark.session import session
    from antecede.pipeline.spark.small_input import options

    return SparkRunner(session(master, options=options(paths, master), others=[IN_PROCESS]))


def write(path: str, pieces: Iterator[str]) -> None:
    """Write pieces of text to a file."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(pieces)
    except OSError as error:
        raise Misuse(f"cannot write {path}: {error.strerror}; give a file in a folder that exists") from error


@contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Yield a callback that shows the current stage on standard error.

    On a terminal it is a line that disappears at the end. Otherwise it is one line for each stage.
    """
    if quiet:
        yield lambda _stage: None
    elif sys.stderr.isatty():
        with _spinner() as progress:
            yield progress
    else:
        yield lambda stage: print(f"{stage} ...", file=sys.stderr, flush=True)


@contextmanager
def _spinner() -> Iterator[Progress]:
    try:
        from rich.console import Console
        from rich.text import Text
    except ModuleNotFoundError:
        yield lambda _stage: None
        return
    with Console(stderr=True).status(Text("starting")) as status:
        yield lambda stage: status.update(Text(f"{stage} …"))
