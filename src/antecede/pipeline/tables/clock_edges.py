"""Find who heard of whom, in a log that has vector clocks and no message ids: the edges that its clocks show.

If the clock of an event knows more of another process than the clock of the event before, something has arrived from
that process. It came from the latest event of that process that is now known, unless the news came by way of a third
process. Such an edge is not a message: two messages may be one edge, and a message that brought nothing new is not an
edge. So causal order cannot be judged from edges alone. Edges do show the graph, and delays if there are times.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

CLOCK = "clock"
"""The attribute in which readers keep the vector clock of a source, as a JSON object from process to count."""
EDGES = pa.schema(
    [
        *(("run", pa.string()), ("sender", pa.string()), ("sent_index", pa.int64()), ("sent_time", pa.float64())),
        *(("process", pa.string()), ("index", pa.int64()), ("time", pa.float64())),
    ]
)

Clock = Mapping[str, int]


def find_edges(events: pa.Table) -> pa.Table:
    """Return the edges in whole runs, as `EDGES`. The index of an event is its process's own entry in its clock."""
    if "attributes" not in events.column_names:
        return EDGES.empty_table()
    stamped: dict[tuple[str, str, int], tuple[Clock, float | None]] = {}
    named = events.filter(pc.is_valid(events["attributes"])).select(["run", "process", "index", "time", "attributes"])
    for row in named.to_pylist():
        clock = _parse_clock(dict(row["attributes"]).get(CLOCK))
        if clock is not None:
            stamped[row["run"], row["process"], row["index"]] = clock, row["time"]
    return pa.Table.from_pylist(list(_edges(stamped)), EDGES)


def _parse_clock(text: str | None) -> Clock | None:
    """Return the clock in an attribute, or None if the text is not a clock.

    Any source may have an attribute with the name `CLOCK`.
    """
    try:
        clock = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None
    return clock if isinstance(clock, dict) and all(type(count) is int for count in clock.values()) else None


def _edges(stamped: Mapping[tuple[str, str, int], tuple[Clock, float | None]]) -> Iterator[dict[str, Any]]:
    before: dict[tuple[str, str], Clock] = {}
    for run, process, index in sorted(stamped):
        clock, time = stamped[run, process, index]
        known = before.get((run, process), {})
        before[run, process] = clock
        news = {
            host: count
            for host, count in clock.items()
            if host != process and count > known.get(host, 0) and (run, host, count) in stamped
        }
        for sender, sent_index in news.items():
            others = (stamped[run, host, count][0] for host, count in news.items() if host != sender)
            if any(other.get(sender, 0) >= sent_index for other in others):
                continue  # the news came by way of another process
            sent_time = stamped[run, sender, sent_index][1]
            place = {"process": process, "index": index, "time": time}
            yield {"run": run, "sender": sender, "sent_index": sent_index, "sent_time": sent_time, **place}
