"""Read Zipkin v2 JSON: a list of spans in each file, or a list or a span in each line.

A PRODUCER is a send, and a CONSUMER is an arrival of the message that its parent sent. A CLIENT is a send if a SERVER
answers to it. Such a SERVER shares the span id of the CLIENT (`shared`), or is its child. The name of a process is its
local service name. Timestamps are microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.formats.json_texts import (
    ALL_COLUMNS,
    Malformed,
    RefusedSpan,
    TracedSpan,
    integer_of,
    join_attributes,
    object_at,
    objects_in,
    parse_exactly,
    read_spans,
    show_row,
    text_of,
)
from antecede.pipeline.read.rows import ReadRows, Wanted

NOT_ZIPKIN = "not a list of Zipkin v2 spans"
HEXADECIMAL = re.compile("[0-9a-f]{16}([0-9a-f]{16})?")
ROLE_BY_ZIPKIN_KIND = {"PRODUCER": "send", "CONSUMER": "receive", "CLIENT": "client", "SERVER": "server"}
DESTINATION_TAGS = ("kafka.topic", "rabbit.queue", "rabbit.exchange", "jms.queue", "jms.topic")


def read(block: Block, wanted: Wanted = ALL_COLUMNS) -> Iterator[ReadRows]:
    """Yield the spans of a block."""
    return read_spans(block, partial(parse_exactly, read_text=read_list, reason=NOT_ZIPKIN, wanted=wanted))


def read_list(text: Any) -> list[TracedSpan | RefusedSpan]:
    """Return the spans of a list, or the only span if the text is an object. Raise `Malformed` if it is neither."""
    if text is None:
        raise Malformed
    return [_read_span(span) for span in objects_in([text] if isinstance(text, dict) else text)]


def _read_span(span: dict[str, Any]) -> TracedSpan | RefusedSpan:
    local, remote = object_at(span.get("localEndpoint")), object_at(span.get("remoteEndpoint"))
    tags = {name: text_of(value) for name, value in object_at(span.get("tags")).items()}
    trace, span_id, start = (
        text_of(span.get("traceId")),
        text_of(span.get("id")),
        integer_of(text_of(span.get("timestamp"))),
    )
    if trace is None or not HEXADECIMAL.fullmatch(trace := trace.lower()):
        return RefusedSpan("traceId is not hexadecimal", show_row(span))
    if span_id is None or not HEXADECIMAL.fullmatch(span_id := span_id.lower()):
        return RefusedSpan("id is not hexadecimal", show_row(span))
    if start is None or start <= 0:
        return RefusedSpan("timestamp is not a number of microseconds", show_row(span))
    role = ROLE_BY_ZIPKIN_KIND.get(text_of(span.get("kind")) or "", "internal")
    own, parent = f"{trace}/{span_id}", text_of(span.get("parentId"))
    is_shared = role == "server" and text_of(span.get("shared")) == "true"
    cause = own if is_shared else None if parent is None else f"{trace}/{parent.lower()}"
    name, remote_name = text_of(span.get("name")), text_of(remote.get("serviceName"))
    return TracedSpan(
        span=span_id,
        role=role,
        process=text_of(local.get("serviceName")),
        start=start / 1e6,
        start_order=start,
        keys=[own],
        arrivals=[[] if cause is None else [cause]],
        group=next((value for tag in DESTINATION_TAGS if (value := tags.get(tag)) is not None), None),
        attributes=join_attributes(tags, {"trace": trace, "span": span_id, "name": name, "remote": remote_name}),
    )
