"""`python -m bench.locality.known_links`: stamps of `ks` and `prs` if messages keep to links, and if they are told so.

Each process sends to 1 process or more to which it has a link, up to all. The same traffic over the same network is run
without the option `links` and with it. The figures are means over the stamps of all packets after a warm-up, and of
several seeds. The share is that of the bytes with `links` in those without.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from antecede.locality import Graph
from antecede.sim import Parameters, Result, simulate
from antecede.sim.parameters import numbered_names

WARMUP, DELIVERIES = 2_000, 4_000
SEEDS = (1, 2, 3)
SIDE, RING = 6, 10
Pairs = list[tuple[int, int]]


def _two_rings() -> Pairs:
    """Return two rings that have process 0 in common."""
    rings = [[0, *range(first, first + RING - 1)] for first in (1, RING)]
    return [pair for ring in rings for pair in pairwise([*ring, ring[0]])]


def _grid() -> Pairs:
    places = range(SIDE * SIDE)
    right = [(place, place + 1) for place in places if (place + 1) % SIDE]
    return right + [(place, place + SIDE) for place in places[:-SIDE]]


def _network(pairs: Pairs, *, both_ways: bool = True) -> Graph:
    names = numbered_names("p", 1 + max(map(max, pairs)))
    links = [(names[one], names[other]) for one, other in pairs]
    return Graph.both_ways(links) if both_ways else Graph.of(links)


NETWORKS = {
    "a tree of 40": _network([((child - 1) // 2, child) for child in range(1, 40)]),
    "a hub with 40 leaves": _network([(0, leaf) for leaf in range(1, 41)]),
    "two rings of 10, joined in one process": _network(_two_rings()),
    "a grid of 6 x 6": _network(_grid()),
    "a grid of 6 x 6, links one way": _network(_grid(), both_ways=False),
}


def measure(algorithm: str, network: Graph, *, told: bool, seed: int, oracle: bool = False) -> Result:
    """Return the result of a run whose messages keep to the links. With `told`, the algorithm knows them."""
    return simulate(
        Parameters(
            algorithm=algorithm,
            processes=len(network.processes),
            links=network if told else None,
            local_clocks=None if told else network,  # the clocks cost nothing: there is no trace
            seed=seed,
            messages=None,
            warmup=WARMUP,
            deliveries=DELIVERIES,
            oracle=oracle,
        )
    )


def main(argv: Sequence[str] = ()) -> int:
    assert not argv, "there are no options"
    print(__doc__)
    columns = ("entries", "with links", "bytes", "with links", "share")
    print(f"{'':<48}" + "".join(f"{column:>12}" for column in columns))
    for name, network in NETWORKS.items():
        for algorithm in ("ks", "prs"):
            plain, linked = (
                [measure(algorithm, network, told=told, seed=seed) for seed in SEEDS] for told in (False, True)
            )
            entries = [fmean(one.entries_mean or 0 for one in runs) for runs in (plain, linked)]
            sizes = [fmean(one.bytes_mean or 0 for one in runs) for runs in (plain, linked)]
            figures = "".join(f"{figure:>12.2f}" for figure in (*entries, *sizes))
            print(f"{name:<40}{algorithm:<8}{figures}{sizes[1] / sizes[0]:>12.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
