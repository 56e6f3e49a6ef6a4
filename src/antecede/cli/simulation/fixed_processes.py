"""Build the parameters of a run with processes that stay where they are, from the options."""

from __future__ import annotations

import argparse

from antecede.cli.simulation.option_values import number, option, pair, partition
from antecede.cli.simulation.options import ROAMING, changed_options
from antecede.core.errors import Misuse
from antecede.core.mobile.protocols import protocols
from antecede.sim import Distribution, Groups, Network, Parameters, ProcessingCost, Workload


def parameters(arguments: argparse.Namespace) -> Parameters:
    """Return the parameters of a run with processes that stay where they are."""
    for flag, _ in changed_options(arguments, ROAMING):
        raise Misuse(
            f"{flag} is for roaming protocols ({', '.join(protocols())}), and {arguments.algorithm} is not one"
        )
    return Parameters(
        algorithm=arguments.algorithm,
        processes=arguments.processes,
        seed=arguments.seed,
        messages=messages(arguments),
        deliveries=arguments.deliveries,
        warmup=arguments.warmup,
        network=network(arguments),
        workload=workload(arguments),
        cost=ProcessingCost(arguments.cost_packet, arguments.cost_entry, arguments.cost_byte),
        options=dict(option(text) for text in arguments.option or ()),
        oracle=arguments.needless,
        state_every=arguments.state_every,
    )


def messages(arguments: argparse.Namespace) -> int | None:
    """Return the number of messages that the options ask for."""
    return 1_000 if arguments.messages is None and arguments.deliveries is None else arguments.messages


def network(arguments: argparse.Namespace, latency: str = "exponential:1.0", bandwidth: float | None = None) -> Network:
    """Return the network that the options ask for."""
    times = Distribution.parse(arguments.latency or latency)
    partitions = tuple(partition(text) for text in arguments.partition or ())
    lossy = bool(arguments.loss or partitions) and arguments.algorithm not in ("history", "none")
    again: float | None
    if arguments.retransmit == "auto":
        again = (4 * times.mean_s or 1.0) if lossy else None
    else:
        again = None if arguments.retransmit == "off" else number(arguments.retransmit, "--retransmit", "4, auto, off")
    return Network(
        latency=times,
        bandwidth_bytes_per_s=bandwidth if arguments.bandwidth is None else arguments.bandwidth,
        fifo=arguments.fifo,
        loss=arguments.loss,
        duplicate=arguments.duplicate,
        partitions=partitions,
        retransmit_after_s=again,
    )


def workload(arguments: argparse.Namespace) -> Workload:
    """Return the workload that the options ask for."""
    dests = pair(arguments.dests, "-", "--dests", "1-19") if arguments.dests else None
    groups = pair(arguments.groups, ":", "--groups", "5:2") if arguments.groups else None
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
