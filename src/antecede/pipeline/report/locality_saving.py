"""Say in words what the clocks of `antecede locality` would save on the graph that a trace shows.

The graph of a trace shows which processes wrote to which. Other links may be allowed and unused, and the words say so.
The time for a plan grows with the graph, so no plan is made for larger graphs.
"""

from __future__ import annotations

from collections.abc import Sequence

from antecede.core.locality.graph import Graph
from antecede.core.locality.plan import plan
from antecede.core.locality.plan import saving as in_words

PLANNED_PROCESSES_MAX = 200
PLANNED_LINKS_MAX = 250


def saving(links: Sequence[tuple[str, str]], *, complete: bool = True) -> str:
    """Return the saving in words. `links` are pairs of (sender, receiver). `complete` says whether these are all."""
    pairs = sorted({(sender, receiver) for sender, receiver in links if sender != receiver})
    if not pairs:
        return ""
    names = {name for pair in pairs for name in pair}
    if not complete or len(names) > PLANNED_PROCESSES_MAX or len(pairs) > PLANNED_LINKS_MAX:
        return (
            f"The graph has more than {PLANNED_PROCESSES_MAX} processes or {PLANNED_LINKS_MAX:,} links; run "
            "`antecede locality` on the table `links`."
        )
    made = plan(Graph.of(pairs), fifo=False)
    return f"If processes write only along the links of this trace, on channels that are not FIFO: {in_words(made)}"
