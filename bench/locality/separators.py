"""`python -m bench.locality.separators`: bytes of stamps if the articulation points of a network are causal separators.

40 processes in five clusters of eight. In a cluster all are linked; one of each is an articulation point, and these are
linked too. Messages go to 1 to 3 processes, either any (`any`), or of the sender's own cluster in 70 % of cases
(`near`). `ks` and `prs` are told nothing of the network; `hierarchy` gets its clusters from `locality.separate`, with
`ks` or `prs` inside. The stamps of all packets are weighed, those of forwarded copies too, with the names of processes
known to both sides. The figures are means of several seeds, after a warm-up.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from antecede.core.types import Packet, ProcessId
from antecede.locality import Graph, separate
from antecede.sim import Parameters, Workload, World
from antecede.sim.chance import pick, stream
from antecede.sim.parameters import numbered_names
from antecede.sim.workload import Letter

CLUSTERS, SIZE = 5, 8
NEAR_SHARE = 0.7
WARMUP, DELIVERIES = 5_000, 5_000
SEEDS = (1, 2, 3)
NAMES = numbered_names("p", CLUSTERS * SIZE)
SIDES = [NAMES[at : at + SIZE] for at in range(0, len(NAMES), SIZE)]
NETWORK = Graph.both_ways(
    [*(link for side in SIDES for link in combinations(side, 2)), *combinations([side[0] for side in SIDES], 2)]
)


class WeighedWorld(World):
    """A run in which the stamp of every packet is weighed once the warm-up is over, for each of its copies."""

    stamp_bytes = copies = 0

    def _transmit(
        self, process: ProcessId, packet: Packet | None, dests: list[ProcessId], answered: ProcessId | None
    ) -> None:
        if packet is not None and self.ledger.deliveries >= WARMUP:
            self.copies += len(dests)
            self.stamp_bytes += len(dests) * self.scale.stamp_bytes(packet)
        super()._transmit(process, packet, dests, answered)

    def send_near(self) -> None:
        """Let messages go to the sender's own cluster in `NEAR_SHARE` of cases, and to one other in the others."""
        sides = {name: side for side in SIDES for name in side}
        chances = {name: stream(self.parameters.seed, "near", name) for name in NAMES}

        def next_letter(process: ProcessId) -> Letter:
            chance, own = chances[process], sides[process]
            side = own if chance.random() < NEAR_SHARE else chance.choice([side for side in SIDES if side is not own])
            others = [name for name in side if name != process]
            return Letter(frozenset(pick(chance, others, chance.randint(1, 3))))

        self.traffic.next_letter = next_letter  # type: ignore[method-assign]  # traffic that only this run has


def measure(algorithm: str, options: dict[str, object], *, near: bool, seed: int) -> tuple[float, float, float, float]:
    """Return bytes of stamp per packet, per delivery, packets per delivery, and the mean delay in latencies."""
    workload = Workload(dests=(1, 3))
    parameters = Parameters(
        algorithm=algorithm,
        processes=len(NAMES),
        options=options,
        workload=workload,
        seed=seed,
        messages=None,
        warmup=WARMUP,
        deliveries=DELIVERIES,
        weigh_bytes=False,
    )
    world = WeighedWorld(parameters)
    if near:
        world.send_near()
    result = world.run()
    assert result.delay_mean_s is not None
    return (
        world.stamp_bytes / world.copies,
        world.stamp_bytes / DELIVERIES,
        world.copies / DELIVERIES,
        result.delay_mean_s,
    )


def main(argv: Sequence[str] = ()) -> int:
    assert not argv, "there are no options"
    clusters = separate(NETWORK)
    forms: dict[str, tuple[str, dict[str, object]]] = {
        "ks": ("ks", {}),
        "prs": ("prs", {}),
        "hierarchy, ks inside": ("hierarchy", {"representatives": clusters}),
        "hierarchy, prs inside": ("hierarchy", {"representatives": clusters, "inner": "prs"}),
    }
    print(__doc__)
    print(f"{'':<32}{'bytes/packet':>14}{'bytes/delivery':>16}{'packets/delivery':>18}{'delay':>8}")
    for traffic in ("any", "near"):
        for name, (algorithm, options) in forms.items():
            rows = [measure(algorithm, options, near=traffic == "near", seed=seed) for seed in SEEDS]
            per_packet, per_delivery, packets, delay = map(fmean, zip(*rows, strict=True))
            print(f"{traffic:<8}{name:<24}{per_packet:>14.1f}{per_delivery:>16.1f}{packets:>18.2f}{delay:>8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
