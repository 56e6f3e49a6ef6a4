"""Declare what Table 1, Figures 1 and 2 of paper 001 (Alagar, Venkatesan) share: the costs of roaming hosts.

Appendix A states these values, and they are kept: wires of 100 Mbit/s and 7 ms, air of 1 Mbit/s and 500 microseconds,
exponential times between the sends of a host (mean t_s) and between its moves (mean t_h), each of 0.1, 1 or 10 s, and
ten stations.

The paper does not state these values, so they are parameters here: the size of a message (100 bytes), the width of an
integer of the header (4 bytes), n_h of Figure 2, which t_s and t_h a figure has, and what a header costs to process,
which was measured on a Sparc 10. That cost is a time for each integer, once at the station that makes the header and
once at the station that reads it. Messages go to one host, as in §4.1. Headers are whole matrices, zeros included, as
the paper counts them.

§4.1 sends a message "to the MSS of h_j" and leaves open how that station is known. With a `directory` every station
knows it, for free. §2 says that wires need not be FIFO, and appendix A that the propagation takes 7 ms. With a constant
7 ms no message overtakes another. So both are measured: constant, and exponential with that mean.
"""

from __future__ import annotations

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
from antecede.sim import simulate_mobile as simulate

COST_US = 0.2
"""Microseconds for an integer, unless the point says otherwise: ten cycles of a processor of 50 MHz."""
PAYLOAD_BYTES, INTEGER_BYTES = 100, 4
NUMBERS = ("delay_ms", "needless_ms", "needless_percent", "integers", "header_bytes", "handoff_messages",
           "handoff_bytes", "handoff_ms", "passed_on")  # fmt: skip


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
        "deliveries": deliveries,
    }


def parameters(point: Point, seed: int, *, full: bool = True, dests: tuple[int, int] = (1, 1)) -> MobileParameters:
    """Return the parameters of the simulation for one point and seed.

    If `full` is true, headers are matrices with their zeros. Otherwise the warm-up is longer, because matrices have to
    fill.
    """
    deliveries = int(point["deliveries"])
    return MobileParameters(
        protocol=str(point["protocol"]),
        stations=int(point["stations"]),
        hosts=int(point["hosts"]),
        seed=seed,
        messages=None,
        warmup=deliveries // 5 if full else deliveries,
        deliveries=deliveries,
        wires=Network(Distribution(str(point["wires"]), 0.007), bandwidth_bytes_per_s=100e6 / 8),
        mobility=Mobility(Distribution(mean_s=float(point["move_s"]))),
        workload=Workload(Distribution(mean_s=float(point["send_s"])), dests=dests, payload_bytes=PAYLOAD_BYTES),
        cost=ProcessingCost(entry_s=float(point["cost_us"]) * 1e-6),
        header=Header(INTEGER_BYTES, full=full),
        options={"logical": int(point["k"])} if point["protocol"] == "av3" else {},
        directory=point["directory"] == "yes",
        oracle=True,
    )


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed and return its measurements."""
    return measurements(simulate(parameters(point, seed)))


def measurements(found: MobileResult) -> dict[str, float | None]:
    """Return the numbers of `NUMBERS` by name."""
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
    )
    return dict(zip(NUMBERS, values, strict=True))


def in_ms(seconds: float | None) -> float | None:
    """Return a time in milliseconds, or None if it is None."""
    return None if seconds is None else 1000 * seconds


def cost(point: Point) -> float:
    """Return roughly how long a point takes to simulate. Hand-offs and large matrices take longest."""
    moves = float(point["send_s"]) / float(point["move_s"])
    return float(point["deliveries"]) * (0.3 + moves) * float(point["k"]) * (1 + float(point["hosts"]) / 100)
