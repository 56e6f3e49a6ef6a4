"""Four measurements of `plan`, each beside a peer or a limit in the same run.

1. A hierarchical triangle of 2,000 processes, links both ways: the exact plan, beside 20 runs of NetworkX's
   `biconnected_components` on the same graph. Both are the median of several rounds, taken in turns.
2. Random sparse graphs with 1.5 links per process, 1,000 to 10,000 processes, both ways: growth of time and memory,
   memory beside the least that a table of the same sets would take (a pointer of 8 bytes an entry).
3. The same with links one way, and fewer processes: the general way, which enumerates.
4. What memory at gateways really holds: the 100-process triangle of paper 004, section 7, under random traffic, in
   steps per gateway, beside the clock entries that the plan saves against Allocation 3.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import networkx as nx

from antecede.core.clocks.stamp import ClockStamp
from antecede.core.locality.graph import Graph
from antecede.core.locality.local_clock import LocalClock
from antecede.core.locality.plan import Plan, cost, plan
from antecede.core.locality.two_way_links import BlockAllocations
from antecede.lab.topologies import hierarchical_triangle

ROUNDS = 5
NETWORKX_RUNS = 20
POINTER_BYTES = 8


def triangle(processes: int = 2_000, width: int = 9) -> dict[str, Any]:
    """Target: a ratio of 1 or less."""
    graph = hierarchical_triangle(processes, width)
    drawn = nx.Graph(graph.links)
    ours_s, theirs_s = [], []
    for _ in range(ROUNDS):
        theirs_s.append(_seconds(lambda: [list(nx.biconnected_components(drawn)) for _ in range(NETWORKX_RUNS)]))
        ours_s.append(_seconds(lambda: plan(graph)))
    made, peak_bytes = _with_peak(graph)
    return {
        "processes": processes,
        "links": len(graph.links),
        "method": made.allocation.method.value,
        "allocation": made.allocation.name,
        "clock_entries_per_process": made.cost.clock_entries / processes,
        "plan_s": statistics.median(ours_s),
        "networkx_20_runs_s": statistics.median(theirs_s),
        "ratio": statistics.median(ours_s) / statistics.median(theirs_s),
        "peak_mb": peak_bytes / 1e6,
        "answer_entries": made.cost.clock_entries,
        "largest_candidate_entries": max(c.cost.clock_entries for c in made.candidates if c.name != "1"),
    }


def sparse(processes: int, *, both_ways: bool, seed: int = 1) -> dict[str, Any]:
    graph = random_sparse(processes, processes * 3 // 2, both_ways=both_ways, seed=seed)
    plan_s = statistics.median(_seconds(lambda: plan(graph)) for _ in range(3 if both_ways else 1))
    made, peak_bytes = _with_peak(graph)
    table_bytes = POINTER_BYTES * made.cost.clock_entries
    return {
        "processes": processes,
        "links": processes * 3 // 2,
        "both_ways": both_ways,
        "method": made.allocation.method.value,
        "tried": [candidate.name for candidate in made.candidates],
        "plan_s": plan_s,
        "peak_mb": peak_bytes / 1e6,
        "answer_as_table_mb": table_bytes / 1e6,
        "space_saved": 1 - made.cost.clock_entries / made.vectors.clock_entries,
        "wire_saved": 1 - made.cost.message_entries / made.vectors.message_entries,
    }


def gateway_memory(messages: int = 50_000, seed: int = 1) -> dict[str, Any]:
    """Steps remembered by a gateway after each arrival there, beside the clock entries that are saved for them."""
    graph = hierarchical_triangle(100, 9)
    allocations = BlockAllocations(graph)
    allocation = allocations.allocation_6()
    clocks = {p: LocalClock(allocation, p) for p in graph.processes}
    held: list[int] = []
    for receiver, stamp in _traffic(clocks, graph, messages, random.Random(seed)):
        clocks[receiver].receive(stamp)
        if clocks[receiver].is_gateway:
            held.append(clocks[receiver].memory_entries())
    third, sixth = cost(allocations.allocation_3()), cost(allocation)
    return {
        "processes": 100,
        "messages": messages,
        "gateways": len(allocation.gateways),
        "steps_per_gateway_mean": statistics.fmean(held),
        "steps_per_gateway_max": max(held),
        "clock_entries_allocation_3": third.clock_entries,
        "clock_entries_allocation_6": sixth.clock_entries,
        "message_entries_mean_allocation_3": third.message_entries / len(graph.links),
        "message_entries_mean_allocation_6": sixth.message_entries / len(graph.links),
    }


def _traffic(
    clocks: dict[str, LocalClock], graph: Graph, messages: int, chance: random.Random
) -> Iterator[tuple[str, ClockStamp]]:
    """Messages on random links, FIFO on each, about 200 on the way at any time; yields arrivals."""
    links = graph.links
    on_the_way: dict[tuple[str, str], list[ClockStamp]] = {}
    waiting: list[tuple[str, str]] = []
    for _ in range(messages):
        link = chance.choice(links)
        on_the_way.setdefault(link, []).append(clocks[link[0]].send(link[1]))
        waiting.append(link)
        if len(waiting) > 200:
            place = chance.randrange(len(waiting))
            waiting[place], waiting[-1] = waiting[-1], waiting[place]
            link = waiting.pop()
            yield link[1], on_the_way[link].pop(0)


def random_sparse(processes: int, links: int, *, both_ways: bool, seed: int) -> Graph:
    chance = random.Random(seed)
    names = [f"p{number}" for number in range(processes)]
    found: set[tuple[str, str]] = set()
    while len(found) < links:
        p, q = chance.sample(names, 2)
        found.add((min(p, q), max(p, q)) if both_ways else (p, q))
    build = Graph.both_ways if both_ways else Graph.of
    return build(sorted(found), names)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _with_peak(graph: Graph) -> tuple[Plan, int]:
    """The plan, and the most memory it held while at work, without the graph itself."""
    tracemalloc.start()
    made = plan(graph)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return made, peak_bytes


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.locality", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/bench/locality.json"), help="the figures, as JSON")
    options = parser.parse_args(argv)
    found = {
        "triangle": triangle(),
        "sparse_both_ways": [sparse(n, both_ways=True) for n in (1_000, 2_000, 5_000, 10_000)],
        "sparse_one_way": [sparse(n, both_ways=False) for n in (60, 125, 250)],
        "gateway_memory": gateway_memory(),
    }
    _print(found)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(found, indent=2) + "\n")
    return 0


def _print(found: dict[str, Any]) -> None:
    t = found["triangle"]
    print(f"hierarchical triangle, {t['processes']:,} processes, {t['links']:,} links, plan {t['method']}:")
    print(
        f"  plan {t['plan_s']:.3f} s; NetworkX biconnected_components x 20 {t['networkx_20_runs_s']:.3f} s; "
        f"ratio {t['ratio']:.2f} (target: 1 or less)"
    )
    print(f"  peak memory {t['peak_mb']:.1f} MB; entries in the answer {t['answer_entries']:,}")
    print("random sparse graphs, 1.5 links per process:")
    for row in [*found["sparse_both_ways"], *found["sparse_one_way"]]:
        ways = "both ways" if row["both_ways"] else "one way"
        print(
            f"  {row['processes']:>6,} processes {row['links']:>6,} links {ways:<9}  plan {row['plan_s']:7.3f} s  "
            f"peak {row['peak_mb']:7.1f} MB (answer as a table {row['answer_as_table_mb']:.1f} MB)  {row['method']}  "
            f"saved {row['space_saved']:.0%} space, {row['wire_saved']:.0%} on the wire"
        )
    _print_memory(found["gateway_memory"])


def _print_memory(m: dict[str, Any]) -> None:
    print(f"memory of gateways, triangle of {m['processes']}, {m['messages']:,} messages, {m['gateways']} gateways:")
    mean, most = m["steps_per_gateway_mean"], m["steps_per_gateway_max"]
    print(f"  steps remembered per gateway {mean:.1f} on average, {most} at most")
    for name in ("3", "6"):
        kept, sent = m[f"clock_entries_allocation_{name}"], m[f"message_entries_mean_allocation_{name}"]
        print(f"  Allocation {name}: {kept:,} clock entries in all, {sent:.1f} per message")
