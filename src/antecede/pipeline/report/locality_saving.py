"""What the clocks of `antecede locality` would save on the graph that a trace shows, in words.

The graph of a trace is who did write to whom, which may be less than who may; the words say so. Planning takes time
that grows with the graph, so it is done for graphs up to a size.
"""

from __future__ import annotations

from collections.abc import Sequence

from antecede.core.locality.graph import Graph
from antecede.core.locality.plan import plan
from antecede.core.locality.plan import saving as in_words

PROCESSES_MAX = 200
LINKS_MAX = 2_000


def saving(links: Sequence[tuple[str, str]], *, complete: bool = True) -> str:
    """For links as (sender, receiver); `complete` if these are all there are."""
    pairs = sorted({(sender, receiver) for sender, receiver in links if sender != receiver})
    if not pairs:
        return ""
    names = {name for pair in pairs for name in pair}
    if not complete or len(names) > PROCESSES_MAX or len(pairs) > LINKS_MAX:
        return (
            f"The graph has more than {PROCESSES_MAX} processes or {LINKS_MAX:,} links; run `antecede locality` on "
            "the table `links`."
        )
    made = plan(Graph.of(pairs), fifo=False)
    return f"If processes write only along the links of this trace, on channels that are not FIFO: {in_words(made)}"
