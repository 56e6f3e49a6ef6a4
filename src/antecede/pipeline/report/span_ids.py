"""Find the ids of traces and spans among the attributes of an event, under the names that sources give them."""

from __future__ import annotations

from collections.abc import Mapping

TRACE_IDS = ("trace_id", "trace", "traceId", "traceID", "TraceID", "trace.id")
SPAN_IDS = ("span_id", "span", "spanId", "spanID", "SpanID", "span.id")
IDS = frozenset({*TRACE_IDS, *SPAN_IDS})


def find_attribute(attributes: Mapping[str, str] | None, name: str) -> str | None:
    """Return an attribute, or None. `trace_id` and `span_id` are found under every name that sources give them."""
    other = {"trace_id": TRACE_IDS, "span_id": SPAN_IDS}.get(name, ())
    return next((value for one in (name, *other) if (value := (attributes or {}).get(one))), None)
