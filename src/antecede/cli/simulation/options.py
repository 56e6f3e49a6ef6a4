"""Define the options of `antecede simulate` as a table. The parser and the command that replays a run are made from it.

The options for roaming protocols are a group of their own, and are refused with other algorithms.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from typing import Any

ROAMING = "roaming hosts, with a roaming protocol"

EXAMPLES = """\
examples:
  antecede simulate                                     what the default algorithm costs among 20 processes
  antecede simulate --algorithm none --out trace.jsonl  a trace full of violations, for `antecede check trace.jsonl`
  antecede simulate --algorithm prs --processes 30 --warmup 5000 --deliveries 10000 --latency exponential:3
  antecede simulate --algorithm mr --processes 12 --groups 4:2
  antecede simulate --loss 0.1 --partition 10-20:p01,p02 --retransmit 4
  antecede simulate --pattern conversation --turns 6 --think exponential:0.5 --dests 1-4
  antecede simulate --algorithm roam --hosts 40 --handoff-interval exponential:5 --disconnect-interval exponential:60

A time is in seconds, and a distribution of times is written
  exponential:MEAN   constant:MEAN   uniform:LOW-HIGH   lognormal:MEAN:SIGMA (without one, sigma is 0.5)
and a number alone is the mean of an exponential one.
Processes are named p1, p2 and so on, with as many digits as the last of them has; hosts h1, stations s1.
With a roaming protocol (roam, av1, av2, av2-ks, av3, prs-mobile), the network is the wires between stations.

exit status: 0 the run was made; 1 an algorithm that promises causal order broke it; 2 an option that has no meaning
"""

OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "the run": {
        "--algorithm": {
            "default": "ks",
            "metavar": "NAME",
            "help": "rst, ses, history, vector, isis, prs, prs-broadcast, ks, mr, mr-broadcast, mf, serial-broadcast, "
            "serial-multicast, hierarchy, chain2 or none; or a roaming protocol: roam, av1, av2, av2-ks, av3 or "
            "prs-mobile (ks)",
        },
        "--option": {
            "action": "append",
            "metavar": "NAME=VALUE",
            "help": "an option of the algorithm's own, as in docs/reference/algorithms.md; repeat",
        },
        "--processes": {"type": int, "default": 20, "metavar": "N", "help": "how many processes (20)"},
        "--messages": {"type": int, "metavar": "N", "help": "messages sent in all (1000, unless --deliveries)"},
        "--deliveries": {"type": int, "metavar": "N", "help": "end after so many deliveries that were measured"},
        "--warmup": {"type": int, "default": 0, "metavar": "N", "help": "deliveries before measuring begins (0)"},
        "--seed": {"type": int, "default": 1, "metavar": "N", "help": "the same seed gives the same run (1)"},
    },
    "the network": {
        "--latency": {"metavar": "TIMES", "help": "how long packets take (exponential:1.0; wires: constant:0.007)"},
        "--bandwidth": {
            "type": float,
            "metavar": "BYTES",
            "help": "of each channel, in bytes a second (no limit; wires: 12500000)",
        },
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
        "--interval": {
            "default": "exponential:1.0",
            "metavar": "TIMES",
            "help": "between two sends of a process (exponential:1.0)",
        },
        "--ratio": {"type": float, "default": 1.0, "metavar": "R", "help": "odd processes send R times as often (1)"},
        "--dests": {
            "metavar": "A-B",
            "help": "number of destinations: from A to B alike, or always A (1 to all others)",
        },
        "--selectivity": {
            "type": float,
            "default": 0.0,
            "metavar": "PERCENT",
            "help": "of the messages that go to processes of the sender's parity alone (0)",
        },
        "--own": {"action": "store_true", "help": "a sender is as likely among its destinations as anybody"},
        "--groups": {"metavar": "SIZE:OVERLAP", "help": "send to groups around a ring, instead of --dests"},
        "--pattern": {"default": "open", "help": "open, request (all answer) or conversation (one answers all)"},
        "--turns": {"type": int, "default": 4, "metavar": "N", "help": "messages of a conversation (4)"},
        "--think": {"default": "constant:0", "metavar": "TIMES", "help": "before an answer (constant:0)"},
        "--payload": {"type": int, "default": 0, "metavar": "BYTES", "help": "size of a message (0)"},
    },
    "what a header costs to process": {
        "--cost-packet": {"type": float, "default": 0.0, "metavar": "TIME", "help": "for each packet (0)"},
        "--cost-entry": {"type": float, "default": 0.0, "metavar": "TIME", "help": "for each control entry (0)"},
        "--cost-byte": {"type": float, "default": 0.0, "metavar": "TIME", "help": "for each byte of the stamp (0)"},
    },
    ROAMING: {
        "--stations": {"type": int, "default": 10, "metavar": "N", "help": "how many cells (10)"},
        "--hosts": {"type": int, "default": 30, "metavar": "N", "help": "how many hosts (30)"},
        "--handoff-interval": {
            "default": "exponential:10.0",
            "metavar": "TIMES|never",
            "help": "between two moves of a host",
        },
        "--disconnect-interval": {
            "default": "never",
            "metavar": "TIMES|never",
            "help": "from a host's coming back until it disconnects again (never)",
        },
        "--away": {
            "default": "exponential:1.0",
            "metavar": "TIMES",
            "help": "until it is back, in any cell (exponential:1.0)",
        },
        "--when-asleep": {"default": "store", "help": "store or drop messages for a host that is away (store)"},
        "--retry": {"type": float, "default": 1.0, "metavar": "TIME", "help": "repeat what was not answered (1)"},
        "--air-latency": {
            "default": "constant:0.0005",
            "metavar": "TIMES",
            "help": "between host and station (constant:0.0005)",
        },
        "--air-bandwidth": {"type": float, "default": 125_000.0, "metavar": "BYTES", "help": "a second (125000)"},
        "--air-loss": {"type": float, "default": 0.0, "metavar": "P", "help": "probability of loss on the air (0)"},
        "--air-duplicate": {"type": float, "default": 0.0, "metavar": "P", "help": "that a frame comes twice (0)"},
        "--integer-bytes": {"type": int, "metavar": "N", "help": "of each integer of a header (our wire form)"},
        "--full-matrices": {"action": "store_true", "help": "headers of av1 to av3 with their zeros, as in the paper"},
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


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add all options to a parser."""
    for title, options in OPTIONS.items():
        group = parser.add_argument_group(title)
        for flag, settings in options.items():
            group.add_argument(flag, **settings)


def replay(arguments: argparse.Namespace) -> str:
    """Return the command that makes the same run, with every option that differs from its default."""
    words = ["antecede", "simulate"]
    for title in OPTIONS:
        for flag, value in changed_options(arguments, title):
            if value is True:
                words.append(flag)
            else:
                words += [
                    word for item in (value if isinstance(value, list) else [value]) for word in (flag, str(item))
                ]
    if "--seed" not in words:
        words += ["--seed", str(arguments.seed)]
    return shlex.join(words)


def empty_options(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the options whose value is empty."""
    return (flag for title in OPTIONS for flag, value in changed_options(arguments, title) if value == "")


def changed_options(arguments: argparse.Namespace, title: str) -> Iterator[tuple[str, Any]]:
    """Yield the options of a group that differ from their defaults."""
    for flag, settings in OPTIONS[title].items():
        value = getattr(arguments, settings.get("dest", flag[2:].replace("-", "_")))
        if value != settings.get("default") and value is not False and value is not None:
            yield flag, value
