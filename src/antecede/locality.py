"""Clocks for a known communication graph: the public names. `docs/guide/08-locality.md` shows how to use them.

    >>> from antecede import locality
    >>> graph = locality.Graph.of([("a", "hub"), ("hub", "a"), ("b", "hub"), ("hub", "b")])
    >>> plan = locality.plan(graph)
    >>> plan.cost.clock_entries, plan.vectors.clock_entries
    (3, 9)

`plan` finds the cheapest clocks that are right for a graph; `saving` says in words what they save. `LocalClock` keeps
the clocks of one process, and `compare` tells how two messages that arrived at one process stand to each other;
`write_arrival` and `compare_texts` do so by way of a trace. With a plan for pairs of processes, `compare_events` does
the same for any two events of a pair. `add_links` plans anew, and `ChangingClock` goes from one plan to the next while
processes run. `architecture` makes the graph of processes with synchronous messages, for which there is
`SynchronousClock`, and with shared variables. `separate` makes the clusters of the algorithm `hierarchy` from the
articulation points of a graph. Without a plan, `VectorClock` compares any two events of a fixed set of processes, and
`DifferentialClock`, on FIFO channels, sends only the entries that changed.
"""

from antecede.core.clocks.differential import DifferentialClock
from antecede.core.clocks.stamp import Arrival, ClockStamp, Order
from antecede.core.clocks.vector import VectorClock
from antecede.core.locality.allocation import Allocation
from antecede.core.locality.architectures import SynchronousClock, architecture
from antecede.core.locality.arrival_text import compare_texts, read_arrival, write_arrival
from antecede.core.locality.epochs import (
    ChangingClock,
    ClockChange,
    EpochArrival,
    EpochStamp,
    PlanMissing,
    add_links,
    clock_changes,
    compare_epoch_events,
)
from antecede.core.locality.gateway_memory import MemoryFull
from antecede.core.locality.graph import BadGraph, Graph
from antecede.core.locality.local_clock import LocalClock
from antecede.core.locality.local_clock import determination_4 as compare
from antecede.core.locality.pairs import compare_events
from antecede.core.locality.plan import Candidate, Cost, Plan, plan, saving
from antecede.core.locality.separators import separate

__all__ = [
    "Allocation",
    "Arrival",
    "BadGraph",
    "Candidate",
    "ChangingClock",
    "ClockChange",
    "ClockStamp",
    "Cost",
    "DifferentialClock",
    "EpochArrival",
    "EpochStamp",
    "Graph",
    "LocalClock",
    "MemoryFull",
    "Order",
    "Plan",
    "PlanMissing",
    "SynchronousClock",
    "VectorClock",
    "add_links",
    "architecture",
    "clock_changes",
    "compare",
    "compare_epoch_events",
    "compare_events",
    "compare_texts",
    "plan",
    "read_arrival",
    "saving",
    "separate",
    "write_arrival",
]
