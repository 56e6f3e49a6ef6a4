"""`antecede lab list` and `antecede lab run NAME...`: rerun the experiments of the papers on Spark."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from antecede.cli import screen
from antecede.core.errors import Misuse

if TYPE_CHECKING:
    from antecede.lab.experiment import Experiment
    from antecede.lab.run import ExperimentRun, Progress

    Shown = Callable[[Progress], None]

EXPLANATION = """\
Run the experiments of the papers again, and compare the results with what the papers claim. An experiment is a grid of
points, and each point is run with several seeds on Spark. The results are written to DIR/NAME: results.parquet,
figure.svg, figure.png, and claims.json with the value that each claim states and the value that was measured.
DIR/index.html shows all of them. If a run is interrupted, the same command continues it.
"""

EXAMPLES = """\
examples:
  antecede lab list                                list the experiments
  antecede lab run --quick                         run a small version of all: less than three minutes on two cores
  antecede lab run prs-fig4 prs-fig7 --out figures run two with the paper's parameters
  antecede lab run all --master spark://host:7077  run all on a cluster

exit status: 0 all points were measured, even if claims were not reproduced; 1 a point failed; 2 usage error
"""
OUT = "lab-results"
ALL = "all"


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "lab",
        help="run the experiments of the papers again, and compare the results with their claims",
        description=EXPLANATION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(dest="action", metavar="list|run", required=True)
    lister = actions.add_parser("list", help="list the experiments")
    lister.add_argument("--json", action="store_true", help="print one JSON object on standard output")
    runner = actions.add_parser(
        "run",
        help="run some experiments, or all",
        description=EXPLANATION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    runner.add_argument("name", metavar="NAME", nargs="*", help="the names of experiments (see `lab list`), or all")
    runner.add_argument("--quick", action="store_true", help="run a smaller grid, with shorter runs")
    runner.add_argument(
        "--master", metavar="URL", help="a Spark master, or sc://host:port; default: Spark on this machine"
    )
    runner.add_argument("--out", metavar="DIR", default=OUT, help=f"the folder for the results; default: {OUT}")
    runner.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object on standard output, everything else on standard error",
    )


def run(arguments: argparse.Namespace) -> int:
    try:
        return _list(arguments) if arguments.action == "list" else _run(arguments)
    except KeyboardInterrupt:
        print("antecede: stopped; the same command continues the run", file=sys.stderr)
        return 130


def _list(arguments: argparse.Namespace) -> int:
    from antecede.lab.experiments import experiment_names, find_experiment
    from antecede.lab.measuring_code import measuring_code
    from antecede.lab.papers import cite

    found = [find_experiment(name) for name in experiment_names()]
    if arguments.json:
        print(json.dumps({"code": measuring_code(), "experiments": [_describe(one) for one in found]}, indent=1))
        return 0
    rows = [
        (
            one.name,
            f"{len(one.grid)} x {len(one.seeds)}",
            str(len(one.claims)),
            one.title,
            cite(f"{one.paper}, {one.figure}"),
        )
        for one in found
    ]
    for line in screen.columns([("name", "points x seeds", "claims", "what", "paper"), *rows]):
        print(line)
    print(f"\nThe code that measures: {measuring_code()}")
    return 0


def _describe(one: Experiment) -> dict[str, object]:
    from antecede.lab.papers import cite

    return {
        "name": one.name,
        "paper": cite(one.paper),
        "figure": cite(one.figure),
        "title": one.title,
        "about": one.about,
        "points": len(one.grid),
        "seeds": len(one.seeds),
        "quick_points": len(one.quick),
        "claims": [claim.id for claim in one.claims],
    }


def _run(arguments: argparse.Namespace) -> int:
    chosen, folder = _choose_experiments(arguments), _folder(arguments.out)
    with _progress(quiet=arguments.json) as (say, begin):
        say("starting Spark")
        from antecede.lab import pages, report
        from antecede.lab.run import run as run_on
        from antecede.lab.run import slots_of
        from antecede.pipeline.spark.session import session

        spark, slots = session(arguments.master, app="antecede lab"), slots_of(arguments.master)
        made = []
        for one in chosen:
            place = folder / one.name
            ran = run_on(spark, one, place, quick=arguments.quick, slots=slots, progress=begin(one.name))
            for note in ran.notes:
                say(note)
            made.append(report.write_report(ran, place))
            _print_outcome(ran, made[-1], place, quiet=arguments.json)
        page = pages.write_index(folder)
    failed = any(entry["failed"] for entry in made)
    if arguments.json:
        print(json.dumps({"out": str(folder), "page": str(page), "experiments": made}))
    else:
        print(f"All figures: {page}")
    return int(failed)


def _choose_experiments(arguments: argparse.Namespace) -> list[Experiment]:
    from antecede.lab.experiments import experiment_names, find_experiment

    if not arguments.name and not arguments.quick:
        raise Misuse(
            "no experiment is given: give names (see `antecede lab list`), or all, or --quick for a small run of all"
        )
    wanted = experiment_names() if not arguments.name or ALL in arguments.name else list(dict.fromkeys(arguments.name))
    return [find_experiment(name) for name in wanted]


def _folder(out: str) -> Path:
    if "://" in out or not out:
        raise Misuse(f"results are written on this machine, and {out!r} is not a folder: give one with --out")
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Misuse(f"--out {out}: {error.strerror}; give a folder that can be written to") from None
    return folder


def _print_outcome(ran: ExperimentRun, made: dict[str, Any], place: Path, *, quiet: bool) -> None:
    """Print the outcome of one experiment: its claims, and the rows that failed."""
    to = sys.stderr if quiet else sys.stdout
    resumed = f", {ran.resumed} of them from before" if ran.resumed else ""
    print(f"{made['experiment']}: {made['title']}; {made['rows']} runs{resumed}; {place}/figure.svg", file=to)
    lines = [
        (_format_outcome(one), one["id"], _format_stated(one), f"measured: {_format_measurement(one)}")
        for one in made["claims"]
    ]
    for line in screen.columns(lines):
        print(f"  {line}", file=to)
    for failure in made["failed"]:
        print(f"  FAILED {failure}", file=sys.stderr)
    print(file=to)


def _format_stated(claim: dict[str, Any]) -> str:
    return f"{'ours' if claim['ours'] else 'paper'}: {claim['stated']}"


def _format_outcome(claim: dict[str, Any]) -> str:
    outcome: str = claim["outcome"]
    if outcome in ("qualitative", "tried"):
        return f"{outcome}: {'holds' if claim['holds'] else 'does not hold'}"
    return outcome


def _format_measurement(claim: dict[str, Any]) -> str:
    if claim["measured"] is None:
        return str(claim["words"])
    low, high = claim["confidence_95"]
    return f"{claim['measured']:.4g} ({low:.4g} to {high:.4g})"


def _show_nothing(_name: str) -> Shown:
    return lambda _progress: None


def _show_tenths(name: str) -> Shown:
    """Return a callback that prints a line whenever another tenth is done."""
    start, shown_tenths = monotonic(), 0

    def show(progress: Progress) -> None:
        nonlocal shown_tenths
        tenths = 10 * progress.done // max(progress.total, 1)
        if tenths > shown_tenths:
            spent_s, fresh = monotonic() - start, progress.done - progress.resumed
            left_s = spent_s * (progress.total - progress.done) / fresh if fresh else 0.0
            left = f", about {left_s:.0f} s left" if left_s else ""
            print(f"{name}: {progress.done} of {progress.total} runs{left}", file=sys.stderr, flush=True)
        shown_tenths = max(tenths, shown_tenths)

    return show


@contextmanager
def _progress(*, quiet: bool) -> Iterator[tuple[Callable[[str], None], Callable[[str], Shown]]]:
    """Yield functions that print a line and show the progress of an experiment.

    On a terminal the progress is a bar with the time left. Otherwise it is a line now and then.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda words: print(words, file=sys.stderr), _show_nothing if quiet else _show_tenths
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:

        def begin(name: str) -> Shown:
            task = bars.add_task(name, total=None)
            return lambda progress: bars.update(task, completed=progress.done, total=progress.total)

        yield lambda words: bars.console.print(words, markup=False), begin
