"""`python -m tests.fuzz_check --traces 2000 --seed 1`: random traces through the whole of `check`, held to the judge.

The traces have violations, loss, duplicates, spurious delivers, skewed, missing and senseless clocks, and cycles. They
are written as Parquet in small row groups, or as JSON Lines, plain and gzip, with CRLF, blank lines, a byte order mark
and broken lines; many runs to a file and each run spread over several. Some rows are not events, or have an index or a
message that is taken. Every run's counts, its verdict on each order and its witness of causal order, and the counts and
verdicts of all runs together, must be the judge's; the witness of every order must be true of the events
(`tests.pipeline.order_witnesses`). Each of the orders is required in turn, and then is what the verdict is about. This
holds for every number of windows, for blocks of the usual size and for tiny ones, in the calling process and on
every kind of Spark: `local[2]`, `local-cluster[2,1,1024]`, and `connect`, which starts a Connect server of its own. The
lines in quarantine must be exactly those that the judge's parser refuses. A JVM holds one kind of session, so each kind
is a process of its own.
"""

from __future__ import annotations

import argparse
import gzip
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from antecede.judge.events import Event, read_jsonl, to_json
from antecede.judge.judge import judge
from antecede.judge.orders import ORDERS, JudgedOrder, judge_orders
from antecede.judge.rule import NOT_COMPUTED, QUARANTINE_MAX, UNDECIDABLE, VIOLATED, Coverage, combine_verdicts
from antecede.judge.trace import arrange, sift
from antecede.pipeline.check import Checked, check
from antecede.pipeline.limits import Limits
from antecede.pipeline.report.model import RunAnswer
from antecede.pipeline.runner import InProcess, Runner
from tests.pipeline.order_witnesses import check_words
from tests.pipeline.traces import COLUMNS, Row, trace
from tests.replay import Drawing, describe_event, explain_failure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

IN_PROCESS = "in-process"
MASTERS = (IN_PROCESS, "local[2]", "local-cluster[2,1,1024]", "connect")
WINDOWS = (None, 1, 3, 17)
BATCH = 100  # a check lists up to a thousand runs
LAYOUTS = ("parquet", "hostile parquet", "json")
SMALL = {"block_bytes": 700, "in_place_bytes": 100, "dealt_rows": 60, "window_events": 20}
LIMITS = (Limits(), Limits(**SMALL), Limits(**SMALL, run_events_max=15, order_events_max=30))
TAKEN = 5  # rows at the end with an index that is taken, and as many with a message that is
HOSTILE: tuple[dict[str, Any], ...] = (
    {"kind": "hello"},
    {"kind": None},
    {"process": ""},
    {"process": None},
    {"index": -4},
    {"index": None},
    {"time": float("nan")},
    {"kind": "deliver", "message": None},
    {"kind": "send", "message": "", "dests": ["p0"]},
    {"kind": "send", "message": "x", "dests": None},
    {"kind": "send", "message": "x", "dests": ["p0", ""]},
    {"kind": "send", "message": "x", "dests": [None]},
    {"run": "r" * 70_000},
)
BROKEN = (
    b'{"process": "p0", "kind": "send"',
    b'{"process": "p0", "index": 4, "kind": "internal", "group": "\xff"}',
    b'{"kind": "hello"} {"kind": "again"}',
)


def fuzz_on(
    master: str, runner: Runner, traces: int, seed: int, windows: Sequence[int | None] = WINDOWS
) -> Iterator[str]:
    """Check `traces` random traces on a runner. Yield each difference from the judge: in words, drawn, with the command
    that finds it again on `master`.
    """
    for start in range(seed, seed + traces, BATCH):
        seeds = range(start, min(start + BATCH, seed + traces))
        runs = {f"run {one}": events for one in seeds if (events := make_events(one))}
        for count, run, words in _differences_of_batch(runner, start, runs, windows):
            size = ["--traces", str(len(seeds)), "--seed", str(start), "--windows", _show_windows([count])]
            drawing = Drawing(map(describe_event, runs.get(run, ())))
            yield explain_failure(f"{run}: {words}", ["tests.fuzz_check", "--one", master, *size], drawing)


def _differences_of_batch(
    runner: Runner, start: int, runs: dict[str, list[Event]], windows: Sequence[int | None]
) -> Iterator[tuple[int | None, str, str]]:
    """Check the runs of a batch, whose form the number of the first decides. Yield each difference from the judge: the
    number of windows, the run, and what differs.
    """
    number = start // BATCH
    layout, limits = LAYOUTS[number % len(LAYOUTS)], LIMITS[number // len(LAYOUTS) % len(LIMITS)]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as out:
        broken = write(list(runs.values()), Path(folder), start, layout)
        for count in windows:
            order = ORDERS[(number + (count or 0)) % len(ORDERS)]
            checked = check(runner, [folder], windows=count, worst=3, require=order, limits=limits)
            yield from ((count, run, words) for run, words in differences(checked, runs, broken, limits))
            if layout == "json":
                check(runner, [folder], out=out, windows=count, limits=limits)
                yield from ((count, "quarantine", words) for words in misplaced(Path(folder), Path(out)))


def _show_windows(windows: Sequence[int | None]) -> str:
    return ",".join("auto" if count is None else str(count) for count in windows)


def misplaced(folder: Path, out: Path) -> Iterator[str]:
    """Yield what the quarantine of a check has otherwise than the judge's parser."""
    wanted = []
    for path in sorted(folder.iterdir()):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        _, refused = read_jsonl(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
        wanted += [(str(path), row.line, row.reason) for row in refused]
    table = pq.read_table(out / "quarantine").select(["file", "line", "reason"]).to_pylist()
    got = [tuple(row.values()) for row in table if not row["reason"].startswith("duplicate ")]
    if sorted(got) != sorted(wanted):
        yield f"{sorted(set(got) ^ set(wanted))[:3]}"


def make_events(seed: int) -> list[Event]:
    """Return the events of a random trace."""
    return [_event(row) for row in trace(seed)]


def _event(row: Row) -> Event:
    dests = row.dests if row.kind == "send" else None
    return Event(row.run, row.process, row.index, row.kind, row.time, row.message, dests)


def write(runs: Sequence[Sequence[Event]], folder: Path, seed: int, layout: str) -> int:
    """Spread the events over three files; the number of rows in them that are no events."""
    rng = random.Random(seed)
    parts: list[list[Event]] = [[], [], []]
    for events in runs:
        for event in events:
            rng.choice(parts).append(event)
    return _write_lines(parts, folder, rng) if layout == "json" else _write_tables(parts, folder, rng, layout)


def _write_tables(parts: Sequence[Sequence[Event]], folder: Path, rng: random.Random, layout: str) -> int:
    tables = [_rows(part) for part in parts]
    broken = 0
    if layout.startswith("hostile"):
        bad = [{"run": "bad", "process": "p0", "index": 1, "kind": "internal", **changes} for changes in HOSTILE]
        everything = [event for part in parts for event in part]
        bad += [{**row, "kind": "internal"} for row in _rows(rng.sample(everything, min(TAKEN, len(everything))))]
        sends = [event for event in everything if event.kind == "send"]
        again = rng.sample(sends, min(TAKEN, len(sends)))
        bad += [{**row, "index": 10**6 + at} for at, row in enumerate(_rows(again))]
        tables[2] += bad
        broken = len(bad)
    for number, rows in enumerate(tables):
        path, size = folder / f"part{number}.parquet", rng.choice((7, 100, 10_000))
        pq.write_table(pa.Table.from_pylist(rows, COLUMNS), path, row_group_size=size)
    return broken


def _rows(events: Sequence[Event]) -> list[dict[str, Any]]:
    return [{name: getattr(event, name) for name in COLUMNS.names} for event in events]


def _write_lines(parts: Sequence[Sequence[Event]], folder: Path, rng: random.Random) -> int:
    for number, part in enumerate(parts):
        lines = [to_json(event).encode() for event in part]
        lines.insert(rng.randint(0, len(lines)), BROKEN[number])
        for _ in range(rng.randint(0, 3)):
            lines.insert(rng.randint(0, len(lines)), rng.choice((b"", b"  ", b"\t")))
        text = rng.choice((b"\n", b"\r\n")).join(lines) + rng.choice((b"", b"\n"))
        text = rng.choice((b"", b"\xef\xbb\xbf")) + text
        if number == 2:
            (folder / f"part{number}.jsonl.gz").write_bytes(gzip.compress(text, mtime=0))
        else:
            (folder / f"part{number}.jsonl").write_bytes(text)
    return len(BROKEN)


def differences(
    checked: Checked, runs: dict[str, list[Event]], broken: int, limits: Limits
) -> Iterator[tuple[str, str]]:
    """Yield what the check counts otherwise than the judge, in all and run by run, each with the name of the run.

    `limits` are those of the check.
    """
    events = (event for own in runs.values() for event in own)
    wanted = judge(events, quarantined=broken).as_dict()
    wanted |= {"verdict": wanted_verdicts(checked, runs, broken)[checked.answer.required]}
    got = {name: checked.as_dict()[name] for name in wanted}
    if got != wanted:
        yield "in all", f"{got} and not {wanted}"
    answers = {run.run: run for run in checked.answer.runs}
    if sorted(answers) != sorted(runs):
        yield "in all", f"{len(answers)} runs and not {len(runs)}"
    for name in sorted(answers.keys() & runs.keys()):
        single = judge(runs[name]).as_dict()
        one = {key: getattr(answers[name], key) for key in single if key not in ("runs", "quarantined", "complete")}
        if one != {key: single[key] for key in one}:
            yield name, f"{one} and not {single}"
        yield from ((name, words) for words in _differing_orders(answers[name], runs[name], limits))
    yield from (("in all", words) for words in _differing_verdicts(checked, runs, broken))


def wanted_verdicts(checked: Checked, runs: dict[str, list[Event]], broken: int) -> dict[str, str]:
    """Return the verdict on each order of the whole trace, if the order is required, from the judge's on each run.

    A run whose synchronous order the check leaves unknown counts as one that cannot be decided.
    """
    unknown = {one.run for one in checked.answer.runs if one.synchronous == NOT_COMPUTED}
    coverage = judge((event for own in runs.values() for event in own), quarantined=broken)
    too_little = Coverage(coverage.events, coverage.quarantined).why_too_little(QUARANTINE_MAX)
    judged = {name: judge_orders(arrange(sift(own)[0])[0]) for name, own in runs.items()}
    verdicts: dict[str, str] = {}
    for order in ORDERS:
        known = [
            UNDECIDABLE if order == "synchronous" and name in unknown else found[order].verdict
            for name, found in judged.items()
        ]
        verdicts[order] = combine_verdicts(known, too_little=too_little)
    return verdicts


def _differing_verdicts(checked: Checked, runs: dict[str, list[Event]], broken: int) -> Iterator[str]:
    """Yield the orders of which the check says otherwise of the whole trace than the judge, or with other witnesses
    than those of its runs.
    """
    for order, wanted in wanted_verdicts(checked, runs, broken).items():
        got = checked.answer.verdict_on(order)
        if got != wanted and not (got == NOT_COMPUTED and wanted == UNDECIDABLE):
            yield f"{order} order of all: {got} and not {wanted}"
        words = {f"run {one.run!r}: {getattr(one, f'{order}_witness')}" for one in checked.answer.runs}
        words |= {str(getattr(one, f"{order}_witness")) for one in checked.answer.runs[: len(runs) == 1]}
        if order != "causal" and got == VIOLATED and checked.answer.witness_of(order) not in words:
            yield f"{order} order of all: {checked.answer.witness_of(order)}, which is the witness of no run"


def _differing_orders(answer: RunAnswer, events: Sequence[Event], limits: Limits) -> Iterator[str]:
    """Yield the orders of delivery on which the check and the judge differ. Synchronous order may be unknown only of a
    run with more events with a message than one task takes.
    """
    (run,) = arrange(sift(events)[0])
    is_large = sum(event.kind != "internal" for event in events) > limits.order_events_max
    for order, wanted in judge_orders(run).items():
        got = answer.verdict if order == "causal" else getattr(answer, order)
        if got == NOT_COMPUTED and order == "synchronous" and is_large:
            continue
        if got != wanted.verdict:
            yield f"{order} order: {got} and not {wanted.verdict}"
            continue
        witness = getattr(answer, f"{order}_witness")
        if order == "causal" and witness != _describe_causal(wanted):
            yield f"causal order: {witness} and not {_describe_causal(wanted)}"
        if (witness is not None) != (got == VIOLATED):
            yield f"{order} order: {got}, with the witness {witness}"
        elif witness is not None:
            try:
                check_words(run, order, witness)
            except AssertionError as error:
                yield f"{order} order: the witness is not true: {witness} ({error})"


def _describe_causal(judged: JudgedOrder) -> str | None:
    """Return the judge's witness of causal order in words, or None if it is not violated."""
    if judged.verdict != VIOLATED:
        return None
    (process,), (message, overtaken) = judged.processes, judged.messages
    return f"{process} delivered {message} before {overtaken}, which may have caused it"


def connected(master: str) -> Runner:
    """Return a runner in this process, or on a session of Spark."""
    if master == IN_PROCESS:
        return InProcess()
    from antecede.pipeline.spark.runner import SparkRunner

    return SparkRunner(connect(master))


def connect(master: str) -> SparkSession:
    """Return a session of Spark on a master, or on a Connect server that is started for it."""
    from pyspark.sql import SparkSession

    from antecede.pipeline.spark import session as sessions
    from antecede.pipeline.spark.small_input import JAVA_OPTIONS

    if master != "connect":
        quick = {"spark.driver.extraJavaOptions": " ".join(JAVA_OPTIONS)} if master.startswith("local[") else {}
        return sessions.session(master, app="antecede fuzz", options=quick)
    sessions._prepare_machine()
    builder = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "4")
    return builder.config("spark.connect.grpc.binding.address", "127.0.0.1").getOrCreate()


def fuzz(
    traces: int, seed: int, masters: Sequence[str] = MASTERS, windows: Sequence[int | None] = WINDOWS
) -> list[str]:
    """Every kind of Spark in a process of its own; the failures in words."""
    failures = []
    for master in masters:
        shown = _show_windows(windows)
        command = ["-m", "tests.fuzz_check", "--one", master, "--traces", str(traces), "--seed", str(seed)]
        done = subprocess.run(
            [sys.executable, *command, "--windows", shown], capture_output=True, text=True, check=False
        )
        print(f"{master}: {done.stdout.strip().splitlines()[-1] if done.stdout.strip() else 'nothing was said'}")
        if done.returncode:
            failures.append(f"{master}: {done.stdout}{done.stderr[-3000:]}")
    return failures


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--masters", nargs="+", default=list(MASTERS))
    parser.add_argument("--windows", default="auto,1,3,17")
    parser.add_argument("--one", metavar="MASTER", help="this kind of Spark, in this process")
    given = parser.parse_args(arguments)
    windows = [None if count == "auto" else int(count) for count in given.windows.split(",")]
    if given.one is None:
        failures = fuzz(given.traces, given.seed, given.masters, windows)
        print("\n".join(failures))
        return 1 if failures else 0
    found = list(fuzz_on(given.one, connected(given.one), given.traces, given.seed, windows))
    print(*found, sep="\n")
    print(f"{given.traces:,} traces from seed {given.seed}, windows {given.windows}: {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
