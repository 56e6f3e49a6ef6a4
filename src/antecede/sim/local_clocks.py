"""Give each process of a run a local clock for its communication graph, and note arrivals in the trace.

The links are static and known ahead of time (004 §1). The clocks are those of the allocation that needs the fewest
entries (004 §4), kept by the propagation algorithm that goes with it: 2 of §4.1, 3 of §4.3 or 4 of §4.4.

The clocks are those of the application: a multicast is one event of its sender, and a message is taken when it is
delivered, as in the happened-before of the judge. They do not change what the algorithm does. A deliver has the
attribute `local_clock` in the trace; `antecede.locality.compare_texts` compares two of them, by Determination Algorithm
4 (004 §4.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from antecede.core.clocks.stamp import ClockStamp
from antecede.core.errors import Misuse
from antecede.core.locality.arrival_text import write_arrival
from antecede.core.locality.graph import Graph
from antecede.core.locality.local_clock import LocalClock
from antecede.core.locality.plan import plan
from antecede.core.types import Message, MessageId, ProcessId

ATTRIBUTE = "local_clock"
ENTRIES_MAX = 2_000
"""Clock entries on one message: more might not fit into a column of a trace."""


class LocalClocks:
    """The clocks of the processes `names`, which write to each other by the links of `graph`.

    `fifo` says whether messages of one link are delivered in the order of their sending: then a gateway (004 §4.4)
    knows their order by their arrival. If messages can get lost, gateways do not remember (Allocation 6, which is
    ours), because they would wait for the lost ones. A plan in which a message carries more than `entries_max` clock
    entries is refused.
    """

    def __init__(
        self,
        graph: Graph,
        names: Sequence[ProcessId],
        *,
        fifo: bool,
        is_lossy: bool,
        entries_max: int = ENTRIES_MAX,
    ) -> None:
        made = plan(Graph.of(graph.links, names), fifo=fifo, memory=not is_lossy)
        if made.cost.message_entries_max > entries_max:
            raise Misuse(
                f"a message would carry {made.cost.message_entries_max} clock entries, and a trace takes {entries_max} "
                f"at most: give a graph with fewer links"
            )
        self._clocks = {name: LocalClock(made.allocation, name) for name in names}
        self._stamps: dict[MessageId, dict[ProcessId, ClockStamp]] = {}

    def record_send(self, message: Message) -> None:
        """Stamp a message for each of its destinations: T_m of 004 §4.1, with what the link needs (§4.3)."""
        self._stamps[message.id] = self._clocks[message.sender].multicast(message.dests)

    def record_delivery(self, at: ProcessId, message: Message) -> dict[str, str] | None:
        """Take a message, and return the attributes of its delivery; None if it was delivered here before.

        The clock gets what is newer in the stamp (004 §4.1), and a gateway notes the time of the arrival (§4.4).
        """
        waiting = self._stamps.get(message.id, {})
        stamp = waiting.pop(at, None)
        if stamp is None:
            return None
        if not waiting:
            del self._stamps[message.id]
        return {ATTRIBUTE: write_arrival(self._clocks[at].receive(stamp), at)}
