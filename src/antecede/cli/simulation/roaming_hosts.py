"""Build the parameters of a run with roaming hosts from the options, and the lines of its summary that others do not
have.
"""

from __future__ import annotations

import argparse

from antecede.cli.simulation import fixed_processes
from antecede.cli.simulation.amounts import amount
from antecede.cli.simulation.option_values import option, times
from antecede.core.errors import Misuse
from antecede.core.mobile.luggage import Policy
from antecede.sim import Distribution, Header, MobileParameters, MobileResult, Mobility, Network, ProcessingCost


def parameters(arguments: argparse.Namespace) -> MobileParameters:
    """Return the parameters of a run with roaming hosts."""
    if arguments.processes != 20:
        raise Misuse(f"{arguments.algorithm} is a roaming protocol: give --hosts and --stations, not --processes")
    return MobileParameters(
        protocol=arguments.algorithm,
        stations=arguments.stations,
        hosts=arguments.hosts,
        seed=arguments.seed,
        messages=fixed_processes.messages(arguments),
        deliveries=arguments.deliveries,
        warmup=arguments.warmup,
        wires=fixed_processes.network(arguments, "constant:0.007", 12.5e6),
        air=_air(arguments),
        mobility=_mobility(arguments),
        workload=fixed_processes.workload(arguments),
        cost=ProcessingCost(arguments.cost_packet, arguments.cost_entry, arguments.cost_byte),
        header=Header(arguments.integer_bytes, arguments.full_matrices),
        policy=Policy(when_asleep=arguments.when_asleep, retry_s=arguments.retry),
        options=dict(option(text) for text in arguments.option or ()),
        oracle=arguments.needless,
        state_every=arguments.state_every,
    )


def lines(result: MobileResult) -> list[str]:
    """Return the lines of the summary about wires, air and hand-offs."""
    said = [
        f"  header     {amount(result.entries_mean)} entries (most {result.entries_max:,}), "
        f"{amount(result.header_bytes_mean)} bytes (most {result.header_bytes_max or 0:,}), between stations",
        f"  wires      {result.wire_packets:,} packets; per message {amount(result.packets_per_message)} that carry "
        f"it, {amount(result.passed_on_per_message)} forwarded, {amount(result.extra_per_message)} others",
        f"  air        {result.air_packets:,} packets; {result.air_lost:,} lost, or too late for a host that had left",
        f"  roaming    {result.moves:,} moves, {result.disconnections:,} disconnections, {result.handoffs:,} hand-offs",
    ]
    if result.handoffs:
        said.append(
            f"  hand-off   {amount(result.handoff_messages)} messages, {amount(result.handoff_bytes)} bytes, "
            f"{amount(result.handoff_mean_s)} s from registration to welcome (longest {amount(result.handoff_max_s)})"
        )
    if result.dropped:
        said.append(f"  dropped    {result.dropped:,} deliveries to hosts that were away")
    return said


def _mobility(arguments: argparse.Namespace) -> Mobility:
    return Mobility(
        handoff=times(arguments.handoff_interval),
        connected=times(arguments.disconnect_interval),
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
