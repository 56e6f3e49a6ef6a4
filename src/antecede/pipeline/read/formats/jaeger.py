"""Read Jaeger's own JSON, as its UI downloads it: traces in `data`, one document in each file or in each line.

The module `messaging` says what a span does with messages, from its tags. The kind of a span is the tag `span.kind`.
The first reference of the type CHILD_OF is the parent of a span, and the others are links. Several links are a batch.
Ids are hexadecimal, and zeros in front of them mean nothing. The name of a process is the `service.instance.id` among
its tags, or otherwise the name of its service. Times are microseconds. The tag `antecede.dests` is a list of names as
JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.formats import messaging
from antecede.pipeline.read.formats.json_texts import (
    ALL_COLUMNS,
    Malformed,
    RefusedSpan,
    TracedSpan,
    decode_json,
    integer_of,
    join_attributes,
    object_at,
    objects_in,
    parse_exactly,
    read_spans,
    show,
    show_row,
    text_of,
)
from antecede.pipeline.read.rows import ReadRows, Wanted

NOT_JAEGER = "not a JSON document of Jaeger with data"
JAEGER_TRACE_ID, JAEGER_SPAN_ID = re.compile("[0-9a-f]{1,32}"), re.compile("[0-9a-f]{1,16}")
CHILD_OF = "CHILD_OF"


def read(block: Block, wanted: Wanted = ALL_COLUMNS) -> Iterator[ReadRows]:
    """Yield the spans of a block."""
    return read_spans(block, partial(parse_exactly, read_text=read_traces, reason=NOT_JAEGER, wanted=wanted))


def read_traces(text: Any) -> list[TracedSpan | RefusedSpan]:
    """Return the spans of a document. Raise `Malformed` if it is not a document of Jaeger."""
    traces = object_at(text).get("data")
    if traces is None:
        raise Malformed
    return [span for trace in objects_in(traces) for span in _read_trace(trace)]


def _read_trace(trace: dict[str, Any]) -> list[TracedSpan | RefusedSpan]:
    processes = {name: _read_process(object_at(one)) for name, one in object_at(trace.get("processes")).items()}
    return [_read_span(span, processes) for span in objects_in(trace.get("spans"))]


def _read_process(process: dict[str, Any]) -> tuple[str | None, str | None]:
    """Return the name of a process, and the name of its service."""
    service = text_of(process.get("serviceName"))
    return _read_tags(process.get("tags")).get("service.instance.id") or service, service


def _read_span(span: dict[str, Any], processes: dict[str, tuple[str | None, str | None]]) -> TracedSpan | RefusedSpan:
    tags = _read_tags(span.get("tags"))
    parent, links = _read_references(span.get("references"))
    trace, span_id, start = (text_of(span.get(name)) for name in ("traceID", "spanID", "startTime"))
    if trace is None or not JAEGER_TRACE_ID.fullmatch(trace := trace.lower()):
        return RefusedSpan(f"traceID is not up to 32 hexadecimal digits: {show(trace)}", show_row(span))
    if span_id is None or not JAEGER_SPAN_ID.fullmatch(span_id := span_id.lower()):
        return RefusedSpan(f"spanID is not up to 16 hexadecimal digits: {show(span_id)}", show_row(span))
    order = integer_of(start)
    if order is None or order <= 0:
        return RefusedSpan(f"startTime is not a number of microseconds: {show(start)}", show_row(span))
    named = messaging.keys_in(tags)
    process, service = processes.get(text_of(span.get("processID")) or "", (None, None))
    own = {"trace": trace, "span": span_id, "name": text_of(span.get("operationName")), "service": service}
    return TracedSpan(
        span=span_id.zfill(16),
        role=messaging.role_of(tags, (tags.get("span.kind") or "").lower()),
        process=process,
        start=order / 1e6,
        start_order=order,
        keys=[*named, _span_key(trace, span_id)],
        arrivals=messaging.list_arrivals(links, named, parent),
        own_name=named[0] if named else links[0][0] if links else None,
        dests=_stated_destinations(tags.get(messaging.DESTINATIONS)),
        group=messaging.find(tags, "destination"),
        payload_bytes=integer_of(messaging.find(tags, "bytes")),
        attributes=join_attributes(tags, own),
    )


def _read_tags(given: Any) -> dict[str, str | None]:
    """Return the text of tags by name. If a name comes twice, the first one counts."""
    found: dict[str, str | None] = {}
    for tag in objects_in(given):
        name = text_of(tag.get("key"))
        if name is not None:
            found.setdefault(name, text_of(tag.get("value")))
    return found


def _read_references(given: Any) -> tuple[str | None, list[list[str]]]:
    """Return the key of the parent, and the keys of each other span that is referred to."""
    parent: str | None = None
    links: list[list[str]] = []
    for reference in objects_in(given):
        trace, span_id = text_of(reference.get("traceID")), text_of(reference.get("spanID"))
        if trace is None or span_id is None:
            continue
        key = _span_key(trace.lower(), span_id.lower())
        if parent is None and reference.get("refType") == CHILD_OF:
            parent = key
        else:
            links.append([key])
    return parent, links


def _span_key(trace: str, span_id: str) -> str:
    return f"{trace.zfill(32)}/{span_id.zfill(16)}"


def _stated_destinations(text: str | None) -> list[str] | None:
    """Return the names in a list in JSON, or None if the text is something else."""
    try:
        names = decode_json((text or "").encode())
    except Malformed:
        return None
    return names if isinstance(names, list) and all(isinstance(name, str) for name in names) else None
