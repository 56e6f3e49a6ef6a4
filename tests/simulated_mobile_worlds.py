"""Random worlds of the simulator: stations that broadcast beacons (001 §2), and hosts without stations (000 §9.3).

A host that has moved notices its new cell at the next beacon, or never if it moves on first. In a third of these worlds
the wires of the stations have different bandwidths. Without stations a packet goes to where a location service saw its
destination. Each run is held to the simulator's oracle and to the judge. All choices come from one seeded generator.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.protocols import protocols
from antecede.core.registry import algorithms
from antecede.sim import AccessLink, Distribution, MobileParameters, Mobility, Network, RunRecorder, Workload
from antecede.sim.measure.metrics import RunResult
from antecede.sim.mobile import MobileWorld, StationlessParameters, simulate_stationless
from antecede.sim.parameters import numbered_names
from antecede.sim.trace import as_event
from tests.oracle import Broken
from tests.simulated_worlds import check_run, check_synchronous, draw_groups, start_drawing

WIRE_BANDWIDTHS_BYTES_PER_S = (300.0, 3e3, 1e6)
"""The bandwidths of the wires of stations, if these differ. Most packets have less than a hundred bytes."""


def run_with_beacons(protocol: str, seed: int, **options: Any) -> Counter[str]:
    """Simulate one world with beacons, and return what happened. `Broken` if the oracle or the judge objects.

    `options` are those of the protocol.
    """
    chance = random.Random(f"beacons {protocol} {seed}")
    parameters = draw_with_beacons(protocol, chance, seed)
    parameters = replace(parameters, options={**parameters.options, **options})
    rows = start_drawing()
    world = MobileWorld(parameters, RunRecorder(rows.extend))
    result = world.run()
    check_run(result, rows, dropped=result.dropped, inhibits=parameters.info.inhibits)
    if {name: host.cell for name, host in world.hosts.items()} != world.places:
        raise Broken("a host has not noticed its cell")
    return _count(result, dropped=result.dropped, moves=result.moves)


def draw_with_beacons(protocol: str, chance: random.Random, seed: int) -> MobileParameters:
    """Draw the parameters of a world with beacons. Hosts often leave a cell before its beacon."""
    hosts, stations = chance.randint(2, 6), chance.randint(1, 5)
    absences = chance.choice((None, Distribution(mean_s=1.0)))
    return MobileParameters(
        protocol=protocol,
        seed=seed,
        stations=stations,
        hosts=hosts,
        messages=chance.randint(5, 30),
        beacon_s=chance.choice((0.05, 0.25, 1.0)),
        workload=Workload(Distribution(mean_s=chance.choice((0.02, 0.2))), dests=(1, hosts - 1)),
        wires=Network(
            Distribution(mean_s=chance.choice((0.007, 0.1))),
            duplicate=chance.choice((0.0, 0.1)),
            links=draw_links(chance, stations),
        ),
        air=Network(
            Distribution(mean_s=0.0005),
            fifo=chance.random() < 0.5,
            loss=chance.choice((0.0, 0.2)),
            duplicate=chance.choice((0.0, 0.1)),
        ),
        mobility=Mobility(Distribution(mean_s=chance.choice((0.1, 0.5, 2.0))), absences, Distribution(mean_s=0.3)),
        policy=Policy(when_asleep=chance.choice(("store", "store", "drop"))),
        options={"logical": chance.randint(1, 3)} if protocol == "av3" else {},
        oracle=True,
    )


def draw_links(chance: random.Random, stations: int) -> tuple[AccessLink, ...]:
    """Draw the bandwidth of the wire of every station in a third of the worlds, and no links in the others.

    A packet needs longer for the slowest wire than for its latency, so that packets by other wires overtake it.
    """
    if chance.random() >= 1 / 3:
        return ()
    return tuple(AccessLink(name, chance.choice(WIRE_BANDWIDTHS_BYTES_PER_S)) for name in numbered_names("s", stations))


def run_without_stations(algorithm: str, seed: int) -> Counter[str]:
    """Simulate one world without stations, and return what happened. `Broken` if the oracle or the judge objects."""
    chance = random.Random(f"without stations {algorithm} {seed}")
    info, rows = algorithms()[algorithm], start_drawing()
    result = simulate_stationless(draw_without_stations(algorithm, chance, seed), RunRecorder(rows.extend))
    check_run(result, rows, dropped=0, inhibits=not info.delay_optimal, is_causal=info.causal)
    if info.synchronous:
        check_synchronous([as_event("r", row) for row in rows])
    return _count(result, dropped=0, moves=result.moves)


def draw_without_stations(algorithm: str, chance: random.Random, seed: int) -> StationlessParameters:
    """Draw the parameters of a world without stations. Hosts often move before a packet reaches them."""
    hosts = chance.randint(2, 8)
    return StationlessParameters(
        algorithm=algorithm,
        seed=seed,
        processes=hosts,
        places=chance.randint(1, 6),
        messages=chance.randint(5, 40),
        workload=Workload(
            Distribution(mean_s=chance.choice((0.01, 0.05))), **draw_destinations(chance, algorithm, hosts)
        ),
        network=Network(
            Distribution(mean_s=chance.choice((0.0005, 0.02))),
            loss=chance.choice((0.0, 0.2)),
            duplicate=chance.choice((0.0, 0.1)),
            retransmit_after_s=0.05,
        ),
        mobility=Mobility(Distribution(mean_s=chance.choice((0.03, 0.1, 1.0)))),
        locate=Distribution(mean_s=chance.choice((0.0, 0.005, 0.05))),
        oracle=True,
    )


def draw_destinations(chance: random.Random, algorithm: str, hosts: int) -> dict[str, Any]:
    """Return the settings of a workload that say to whom messages go, as the algorithm sends."""
    addressing = algorithms()[algorithm].addressing
    if addressing == "group":
        return {"groups": draw_groups(chance, hosts)}
    return {"dests": {"unicast": (1, 1), "broadcast": (hosts - 1, hosts - 1)}.get(addressing, (1, hosts - 1))}


SIMULATED: dict[str, Callable[[int], Counter[str]]] = {
    **{f"{name}, beacons": partial(run_with_beacons, name) for name in sorted(protocols())},
    "prs-mobile, combined, beacons": partial(run_with_beacons, "prs-mobile", combine=True),
    "prs-mobile, any order, beacons": partial(run_with_beacons, "prs-mobile", any_order=True),
    **{f"{name}, no stations": partial(run_without_stations, name) for name in sorted(algorithms())},
}
"""Every kind of simulated world, by a name: a function that runs the world of a seed."""


def _count(result: RunResult, *, dropped: int, moves: int) -> Counter[str]:
    needless = round((result.needless_share or 0.0) * result.window_deliveries)
    return Counter(
        {
            "worlds": 1,
            "messages": result.messages,
            "deliveries": result.deliveries,
            "dropped": dropped,
            "hand-offs": moves,
            "held for nothing": needless,
        }
    )
