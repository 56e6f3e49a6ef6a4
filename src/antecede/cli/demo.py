"""`antecede demo`: run the same traffic over the same network without and with causal order, and compare the checks."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.cli import screen
from antecede.core.errors import Misuse

if TYPE_CHECKING:
    from antecede.pipeline.check import Checked
    from antecede.pipeline.progress import Progress

ALGORITHMS = ("none", "ks")

EXPLANATION = """\
Simulate processes that send messages over a network that reorders them, once without ordering (none) and once with
causal order (ks). Both runs have the same messages, sent at the same times, with the same latencies. Then check both
runs on the Spark that comes with the package, and show the two verdicts side by side. Java need not be installed.

With --live, run real programs instead: three stations on their own NATS server, and eight hosts that chat and roam
between the stations. One station is killed and restarted. The conversation runs twice: once in the order in which NATS
delivers, and once in causal order.
"""


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "demo",
        help="simulate a system with and without causal order, and check both",
        description=EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--live", action="store_true", help="run real stations and roaming hosts over NATS")
    parser.add_argument(
        "--out", default="out/demo", metavar="DIR", help="the folder for traces, tables and report; default: out/demo"
    )
    parser.add_argument("--processes", type=int, default=20, metavar="N", help="the number of processes; default: 20")
    parser.add_argument(
        "--messages", type=int, default=1_000, metavar="N", help="the number of messages; default: 1000"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of the simulation; default: 1")
    parser.add_argument("--master", metavar="URL", help="a Spark master; default: Spark on this machine")


def run(arguments: argparse.Namespace) -> int:
    if arguments.live:
        from antecede.cli import live

        return live.run(arguments)
    out = Path(arguments.out)
    traces = out / "traces"
    with screen.show_progress() as progress:
        for algorithm in ALGORITHMS:
            progress(f"simulating {arguments.processes} processes with {algorithm}")
            _simulate(algorithm, arguments, traces / f"{algorithm}.jsonl")
        checked, rows = check_runs(str(traces), str(out / "checked"), arguments.master, progress)
        report = screen.write_report(checked, progress)
    print_comparison(
        f"{arguments.processes} processes, {arguments.messages:,} messages, seed {arguments.seed}: "
        "the same traffic on the same network",
        _compare([rows[algorithm] for algorithm in ALGORITHMS]),
        checked,
        report,
        traces,
    )
    return 0


def _simulate(algorithm: str, arguments: argparse.Namespace, path: Path) -> None:
    from antecede.sim import Parameters, RunRecorder, Workload, simulate
    from antecede.sim.trace import open_trace

    parameters = Parameters(
        algorithm=algorithm,
        processes=arguments.processes,
        messages=arguments.messages,
        seed=arguments.seed,
        workload=Workload(dests=(1, min(4, arguments.processes - 1))),
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misuse(f"cannot make the folder {path.parent}: {error.strerror}; give another with --out") from error
    with open_trace(path, algorithm) as sink:
        recorder = RunRecorder(sink)
        simulate(parameters, recorder)
        recorder.close()


def check_runs(
    traces: str, out: str, master: str | None, progress: Progress
) -> tuple[Checked, Mapping[str, Mapping[str, Any]]]:
    """Check both runs together, and return the check and the row of each run in its summary."""
    runner = screen.start_runner([traces], master, progress)
    import pyarrow.parquet as pq

    from antecede.pipeline.check import check

    checked = check(runner, [traces], format="antecede", out=out, progress=progress)
    rows = pq.read_table(f"{out}/summary").to_pylist()  # two rows, one for each run
    return checked, {row["run"]: row for row in rows}


def print_comparison(
    title: str, rows: Iterable[tuple[str, Sequence[str]]], checked: Checked, report: str, traces: Path
) -> None:
    """Print both runs side by side, the worst violation, and where everything was written.

    A row is a label and the value of each run.
    """
    print(f"{title}\n")
    for label, values in rows:
        print(f"  {label:<34}{''.join(f'{value:>20}' for value in values)}".rstrip())
    if checked.explained:
        print(f"\nThe worst violation without causal order: {screen.plain(checked.explained[0].words)}.")
    print(f"\nReport: {report}\nTables: {checked.out}\nTraces: {traces}")


def _compare(pair: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what differs without and with causal order."""
    yield "", ("none (no order)", "ks (causal order)")
    yield "verdict", [row["verdict"].upper() for row in pair]
    for label, name in (
        ("deliveries", "deliveries"),
        ("violations", "violations"),
        ("messages overtaken", "overtaken"),
        ("held back after receive", "held"),
        ("  of these needlessly", "needless"),
    ):
        yield label, [f"{row[name]:,}" for row in pair]
    yield "mean delay", [f"{row['delay_s_mean']:.3f} s" for row in pair]
    yield "stamp per message, mean", [f"{(row['control_bytes'] or 0) / row['messages']:.1f} bytes" for row in pair]
