"""Build the parameters of a run from the options of `antecede simulate`.

The texts of options (partitions, pairs, numbers, options of algorithms) are parsed here. A text that is not valid
raises `Misuse` with an example.
"""

from __future__ import annotations

import argparse
import json
import re
from difflib import get_close_matches

from antecede.cli.simulation.options import ROAMING, changed_options
from antecede.cli.standard_input import read_text
from antecede.core.errors import Misuse, UnknownAlgorithm
from antecede.core.locality.edge_list import guess, parse
from antecede.core.locality.graph import Graph
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.protocols import protocols
from antecede.core.registry import algorithms
from antecede.sim import (
    AccessLink,
    Distribution,
    Groups,
    Header,
    MobileParameters,
    Mobility,
    Network,
    Parameters,
    Partition,
    ProcessingCost,
    Workload,
)


def parameters(arguments: argparse.Namespace) -> Parameters | MobileParameters:
    """Return the parameters that the options ask for, or raise `Misuse`."""
    known = (*sorted(algorithms()), *protocols())
    if arguments.algorithm not in known:
        near = get_close_matches(arguments.algorithm, known)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
        raise UnknownAlgorithm(f"there is no algorithm {arguments.algorithm!r}; {hint}")
    return roaming_parameters(arguments) if arguments.algorithm in protocols() else fixed_parameters(arguments)


def fixed_parameters(arguments: argparse.Namespace) -> Parameters:
    """Return the parameters of a run with processes that stay where they are."""
    for flag, _ in changed_options(arguments, ROAMING):
        raise Misuse(
            f"{flag} is for roaming protocols ({', '.join(protocols())}), and {arguments.algorithm} is not one"
        )
    return Parameters(
        algorithm=arguments.algorithm,
        processes=arguments.processes,
        seed=arguments.seed,
        messages=_messages(arguments),
        deliveries=arguments.deliveries,
        warmup=arguments.warmup,
        network=_network(arguments),
        workload=_workload(arguments),
        cost=ProcessingCost(arguments.cost_packet, arguments.cost_entry, arguments.cost_byte),
        options=dict(_option(text) for text in arguments.option or ()),
        oracle=arguments.needless,
        state_every=arguments.state_every,
        local_clocks=_graph(arguments.local_clocks) if arguments.local_clocks else None,
        links=_graph(arguments.links) if arguments.links else None,
    )


def roaming_parameters(arguments: argparse.Namespace) -> MobileParameters:
    """Return the parameters of a run with roaming hosts."""
    if arguments.processes != 20:
        raise Misuse(f"{arguments.algorithm} is a roaming protocol: give --hosts and --stations, not --processes")
    for flag, given in (("--local-clocks", arguments.local_clocks), ("--links", arguments.links)):
        if given:
            raise Misuse(f"{arguments.algorithm} is a roaming protocol: {flag} is for processes that stay")
    return MobileParameters(
        protocol=arguments.algorithm,
        stations=arguments.stations,
        hosts=arguments.hosts,
        seed=arguments.seed,
        messages=_messages(arguments),
        deliveries=arguments.deliveries,
        warmup=arguments.warmup,
        wires=_network(arguments, "constant:0.007", 12.5e6),
        air=_air(arguments),
        mobility=_mobility(arguments),
        workload=_workload(arguments),
        cost=ProcessingCost(arguments.cost_packet, arguments.cost_entry, arguments.cost_byte),
        beacon_s=arguments.beacon,
        header=Header(arguments.integer_bytes, arguments.full_matrices),
        policy=Policy(when_asleep=arguments.when_asleep, retry_s=arguments.retry),
        options=dict(_option(text) for text in arguments.option or ()),
        oracle=arguments.needless,
        state_every=arguments.state_every,
    )


def _messages(arguments: argparse.Namespace) -> int | None:
    """Return the number of messages that the options ask for."""
    return 1_000 if arguments.messages is None and arguments.deliveries is None else arguments.messages


def _network(
    arguments: argparse.Namespace, latency: str = "exponential:1.0", bandwidth: float | None = None
) -> Network:
    """Return the network that the options ask for."""
    times = Distribution.parse(arguments.latency or latency)
    partitions = tuple(_partition(text) for text in arguments.partition or ())
    lossy = bool(arguments.loss or partitions) and arguments.algorithm not in ("history", "none")
    again: float | None
    if arguments.retransmit == "auto":
        again = (4 * times.mean_s or 1.0) if lossy else None
    else:
        again = None if arguments.retransmit == "off" else _number(arguments.retransmit, "--retransmit", "4, auto, off")
    return Network(
        latency=times,
        bandwidth_bytes_per_s=bandwidth if arguments.bandwidth is None else arguments.bandwidth,
        fifo=arguments.fifo,
        loss=arguments.loss,
        duplicate=arguments.duplicate,
        partitions=partitions,
        retransmit_after_s=again,
        links=tuple(_link(text) for text in arguments.link or ()),
        answers_ride=arguments.answers_ride,
    )


def _workload(arguments: argparse.Namespace) -> Workload:
    """Return the workload that the options ask for."""
    dests = _pair(arguments.dests, "-", "--dests", "1-19") if arguments.dests else None
    groups = _pair(arguments.groups, ":", "--groups", "5:2") if arguments.groups else None
    return Workload(
        interval=Distribution.parse(arguments.interval),
        ratio=arguments.ratio,
        dests=dests,
        selectivity=arguments.selectivity / 100,
        own=arguments.own,
        groups=Groups(*groups) if groups else None,
        pattern=arguments.pattern,
        turns=arguments.turns,
        think=Distribution.parse(arguments.think),
        payload_bytes=arguments.payload,
    )


def _graph(path: str) -> Graph:
    """Return the communication graph in a file, in a format of `antecede locality`."""
    text = read_text(path, "the graph")
    return parse(text, guess(path, text)).graph()


def _mobility(arguments: argparse.Namespace) -> Mobility:
    return Mobility(
        handoff=_times(arguments.handoff_interval),
        connected=_times(arguments.disconnect_interval),
        away=Distribution.parse(arguments.away),
    )


def _air(arguments: argparse.Namespace) -> Network:
    return Network(
        latency=Distribution.parse(arguments.air_latency),
        bandwidth_bytes_per_s=arguments.air_bandwidth,
        fifo=True,
        loss=arguments.air_loss,
        duplicate=arguments.air_duplicate,
    )


def _partition(text: str) -> Partition:
    """Return the partition that `text` describes."""
    times, _, sides = text.partition(":")
    start, end = (*re.split(r"(?<![eE])-", times, maxsplit=1), "")[:2]
    side, _, other = sides.partition("/")
    example = "10-20:p1,p2 or 10-20:p1,p2/p3"
    names = [frozenset(filter(None, half.split(","))) for half in (side, other)]
    return Partition(_number(start, "--partition", example), _number(end, "--partition", example), *names)


def _link(text: str) -> AccessLink:
    """Return the link that `text` describes."""
    name, _, bandwidth = text.partition("=")
    try:
        return AccessLink(name, float(bandwidth))
    except ValueError:
        raise Misuse(f"--link {text!r}: write NAME=BYTES, such as s01=3500") from None


def _option(text: str) -> tuple[str, object]:
    """Return the name and the value of an option of the algorithm.

    The value is true, false, a number, or text; or JSON, if it begins as an object or a list does.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise Misuse(f"--option {text!r}: write NAME=VALUE, such as multicast=true")
    if name == "links":
        raise Misuse("--option links: this option is set by --links")
    if name in ("process", "processes", "groups"):
        raise Misuse(f"--option {name}: this option is set by --processes and --groups")
    if value in ("true", "false"):
        return name, value == "true"
    if value.startswith(("{", "[")):
        try:
            return name, json.loads(value)
        except ValueError as error:
            raise Misuse(f"--option {name}: the value begins as JSON does, and is none: {error}") from None
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def _number(text: str, flag: str, example: str) -> float:
    """Return the number that the text of an option gives."""
    try:
        return float(text)
    except ValueError:
        raise Misuse(f"{flag}: {text!r} is not a number of seconds; write it like {example}") from None


def _pair(text: str, between: str, flag: str, example: str) -> tuple[int, int]:
    """Return the two integers that the text of an option gives."""
    first, found, second = text.partition(between)
    try:
        return int(first), int(second if found else first)
    except ValueError:
        raise Misuse(f"{flag}: {text!r} is not valid; write it like {example}") from None


def _times(text: str) -> Distribution | None:
    """Return a distribution of times, or None if the text says never."""
    return None if text == "never" else Distribution.parse(text)
