"""Declare what Table 1, Figures 1 and 2 of paper 001 (Alagar, Venkatesan) share: the costs of roaming hosts.

Appendix A states these values, and they are kept: wires of 100 Mbit/s and 7 ms, air of 1 Mbit/s and 500 microseconds,
exponential times between the sends of a host (mean t_s) and between its moves (mean t_h), each of 0.1, 1 or 10 s, and
ten stations in the figures. Messages go to one other host, as §2 says.

The paper does not state these values, so they are parameters here: the size of a message (100 bytes), the width of an
integer of the header (4 bytes), n_h of Figure 2, which t_s and t_h a figure has, and what a header costs to process,
which was measured on a Sparc 10. That cost is a time for each integer, once at the station that makes the header and
once at the station that reads it. Headers are whole matrices, zeros included, as the paper counts them.

§4.1 sends a message "to the MSS of h_j" and leaves open how that station is known. With a `directory` every station
knows it, for free. §2 says that wires need not be FIFO, and appendix A that the propagation takes 7 ms. With a constant
7 ms no message overtakes another. So both are measured: constant, and exponential with that mean.

The same seed gives all algorithms the same messages and the same journeys, so that differences are taken seed by seed.
"""

from __future__ import annotations

from math import ceil

from antecede.lab.experiment import Point
from antecede.sim import (
    Distribution,
    Header,
    MobileParameters,
    MobileResult,
    Mobility,
    Network,
    ProcessingCost,
    Workload,
)
from antecede.sim.mobile import MobileWorld

TIMES_S = (0.1, 1.0, 10.0)
"""The values of t_s and of t_h in appendix A."""
COST_US = 0.2
"""Microseconds for an integer, unless the point says otherwise: ten cycles of a processor of 50 MHz."""
PAYLOAD_BYTES, INTEGER_BYTES = 100, 4
STATES_MEASURED = 20
"""How often the state of a station is measured in a run."""
NUMBERS = ("delay_ms", "needless_ms", "needless_percent", "integers", "header_bytes", "handoff_messages",
           "handoff_bytes", "handoff_ms", "passed_on", "storage_bytes", "load_percent", "air_bytes",
           "host_bytes")  # fmt: skip


def make_point(
    protocol: str,
    *,
    hosts: int = 30,
    stations: int = 10,
    k: int = 1,
    send_s: float = 1.0,
    move_s: float = 1.0,
    wires: str = "constant",
    cost_us: float = COST_US,
    directory: str = "yes",
    warmup: int = 100,
    deliveries: int = 500,
) -> Point:
    """Return a point of the grid."""
    return {
        "protocol": protocol,
        "hosts": hosts,
        "stations": stations,
        "k": k,
        "send_s": send_s,
        "move_s": move_s,
        "wires": wires,
        "cost_us": cost_us,
        "directory": directory,
        "warmup": warmup,
        "deliveries": deliveries,
    }


def deliveries_in(seconds: float, *, hosts: int, send_s: float) -> int:
    """Return the number of deliveries in this time, if each host sends a message to one other every `send_s`."""
    return ceil(seconds * hosts / send_s)


def parameters(point: Point, seed: int, *, full: bool = True) -> MobileParameters:
    """Return the parameters of the simulation for one point and seed.

    If `full` is true, headers are matrices with their zeros. Otherwise only integers that are not zero count. A point
    with `away_s` has hosts that disconnect for that time, after as long a time.
    """
    deliveries, away_s = int(point["deliveries"]), float(point.get("away_s", 0.0))
    absences = {"connected": Distribution(mean_s=away_s), "away": Distribution(mean_s=away_s)} if away_s else {}
    return MobileParameters(
        protocol=str(point["protocol"]),
        stations=int(point["stations"]),
        hosts=int(point["hosts"]),
        seed=seed,
        messages=None,
        warmup=int(point["warmup"]),
        deliveries=deliveries,
        wires=Network(Distribution(str(point["wires"]), 0.007), bandwidth_bytes_per_s=100e6 / 8),
        mobility=Mobility(Distribution(mean_s=float(point["move_s"])), **absences),
        workload=Workload(Distribution(mean_s=float(point["send_s"])), dests=(1, 1), payload_bytes=PAYLOAD_BYTES),
        cost=ProcessingCost(entry_s=float(point["cost_us"]) * 1e-6),
        header=Header(INTEGER_BYTES, full=full),
        options={"logical": int(point["k"])} if point["protocol"] == "av3" else {},
        directory=point["directory"] == "yes",
        oracle=True,
        state_every=max(1, (int(point["warmup"]) + deliveries) // STATES_MEASURED),
    )


def measure(point: Point, seed: int, *, full: bool = True) -> dict[str, float | None]:
    """Simulate one point with one seed and return the numbers of `NUMBERS` by name.

    The load is the share of its time that a station works on headers. The bytes on the air are those of a message, with
    all that is sent for it between hosts and stations. The bytes of a host are its state at the end.
    """
    world = MobileWorld(parameters(point, seed, full=full))
    return read_numbers(point, world, world.run())


def read_numbers(point: Point, world: MobileWorld, found: MobileResult) -> dict[str, float | None]:
    """Return the numbers of `NUMBERS` of a world that was run, by name."""
    stations, hosts = int(point["stations"]), int(point["hosts"])
    values = (
        in_ms(found.delay_mean_s),
        in_ms(found.needless_mean_s),
        None if found.needless_share is None else 100 * found.needless_share,
        found.entries_mean,
        found.header_bytes_mean,
        found.handoff_messages,
        found.handoff_bytes,
        in_ms(found.handoff_mean_s),
        found.passed_on_per_message,
        found.state_bytes_mean,
        100 * world.processors.worked_s / (stations * found.duration_s),
        found.air_bytes / found.messages,
        sum(len(host.snapshot()) for host in world.hosts.values()) / hosts,
    )
    return dict(zip(NUMBERS, values, strict=True))


def in_ms(seconds: float | None) -> float | None:
    """Return a time in milliseconds, or None if it is None."""
    return None if seconds is None else 1000 * seconds


def cost(point: Point) -> float:
    """Return roughly how long a point takes to simulate. Hand-offs and large matrices take longest."""
    moves = float(point["send_s"]) / float(point["move_s"])
    deliveries = float(point["deliveries"]) + float(point["warmup"])
    across = float(point["hosts"]) if point["protocol"] == "av1" else float(point["stations"]) * float(point["k"])
    return deliveries * (0.3 + moves) * float(point["k"]) * (1 + across**2 / 1_000)
