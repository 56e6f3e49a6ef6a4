"""`antecede simulate`: run an algorithm in a simulated world, write the trace, and say in one screen what it cost.

The options are a table: the parser is made from it, and so is the command that replays a run.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from antecede.core.errors import Misuse

if TYPE_CHECKING:
    from antecede.sim import Network, Parameters, Partition, Workload
    from antecede.sim.trace import Sink

EXAMPLES = """\
examples:
  antecede simulate                                     what the default algorithm costs among 20 processes
  antecede simulate --algorithm none --out trace.jsonl  a trace full of violations, for `antecede check trace.jsonl`
  antecede simulate --algorithm prs --processes 30 --warmup 5000 --deliveries 10000 --latency exponential:3
  antecede simulate --algorithm mr --processes 12 --groups 4:2
  antecede simulate --loss 0.1 --partition 10-20:p01,p02 --retransmit 4
  antecede simulate --pattern conversation --turns 6 --think exponential:0.5 --dests 1-4

A time is in seconds, and a distribution of times is written
  exponential:MEAN   constant:MEAN   uniform:LOW-HIGH   lognormal:MEAN:SIGMA
Processes are named p1, p2 and so on, with as many digits as the last of them has.

exit status: 0 the run was made; 1 an algorithm that promises causal order broke it; 2 an option that has no meaning
"""

OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "the run": {
        "--algorithm": {"default": "ks", "metavar": "NAME", "help": "which ordering algorithm (ks)"},
        "--option": {"action": "append", "metavar": "NAME=VALUE", "help": "an option of the algorithm's own; repeat"},
        "--processes": {"type": int, "default": 20, "metavar": "N", "help": "how many processes (20)"},
        "--messages": {"type": int, "metavar": "N", "help": "messages sent in all (1000, unless --deliveries)"},
        "--deliveries": {"type": int, "metavar": "N", "help": "end after so many deliveries that were measured"},
        "--warmup": {"type": int, "default": 0, "metavar": "N", "help": "deliveries before measuring begins (0)"},
        "--seed": {"type": int, "default": 1, "metavar": "N", "help": "the same seed gives the same run (1)"},
    },
    "the network": {
        "--latency": {"default": "exponential:1.0", "metavar": "TIMES", "help": "how long packets take"},
        "--bandwidth": {"type": float, "metavar": "BYTES", "help": "of each channel, in bytes a second (no limit)"},
        "--fifo": {"action": "store_true", "help": "packets of one channel do not overtake each other"},
        "--loss": {"type": float, "default": 0.0, "metavar": "P", "help": "probability that a packet is lost (0)"},
        "--duplicate": {"type": float, "default": 0.0, "metavar": "P", "help": "probability that it comes twice (0)"},
        "--partition": {
            "action": "append",
            "metavar": "FROM-TO:p1,p2[/p3,p4]",
            "help": "between these times nothing passes between the processes named and the others; repeat",
        },
        "--retransmit": {
            "default": "auto",
            "metavar": "auto|off|TIME",
            "help": "send again, after this time, what is not acknowledged (auto: 4 mean latencies, where packets "
            "are lost and the algorithm can not bear it)",
        },
    },
    "the traffic": {
        "--interval": {"default": "exponential:1.0", "metavar": "TIMES", "help": "between two sends of a process"},
        "--ratio": {"type": float, "default": 1.0, "metavar": "R", "help": "odd processes send R times as often (1)"},
        "--dests": {"metavar": "A-B", "help": "number of destinations, uniform (1 to all others)"},
        "--selectivity": {
            "type": float,
            "default": 0.0,
            "metavar": "PERCENT",
            "help": "of the messages that go to processes of the sender's parity alone (0)",
        },
        "--groups": {"metavar": "SIZE:OVERLAP", "help": "send to groups around a ring, instead of --dests"},
        "--pattern": {"default": "open", "help": "open, request (all answer) or conversation (one answers all)"},
        "--turns": {"type": int, "default": 4, "metavar": "N", "help": "messages of a conversation (4)"},
        "--think": {"default": "constant:0", "metavar": "TIMES", "help": "before an answer"},
        "--payload": {"type": int, "default": 0, "metavar": "BYTES", "help": "size of a message (0)"},
    },
    "what a header costs to process": {
        "--cost-packet": {"type": float, "default": 0.0, "metavar": "TIME", "help": "for each packet (0)"},
        "--cost-entry": {"type": float, "default": 0.0, "metavar": "TIME", "help": "for each control entry (0)"},
        "--cost-byte": {"type": float, "default": 0.0, "metavar": "TIME", "help": "for each byte of the stamp (0)"},
    },
    "what comes out": {
        "--out": {"metavar": "TRACE", "help": "write the trace: .jsonl, .jsonl.gz or .parquet"},
        "--run": {"dest": "run_name", "metavar": "NAME", "help": "name of the run in the trace (ALGORITHM-SEED)"},
        "--needless": {"action": "store_true", "help": "measure needless waiting, against an all-knowing observer"},
        "--state-every": {"type": int, "default": 0, "metavar": "N", "help": "measure a state every N deliveries"},
        "--judge-max": {"type": int, "default": 200_000, "metavar": "N", "help": "judge at most N events (200000)"},
        "--json": {"action": "store_true", "help": "the summary as one JSON object"},
    },
}


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "simulate",
        help="run an algorithm in a simulated world and write its trace",
        usage="antecede simulate [--algorithm NAME] [--processes N] [--seed N] [--out TRACE] [options]",
        description="Run an algorithm in a simulated world, and say what causal order costs there.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for title, options in OPTIONS.items():
        group = parser.add_argument_group(title)
        for flag, settings in options.items():
            group.add_argument(flag, **settings)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from antecede.cli import summary
    from antecede.sim import Recorder, simulate
    from antecede.sim.trace import written

    given = parameters(arguments)
    name = arguments.run_name or f"{given.algorithm}-{given.seed}"
    events = summary.Events(name, arguments.judge_max)
    try:
        with ExitStack() as stack:
            sinks: list[Sink] = [events]
            if arguments.out:
                sinks.append(stack.enter_context(written(arguments.out, name)))
            report = stack.enter_context(_progress(f"{given.algorithm}, seed {given.seed}"))
            result = simulate(given, Recorder(*sinks), report)
    except KeyboardInterrupt:
        print("antecede: stopped; nothing was written", file=sys.stderr)
        return 130
    except Misuse:
        raise
    except Exception:
        print(f"antecede: the run failed. To replay it: {replay(arguments)}", file=sys.stderr)
        raise
    finished = summary.Finished(given, result, events, events.judge(), replay(arguments), arguments.out)
    print(summary.as_json(finished) if arguments.json else summary.as_text(finished))
    return int(finished.broke_its_promise)


def parameters(arguments: argparse.Namespace) -> Parameters:
    """What the options ask for, or `Misuse`."""
    from antecede.sim import Cost, Parameters

    messages = arguments.messages
    if messages is None and arguments.deliveries is None:
        messages = 1_000
    return Parameters(
        algorithm=arguments.algorithm,
        processes=arguments.processes,
        seed=arguments.seed,
        messages=messages,
        deliveries=arguments.deliveries,
        warmup=arguments.warmup,
        network=_network(arguments),
        workload=_workload(arguments),
        cost=Cost(arguments.cost_packet, arguments.cost_entry, arguments.cost_byte),
        options=dict(_option(text) for text in arguments.option or ()),
        oracle=arguments.needless,
        state_every=arguments.state_every,
    )


def replay(arguments: argparse.Namespace) -> str:
    """The command that makes the same run: every option that is not as it is by default."""
    words = ["antecede", "simulate"]
    for flag, settings in (item for options in OPTIONS.values() for item in options.items()):
        value = getattr(arguments, settings.get("dest", flag[2:].replace("-", "_")))
        if value is True:
            words.append(flag)
        elif isinstance(value, list):
            words += [word for item in value for word in (flag, str(item))]
        elif value != settings.get("default") and value is not False and value is not None:
            words += [flag, str(value)]
    if "--seed" not in words:
        words += ["--seed", str(arguments.seed)]
    return shlex.join(words)


def _network(arguments: argparse.Namespace) -> Network:
    from antecede.sim import Distribution, Network

    latency = Distribution.of(arguments.latency)
    partitions = tuple(_partition(text) for text in arguments.partition or ())
    lossy = bool(arguments.loss or partitions) and arguments.algorithm not in ("history", "none")
    again: float | None
    if arguments.retransmit == "auto":
        again = (4 * latency.mean_s or 1.0) if lossy else None
    else:
        again = None if arguments.retransmit == "off" else _number(arguments.retransmit, "--retransmit", "4, auto, off")
    return Network(
        latency=latency,
        bandwidth_bytes_per_s=arguments.bandwidth,
        fifo=arguments.fifo,
        loss=arguments.loss,
        duplicate=arguments.duplicate,
        partitions=partitions,
        retransmit_after_s=again,
    )


def _workload(arguments: argparse.Namespace) -> Workload:
    from antecede.sim import Distribution, Groups, Workload

    dests = _pair(arguments.dests, "-", "--dests", "1-19") if arguments.dests else None
    groups = _pair(arguments.groups, ":", "--groups", "5:2") if arguments.groups else None
    return Workload(
        interval=Distribution.of(arguments.interval),
        ratio=arguments.ratio,
        dests=dests,
        selectivity=arguments.selectivity / 100,
        groups=Groups(*groups) if groups else None,
        pattern=arguments.pattern,
        turns=arguments.turns,
        think=Distribution.of(arguments.think),
        payload_bytes=arguments.payload,
    )


def _partition(text: str) -> Partition:
    from antecede.sim import Partition

    times, _, sides = text.partition(":")
    start, _, end = times.partition("-")
    side, _, other = sides.partition("/")
    example = "10-20:p1,p2 or 10-20:p1,p2/p3"
    names = [frozenset(filter(None, half.split(","))) for half in (side, other)]
    return Partition(_number(start, "--partition", example), _number(end, "--partition", example), *names)


def _option(text: str) -> tuple[str, object]:
    """An option of the algorithm: true, false, a number, or text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise Misuse(f"--option {text!r}: write NAME=VALUE, such as multicast=true")
    if value in ("true", "false"):
        return name, value == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def _number(text: str, flag: str, example: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise Misuse(f"{flag}: {text!r} is not a number of seconds; write it like {example}") from None


def _pair(text: str, between: str, flag: str, example: str) -> tuple[int, int]:
    first, found, second = text.partition(between)
    try:
        return int(first), int(second if found else first)
    except ValueError:
        raise Misuse(f"{flag}: {text!r}; write it like {example}") from None


@contextmanager
def _progress(title: str) -> Iterator[Callable[[float], None] | None]:
    """A bar on the terminal, where there is one."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda part: bar.update(task, completed=part)
