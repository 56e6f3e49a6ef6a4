"""`antecede simulate`: run an algorithm in a simulated world, write the trace, and print on one screen what it cost.

The name of the algorithm decides which world it is: a world of processes that stay where they are, or, for a roaming
protocol, a world of stations and of hosts that move between them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from antecede.cli.simulation.options import EXAMPLES, add_to, empty_options, replay
from antecede.core.errors import Misuse

if TYPE_CHECKING:
    from antecede.sim import MobileParameters, MobileResult, Parameters, Result
    from antecede.sim.trace import RunRecorder, Sink


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "simulate",
        help="simulate an algorithm, and say what causal order costs",
        usage="antecede simulate [--algorithm NAME] [--processes N] [--seed N] [--out TRACE] [options]",
        description="Simulate an algorithm on the given traffic and network, and say what causal order costs.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_to(parser)


def run(arguments: argparse.Namespace) -> int:
    from antecede.cli.simulation import summary
    from antecede.cli.simulation.parameters import parameters
    from antecede.sim import RunRecorder
    from antecede.sim.trace import open_trace

    for flag in empty_options(arguments):
        raise Misuse(f"{flag} is empty: give it a value, or leave it out")
    asked = parameters(arguments)
    name = arguments.run_name or f"{arguments.algorithm}-{asked.seed}"
    events = summary.JudgedEvents(name, arguments.judge_max)
    try:
        with ExitStack() as stack:
            sinks: list[Sink] = [events]
            if arguments.out:
                sinks.append(stack.enter_context(open_trace(arguments.out, name)))
            report = stack.enter_context(_progress(f"{arguments.algorithm}, seed {asked.seed}"))
            result = _simulate(asked, RunRecorder(*sinks), report)
    except KeyboardInterrupt:
        print("antecede: stopped; nothing was written", file=sys.stderr)
        return 130
    except Misuse:
        raise
    except Exception:
        print(f"antecede: the run failed. To replay it: {replay(arguments)}", file=sys.stderr)
        raise
    finished = summary.FinishedRun(asked, result, events, events.judge(), replay(arguments), arguments.out)
    print(summary.as_json(finished) if arguments.json else summary.as_text(finished))
    return int(finished.has_broken_promise)


def _simulate(
    asked: Parameters | MobileParameters, recorder: RunRecorder, progress: Callable[[float], None] | None
) -> Result | MobileResult:
    from antecede.sim import Parameters, simulate, simulate_mobile

    if isinstance(asked, Parameters):
        return simulate(asked, recorder, progress)
    return simulate_mobile(asked, recorder, progress)


@contextmanager
def _progress(title: str) -> Iterator[Callable[[float], None] | None]:
    """Yield a callback that draws a progress bar, or None if standard error is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda part: bar.update(task, completed=part)
