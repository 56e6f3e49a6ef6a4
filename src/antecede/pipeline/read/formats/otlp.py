"""Read OpenTelemetry's OTLP/JSON: export requests, one in each line or one in each file.

The module `messaging` says what a span does with messages. The keys of a message that arrives are, best first: the span
that a link points to, the keys in the attributes of the link and of the span, and the parent. Ids are hexadecimal, in
capitals or not. Integers of 64 bits may be text. The name of a process is the `service.instance.id` of its resource, or
otherwise the `service.name`.

If the value of an attribute is a list or a map, it becomes the JSON of that, without the names of types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa

from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.formats import messaging, otlp_arrow
from antecede.pipeline.read.formats.json_texts import (
    ALL_COLUMNS,
    Malformed,
    ParsedSpans,
    RefusedSpan,
    TracedSpan,
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
from antecede.pipeline.read.formats.otlp_attributes import SCALARS
from antecede.pipeline.read.rows import ReadRows, Wanted

PARSED_PIECE_BYTES = 256 << 10
NOT_OTLP = "not an OTLP/JSON export request with resourceSpans"
TRACE_ID, SPAN_ID = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{16}")
ROLE_BY_SPAN_KIND = {
    "2": "server",
    "3": "client",
    "4": "producer",
    "5": "consumer",
    "SPAN_KIND_SERVER": "server",
    "SPAN_KIND_CLIENT": "client",
    "SPAN_KIND_PRODUCER": "producer",
    "SPAN_KIND_CONSUMER": "consumer",
}


def read(block: Block, wanted: Wanted = ALL_COLUMNS) -> Iterator[ReadRows]:
    """Yield the spans of a block."""
    return read_spans(block, partial(parse, wanted=wanted))


def parse(data: bytes, first_line: int | None, *, wanted: Wanted) -> ParsedSpans:
    """Return the spans of export requests: read many at once with Arrow, or exactly if that is not possible."""
    found = otlp_arrow.parse_requests(data, first_line, with_attributes=wanted.all_columns)
    if found is not None:
        return found, []
    pieces = [] if first_line is None else list(_cut(data, first_line))
    if len(pieces) <= 1:
        return parse_exactly(data, first_line, read_text=read_request, reason=NOT_OTLP, wanted=wanted)
    parts = [parse(piece, line, wanted=wanted) for piece, line in pieces]
    return pa.concat_tables([spans for spans, _ in parts]), [row for _, rows in parts for row in rows]


def _cut(data: bytes, first_line: int) -> Iterator[tuple[bytes, int]]:
    """Yield complete lines in small pieces, each with the number of its first line. A long line is its own piece."""
    start, line = 0, first_line
    while start < len(data):
        end = data.rfind(b"\n", start, start + PARSED_PIECE_BYTES) + 1 or data.find(b"\n", start) + 1 or len(data)
        yield data[start:end], line
        line += data.count(b"\n", start, end)
        start = end


def read_request(text: Any) -> list[TracedSpan | RefusedSpan]:
    """Return the spans of an export request. Raise `Malformed` if it is not one."""
    resources = object_at(text).get("resourceSpans")
    if resources is None:
        raise Malformed
    return [span for resource in objects_in(resources) for span in _read_resource(resource)]


def _read_resource(resource: dict[str, Any]) -> list[TracedSpan | RefusedSpan]:
    """Return the spans of a resource, which are in `scopeSpans` or, as older versions call it, in another field."""
    attributes = _read_attributes(object_at(resource.get("resource")).get("attributes"))
    of_resource = {name: attribute_text(value) for name, value in attributes.items()}
    found = {
        name: [
            _read_span(span, of_resource)
            for scope in objects_in(resource.get(name))
            for span in objects_in(scope.get("spans"))
        ]
        for name in ("scopeSpans", "instrumentationLibrarySpans")
    }
    return found["scopeSpans" if resource.get("scopeSpans") is not None else "instrumentationLibrarySpans"]


def _read_span(span: dict[str, Any], of_resource: messaging.Attributes) -> TracedSpan | RefusedSpan:
    values = _read_attributes(span.get("attributes"))
    attributes = {name: attribute_text(value) for name, value in values.items()}
    links = [_link_keys(link) for link in objects_in(span.get("links"))]
    trace, span_id = _lower(span.get("traceId")), _lower(span.get("spanId"))
    start = text_of(span.get("startTimeUnixNano"))
    if trace is None or not TRACE_ID.fullmatch(trace):
        return RefusedSpan(f"traceId is not 32 hexadecimal digits: {show(trace)}", show_row(span))
    if span_id is None or not SPAN_ID.fullmatch(span_id):
        return RefusedSpan(f"spanId is not 16 hexadecimal digits: {show(span_id)}", show_row(span))
    order = integer_of(start)
    if order is None or order <= 0:
        return RefusedSpan(f"startTimeUnixNano is not a time: {show(start)}", show_row(span))
    named, parent = messaging.keys_in(attributes), _lower(span.get("parentSpanId"))
    service = of_resource.get("service.name")
    instance = of_resource.get("service.instance.id")
    own = {"trace": trace, "span": span_id, "name": text_of(span.get("name")), "service": service}
    return TracedSpan(
        span=span_id,
        role=messaging.role_of(attributes, ROLE_BY_SPAN_KIND.get(text_of(span.get("kind")) or "")),
        process=service if instance is None else instance,
        start=order / 1e9,
        start_order=order,
        keys=[*named, f"{trace}/{span_id}"],
        arrivals=messaging.list_arrivals(links, named, f"{trace}/{parent}" if parent else None),
        own_name=named[0] if named else links[0][0] if links and links[0] else None,
        dests=_stated_destinations(values.get(messaging.DESTINATIONS)),
        group=messaging.find(attributes, "destination"),
        payload_bytes=integer_of(messaging.find(attributes, "bytes")),
        attributes=join_attributes(attributes, own),
    )


def _link_keys(link: dict[str, Any]) -> list[str]:
    """Return the keys of the message that a link may stand for: the span that it points to, and those in attributes."""
    trace, span_id = _lower(link.get("traceId")), _lower(link.get("spanId"))
    values = _read_attributes(link.get("attributes"))
    keys = messaging.keys_in({name: attribute_text(value) for name, value in values.items()})
    return keys if trace is None or span_id is None else [f"{trace}/{span_id}", *keys]


def _read_attributes(given: Any) -> dict[str, dict[str, Any]]:
    """Return the values of attributes by name. If a name comes twice, the first one counts."""
    found: dict[str, dict[str, Any]] = {}
    for one in objects_in(given):
        name, value = text_of(one.get("key")), object_at(one.get("value"))
        if name is not None:
            found.setdefault(name, value)
    return found


def attribute_text(value: dict[str, Any]) -> str | None:
    """Return the text of an attribute's value. A list or a map becomes JSON, without the names of types."""
    for kind in SCALARS:
        found = value.get(kind)
        if found is not None:
            return text_of(_as_double(found) if kind == "doubleValue" else found)
    plain = _plain(value)
    return None if plain is None else json.dumps(plain)


def _plain(value: Any) -> Any:
    """Return a value without the names of types. A value that does not have the form of OTLP is returned unchanged."""
    if not isinstance(value, dict):
        return value
    for kind in SCALARS:
        if value.get(kind) is not None:
            return value[kind]
    for kind in ("arrayValue", "kvlistValue"):
        inner = value.get(kind)
        if inner is not None:
            items = inner.get("values") if isinstance(inner, dict) else inner
            if not isinstance(items, list):
                return [] if items is None else items
            if kind == "arrayValue":
                return [_plain(item) for item in items]
            return {str(item.get("key")): _plain(item.get("value")) for item in items if isinstance(item, dict)}
    return None


def _as_double(value: Any) -> Any:
    """Return an integer as the double that it stands for."""
    try:
        return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
    except OverflowError:
        return value


def _stated_destinations(value: dict[str, Any] | None) -> list[str] | None:
    """Return the names in a list, or None if the value is not a list of names."""
    array = None if value is None else value.get("arrayValue")
    if not isinstance(array, dict):
        return None
    items = array.get("values")
    if not items:
        return []  # an empty list may be left out
    names = [item.get("stringValue") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return [str(text_of(name)) for name in names if name is not None] or None


def _lower(value: Any) -> str | None:
    text = text_of(value)
    return None if text is None else text.lower()
