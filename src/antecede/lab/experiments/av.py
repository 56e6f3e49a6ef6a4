"""Paper 001 (Alagar, Venkatesan): what its algorithms cost with roaming hosts. What Table 1, Figures 1 and 2 share.

Stated in appendix A, and kept: wires of 100 Mbit/s and 7 ms, air of 1 Mbit/s and 500 microseconds, exponential times
between the sends of a host (mean t_s) and between its moves (mean t_h), each of 0.1, 1 or 10 s, and ten stations.

Not stated, and parameters here: the size of a message (100 bytes), the width of an integer of the header (4 bytes),
n_h of Figure 2, which t_s and t_h a figure has, and what a header costs to process, which was measured on a Sparc 10:
it is a time for each integer, once where the header is made and once where it is read. Messages go to one host, as in
§4.1. Headers are whole matrices, zeros and all, as the paper counts them.

§4.1 sends a message "to the MSS of h_j" and leaves open how that is known: with a `directory` every station knows it,
for nothing. §2 says that wires need not be FIFO, appendix A that the propagation takes 7 ms: with a constant 7 ms
nothing overtakes anything. So both are measured: constant, and exponential with that mean.
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


def point(
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


def parameters(given: Point, seed: int, *, full: bool = True, dests: tuple[int, int] = (1, 1)) -> MobileParameters:
    """`full`: matrices with their zeros; without them the warm-up is longer, for matrices have to fill."""
    deliveries = int(given["deliveries"])
    return MobileParameters(
        protocol=str(given["protocol"]),
        stations=int(given["stations"]),
        hosts=int(given["hosts"]),
        seed=seed,
        messages=None,
        warmup=deliveries // 5 if full else deliveries,
        deliveries=deliveries,
        wires=Network(Distribution(str(given["wires"]), 0.007), bandwidth_bytes_per_s=100e6 / 8),
        mobility=Mobility(Distribution(mean_s=float(given["move_s"]))),
        workload=Workload(Distribution(mean_s=float(given["send_s"])), dests=dests, payload_bytes=PAYLOAD_BYTES),
        cost=ProcessingCost(entry_s=float(given["cost_us"]) * 1e-6),
        header=Header(INTEGER_BYTES, full=full),
        options={"logical": int(given["k"])} if given["protocol"] == "av3" else {},
        directory=given["directory"] == "yes",
        oracle=True,
    )


def measure(given: Point, seed: int) -> dict[str, float | None]:
    return numbers(simulate(parameters(given, seed)))


def numbers(found: MobileResult) -> dict[str, float | None]:
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
    return None if seconds is None else 1000 * seconds


def cost(given: Point) -> float:
    """Hand-offs are what takes long to simulate, and large matrices."""
    moves = float(given["send_s"]) / float(given["move_s"])
    return float(given["deliveries"]) * (0.3 + moves) * float(given["k"]) * (1 + float(given["hosts"]) / 100)
