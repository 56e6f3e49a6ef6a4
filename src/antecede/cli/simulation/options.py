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
  antecede simulate                                     the cost of the default algorithm with 20 processes
  antecede simulate --algorithm none --out trace.jsonl  a trace with violations, for `antecede check trace.jsonl`
  antecede simulate --algorithm prs --processes 30 --warmup 5000 --deliveries 10000 --latency exponential:3
  antecede simulate --algorithm mr --processes 12 --groups 4:2
  antecede simulate --loss 0.1 --partition 10-20:p01,p02 --retransmit 4
  antecede simulate --pattern conversation --turns 6 --think exponential:0.5 --dests 1-4
  antecede simulate --algorithm roam --hosts 40 --handoff-interval exponential:5 --disconnect-interval exponential:60

A TIME is a number of seconds. TIMES is a distribution of times:
  exponential:MEAN   constant:MEAN   uniform:LOW-HIGH   lognormal:MEAN:SIGMA (the default of SIGMA is 0.5)
A number alone is the mean of an exponential distribution.
Processes have the names p1, p2 and so on, hosts h1, stations s1; all numbers have as many digits as the last one.
With a roaming protocol (roam, av1, av2, av2-ks, av3, prs-mobile), "the network" is the wires between stations.

exit status: 0 the run ended; 1 an algorithm that guarantees causal order broke it; 2 usage error
"""

OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "the run": {
        "--algorithm": {
            "default": "ks",
            "metavar": "NAME",
            "help": "rst, ses, history, psync, vector, isis, prs, prs-broadcast, ks, mr, mr-broadcast, mr-scalar, mf, "
            "rendezvous, serial-broadcast, serial-multicast, hierarchy, sps, chain2 or none; or a roaming protocol: "
            "roam, av1, av2, av2-ks, av3 or prs-mobile (ks)",
        },
        "--option": {
            "action": "append",
            "metavar": "NAME=VALUE",
            "help": "an option of the algorithm, see docs/reference/algorithms.md; VALUE is a word, a number, or JSON; "
            "may be repeated",
        },
        "--processes": {"type": int, "default": 20, "metavar": "N", "help": "the number of processes (20)"},
        "--messages": {"type": int, "metavar": "N", "help": "the number of messages (1000, without --deliveries)"},
        "--deliveries": {"type": int, "metavar": "N", "help": "end after N measured deliveries"},
        "--warmup": {
            "type": int,
            "default": 0,
            "metavar": "N",
            "help": "the deliveries before the measurement starts (0)",
        },
        "--seed": {"type": int, "default": 1, "metavar": "N", "help": "the same seed gives the same run (1)"},
    },
    "the network": {
        "--latency": {"metavar": "TIMES", "help": "the latency of a packet (exponential:1.0; wires: constant:0.007)"},
        "--bandwidth": {
            "type": float,
            "metavar": "BYTES",
            "help": "the bytes per second of each channel (no limit; wires: 12500000)",
        },
        "--link": {
            "action": "append",
            "metavar": "NAME=BYTES",
            "help": "the bytes per second of the link of one process (wires: of one station), if not those of "
            "--bandwidth; may be repeated",
        },
        "--fifo": {"action": "store_true", "help": "packets of one channel do not overtake each other"},
        "--loss": {"type": float, "default": 0.0, "metavar": "P", "help": "the probability that a packet is lost (0)"},
        "--duplicate": {
            "type": float,
            "default": 0.0,
            "metavar": "P",
            "help": "the probability that a packet arrives twice (0)",
        },
        "--partition": {
            "action": "append",
            "metavar": "FROM-TO:p1,p2[/p3,p4]",
            "help": "between these times, no packet passes between the two sets of processes (the second set is all "
            "others, unless given); may be repeated",
        },
        "--retransmit": {
            "default": "auto",
            "metavar": "auto|off|TIME",
            "help": "the time after which packets that are not acknowledged are sent again (auto: 4 mean latencies, "
            "if packets are lost and the algorithm does not tolerate loss)",
        },
        "--answers-ride": {
            "action": "store_true",
            "help": "a control packet that answers a packet rides on its acknowledgement; needs --retransmit",
        },
    },
    "the traffic": {
        "--interval": {
            "default": "exponential:1.0",
            "metavar": "TIMES",
            "help": "the time between two sends of a process (exponential:1.0)",
        },
        "--ratio": {"type": float, "default": 1.0, "metavar": "R", "help": "odd processes send R times as often (1)"},
        "--dests": {
            "metavar": "A-B",
            "help": "the number of destinations, uniform from A to B, or always A (1 to all others)",
        },
        "--selectivity": {
            "type": float,
            "default": 0.0,
            "metavar": "PERCENT",
            "help": "the messages that go only to processes of the sender's parity, in percent (0)",
        },
        "--own": {"action": "store_true", "help": "a sender may be among its own destinations"},
        "--groups": {
            "metavar": "SIZE:OVERLAP",
            "help": "send to groups of SIZE processes around a ring, instead of --dests",
        },
        "--links": {
            "metavar": "FILE",
            "help": "send only along the links in this file (see antecede locality), and tell ks or prs of them, so "
            "that stamps leave out what is then useless",
        },
        "--local-clocks": {
            "metavar": "FILE",
            "help": "send only along the links in this file (see antecede locality), and note in the trace what the "
            "clocks for them tell of each delivery",
        },
        "--pattern": {
            "default": "open",
            "help": "open (no answers), request (all answer) or conversation (one answers all)",
        },
        "--turns": {"type": int, "default": 4, "metavar": "N", "help": "the messages of a conversation (4)"},
        "--think": {"default": "constant:0", "metavar": "TIMES", "help": "the time before an answer (constant:0)"},
        "--payload": {"type": int, "default": 0, "metavar": "BYTES", "help": "the size of a message (0)"},
    },
    "the time to process a header": {
        "--cost-packet": {"type": float, "default": 0.0, "metavar": "TIME", "help": "the time for each packet (0)"},
        "--cost-entry": {
            "type": float,
            "default": 0.0,
            "metavar": "TIME",
            "help": "the time for each control entry (0)",
        },
        "--cost-byte": {
            "type": float,
            "default": 0.0,
            "metavar": "TIME",
            "help": "the time for each byte of the stamp (0)",
        },
    },
    ROAMING: {
        "--stations": {"type": int, "default": 10, "metavar": "N", "help": "the number of stations (10)"},
        "--hosts": {"type": int, "default": 30, "metavar": "N", "help": "the number of hosts (30)"},
        "--handoff-interval": {
            "default": "exponential:10.0",
            "metavar": "TIMES|never",
            "help": "the time between two moves of a host (exponential:10.0)",
        },
        "--disconnect-interval": {
            "default": "never",
            "metavar": "TIMES|never",
            "help": "the time that a host stays connected (never: it does not disconnect)",
        },
        "--away": {
            "default": "exponential:1.0",
            "metavar": "TIMES",
            "help": "the time until a disconnected host is back, in any cell (exponential:1.0)",
        },
        "--beacon": {
            "type": float,
            "metavar": "TIME",
            "help": "the time between two beacons of a station, by which hosts notice their cell (none: they "
            "notice it at once)",
        },
        "--when-asleep": {"default": "store", "help": "store or drop messages for a host that is away (store)"},
        "--retry": {
            "type": float,
            "default": 1.0,
            "metavar": "TIME",
            "help": "the time after which a packet that was not answered is repeated (1)",
        },
        "--air-latency": {
            "default": "constant:0.0005",
            "metavar": "TIMES",
            "help": "the latency between host and station (constant:0.0005)",
        },
        "--air-bandwidth": {
            "type": float,
            "default": 125_000.0,
            "metavar": "BYTES",
            "help": "the bytes per second on the air (125000)",
        },
        "--air-loss": {
            "type": float,
            "default": 0.0,
            "metavar": "P",
            "help": "the probability that a packet is lost on the air (0)",
        },
        "--air-duplicate": {
            "type": float,
            "default": 0.0,
            "metavar": "P",
            "help": "the probability that a packet arrives twice on the air (0)",
        },
        "--integer-bytes": {
            "type": int,
            "metavar": "N",
            "help": "the bytes of each integer of a header (the size in our wire format)",
        },
        "--full-matrices": {
            "action": "store_true",
            "help": "count the zeros in the headers of av1 to av3, as the paper does",
        },
    },
    "the output": {
        "--out": {"metavar": "TRACE", "help": "write the trace: .jsonl, .jsonl.gz or .parquet"},
        "--run": {"dest": "run_name", "metavar": "NAME", "help": "the name of the run in the trace (ALGORITHM-SEED)"},
        "--needless": {
            "action": "store_true",
            "help": "measure needless waiting, by comparison with an observer that knows everything",
        },
        "--state-every": {
            "type": int,
            "default": 0,
            "metavar": "N",
            "help": "measure the size of the state every N deliveries",
        },
        "--judge-max": {"type": int, "default": 200_000, "metavar": "N", "help": "judge at most N events (200000)"},
        "--json": {"action": "store_true", "help": "print the summary as one JSON object"},
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
