"""`python -m bench.check.steps`: what each step of a check costs for one event, without Spark.

read       from the bytes of files to rows, for each form
deal       rows to streams for 8 parts by run, and back to rows
judge      whole runs: names to numbers, delivers joined to sends, and the verdict
tables     the tables of --out, from the judged rows to Parquet files, with all columns

Everything runs in this process, one part after the other, so what is measured is the work itself, not who hands it out.
Times are processor time, the least of `ROUNDS` rounds after one that compiles, in microseconds for each event.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import pyarrow as pa

from antecede.pipeline.dealing import DEALT
from antecede.pipeline.limits import LIMITS
from antecede.pipeline.open_trace import OpenTrace, open_trace
from antecede.pipeline.read.open_input import Expressions
from antecede.pipeline.read.rows import ReadRows, Wanted
from antecede.pipeline.runner import InProcess
from antecede.pipeline.verify.tasks import JudgeOptions, deal_runs, judge_dealt
from bench.check.files import prepare_files
from bench.check.workload import Workload
from bench.table import keep, show

EVENTS, RUNS = 1_000_000, 20
PROCESSES = (64, 4_096, 100_000)
FORMS = ("jsonl", "otlp", "parquet")
PARTS = 8
ROUNDS = 3
COUNT = pa.schema([("events", pa.int64())])


def time_least(work: Callable[[], object]) -> float:
    """Return the least processor time of some rounds, in seconds, after one that is not measured."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = process_time()
        work()
        times.append(process_time() - start)
    return min(times)


def count_events(read: Iterator[ReadRows]) -> Iterator[pa.RecordBatch]:
    yield pa.record_batch([[sum(rows.events.num_rows for rows in read)]], schema=COUNT)


def measure_reading(trace: OpenTrace, wanted: Wanted) -> tuple[float, int]:
    """Return the seconds that reading takes, and the number of events."""
    source = trace.open(wanted)
    events = sum(source.map(count_events, COUNT).collect()["events"].to_pylist())
    return time_least(lambda: source.map(count_events, COUNT).collect()), events


def measure_after_reading(trace: OpenTrace, wanted: Wanted, parts_folder: str | None) -> tuple[float, float]:
    """Return the seconds that dealing takes with the reading before it, and those of judging what was dealt."""
    source = trace.open(wanted)
    dealing = time_least(lambda: source.map(deal_runs(PARTS), DEALT).deal(PARTS).collect())
    dealt = source.map(deal_runs(PARTS), DEALT).deal(PARTS).keep()
    options = JudgeOptions(parts_folder=parts_folder)
    judging = time_least(lambda: dealt.map(judge_dealt(options), DEALT).collect())
    dealt.release()
    return dealing, judging


def main() -> None:
    results: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="bench-steps-") as scratch:
        folder = Path(scratch)
        for form in FORMS:
            trace = _open(prepare_files(folder, form, Workload(EVENTS, runs=1 if form == "otlp" else RUNS)))
            for name, wanted in (("verdict", Wanted()), ("--out", Wanted(all_columns=True))):
                seconds, events = measure_reading(trace, wanted)
                results[f"read {form}, for {name}"] = 1e6 * seconds / events
        for processes in PROCESSES:
            trace = _open(prepare_files(folder, "parquet", Workload(EVENTS, processes=processes, runs=RUNS)))
            reading, events = measure_reading(trace, Wanted())
            dealing, judging = measure_after_reading(trace, Wanted(), None)
            tables = folder / f"tables-{processes}"
            _, writing = measure_after_reading(trace, Wanted(all_columns=True), str(tables))
            steps = {"deal": dealing - reading, "judge": judging, "tables": writing - judging}
            results |= {f"{name}, {processes:,} processes": 1e6 * step / events for name, step in steps.items()}
    show(f"Microseconds of a processor for each of {EVENTS:,} events", ("step", "µs"), list(results.items()))
    keep("check-steps", results)


def _open(files: Path) -> OpenTrace:
    given = [str(path) for path in sorted(files.iterdir())]
    return open_trace(InProcess(), given, "auto", Expressions(), windows=None, limits=LIMITS)


if __name__ == "__main__":
    main()
