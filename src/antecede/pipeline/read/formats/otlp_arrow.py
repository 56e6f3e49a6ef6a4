"""Read many spans of OTLP/JSON at once with Arrow, if nothing about them is odd.

Arrow parses export requests with the types that OTLP gives them. `parse_requests` gives up if Arrow refuses them, or if
anything is in them that `antecede.pipeline.read.formats.otlp` might refuse or read in a special way: null in a list, an
id that is not hexadecimal, an attribute that comes twice, a message id that is a list. The caller then reads the
requests exactly. If `parse_requests` does not give up, it returns the same spans.

    resourceSpans -> resources -> scopes -> spans -> attributes     each level is one array, and the parent of each
                                                  -> links          element is a row of the level above
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from antecede.pipeline.arrow import Longs, fill_table, is_valid, list_lengths, take_or_null, text_bytes
from antecede.pipeline.read.formats import messaging
from antecede.pipeline.read.formats.json_texts import SPAN_COLUMNS, has_half_characters
from antecede.pipeline.read.formats.jsonl import CLOSING_BRACE, NULL_AFTER_OBJECT, OPENING_BRACE, find_rows
from antecede.pipeline.read.formats.otlp_attributes import (
    OddRequest,
    explode,
    field_of,
    find_lists,
    find_texts,
    join_attributes,
    read_attributes,
)
from antecede.pipeline.schema import DOUBLE, FLAG, LONG, TEXT

OWN_ATTRIBUTES = ("trace", "span", "name", "service")
SERVICE = {"instance": ("service.instance.id",), "service": ("service.name",)}
ROLE_BY_CODE = ("internal", "server", "client", "send", "receive", "deliver")
"""The second to the fifth are the roles of the kinds 2 to 5."""
SPAN_KINDS = ("", "SPAN_KIND_SERVER", "SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER")
IS_DIGIT, IS_HEXADECIMAL = (np.isin(np.arange(256), list(chars)) for chars in (b"0123456789", b"0123456789abcdef"))


def parse_requests(data: bytes, first_line: int | None, *, with_attributes: bool) -> pa.Table | None:
    """Return the spans of export requests, or None if they have to be read exactly.

    The arguments `data` and `first_line` are those of `json_texts.ParsePiece`. Unless `with_attributes`, the groups and
    the sizes of messages are left out too.
    """
    try:
        if first_line is None:
            requests = _parse(data, 1, with_attributes=with_attributes)
            return _read_requests(requests, None, with_attributes=with_attributes)
        starts, ends, lines = find_rows(data, first_line)
        _check_lines(data, starts, ends)
        requests = _parse(data, len(lines), with_attributes=with_attributes)
        return _read_requests(requests, lines, with_attributes=with_attributes)
    except (OddRequest, pa.ArrowInvalid, UnicodeDecodeError):
        return None


def _check_lines(data: bytes, starts: Longs, ends: Longs) -> None:
    """Raise `OddRequest` unless each line begins and ends with a brace, so that no text goes on in the next line."""
    letters = np.frombuffer(data, np.uint8)
    if np.any(letters[starts] != OPENING_BRACE):
        raise OddRequest
    for at in np.flatnonzero(letters[ends - 1] != CLOSING_BRACE).tolist():
        if not data[starts[at] : ends[at]].rstrip().endswith(b"}"):
            raise OddRequest


def _parse(data: bytes, count: int, *, with_attributes: bool) -> pa.ListArray:
    """Return the `resourceSpans` of requests, parsed by Arrow. Raise `OddRequest` if there are not `count` requests."""
    # Arrow ends the process if it meets `null` in place of a request, so it must not see any.
    if NULL_AFTER_OBJECT.search(data) or not data.lstrip().startswith(b"{") or b"\0" in data:
        raise OddRequest
    if has_half_characters(data):
        raise OddRequest
    if not data.isascii():
        data.decode()
    table = pyarrow.json.read_json(
        pa.BufferReader(data),
        read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=len(data) + 1),
        parse_options=pyarrow.json.ParseOptions(
            explicit_schema=_request_types(data, with_attributes=with_attributes),
            newlines_in_values=True,
            unexpected_field_behavior="ignore",
        ),
    )
    if table.num_rows != count:
        raise OddRequest
    return table["resourceSpans"].combine_chunks()


def _request_types(data: bytes, *, with_attributes: bool) -> pa.Schema:
    """Return the types of requests. Each field costs time, so attributes have only the fields that are needed."""
    listed = pa.struct([("values", pa.list_(pa.struct([("stringValue", TEXT)])))])
    texts = [("stringValue", TEXT), ("intValue", _integer_type(data, b"intValue"))]
    others = [("boolValue", FLAG), ("doubleValue", DOUBLE), ("bytesValue", TEXT), ("kvlistValue", listed)]
    of_span = _attribute_types([*texts, ("arrayValue", listed), *(others if with_attributes else [])])
    link = pa.struct([("traceId", TEXT), ("spanId", TEXT), ("attributes", _attribute_types(texts))])
    span = [
        *((name, TEXT) for name in ("traceId", "spanId", "parentSpanId", *(["name"] if with_attributes else []))),
        *((name, _integer_type(data, name.encode())) for name in ("kind", "startTimeUnixNano")),
        ("attributes", of_span),
        ("links", pa.list_(link)),
    ]
    scopes = pa.list_(pa.struct([("spans", pa.list_(pa.struct(span)))]))
    resource = pa.struct([("attributes", _attribute_types(texts))])
    fields = [("resource", resource), ("scopeSpans", scopes), ("instrumentationLibrarySpans", scopes)]
    return pa.schema([("resourceSpans", pa.list_(pa.struct(fields)))])


def _attribute_types(kinds: Sequence[tuple[str, pa.DataType]]) -> pa.ListType:
    return pa.list_(pa.struct([("key", TEXT), ("value", pa.struct(kinds))]))


def _integer_type(data: bytes, name: bytes) -> pa.DataType:
    """Return the type of the integers of this name: text or number, as the first one in `data` is."""
    first = re.search(rb'"%s"\s*:\s*(.)' % name, data)
    return TEXT if first and first[1] == b'"' else LONG


def _read_requests(requests: pa.ListArray, lines: Longs | None, *, with_attributes: bool) -> pa.Table:
    """Return the spans of requests, as `json_texts.SPAN_COLUMNS`.

    `lines` has the line of each request, and is None if the request is a whole file.
    """
    if requests.null_count:
        raise OddRequest
    resources, request = explode(requests)
    scopes, of_scope = explode(_choose_scopes(resources))
    spans, of_span = explode(scopes.field("spans"))
    resource = of_scope[of_span]
    service = find_texts(
        read_attributes(field_of(resources.field("resource"), "attributes")), SERVICE, empty_counts=True
    )
    attributes = read_attributes(spans.field("attributes"))
    found = find_texts(attributes, messaging.ATTRIBUTE_NAMES)
    trace, span_id = _hexadecimal(spans.field("traceId"), 32), _hexadecimal(spans.field("spanId"), 16)
    start = _starts(spans.field("startTimeUnixNano"))
    named, links = _message_keys(found), _Links.read(spans.field("links"))
    columns = {
        "line": np.arange(len(spans)) + 1 if lines is None else lines[request[resource]],
        "span": span_id,
        "role": pa.array(ROLE_BY_CODE).take(pa.array(_roles(spans.field("kind"), found["operation"]))),
        "process": pc.coalesce(service["instance"], service["service"]).take(pa.array(resource)),
        "start": start / 1e9,
        "start_order": start,
        "keys": _pack([*named, _join(trace, span_id)]),
        "arrivals": _arrivals(links, named, trace, spans.field("parentSpanId")),
        "own_name": pc.coalesce(*named, take_or_null(links.keys[0], links.first)),
        "dests": find_lists(attributes, messaging.DESTINATIONS),
    }
    if with_attributes:
        names = spans.field("name"), service["service"].take(pa.array(resource))
        columns["group"] = found["destination"]
        columns["payload_bytes"] = _integers(found["bytes"])
        columns["attributes"] = join_attributes(
            attributes, dict(zip(OWN_ATTRIBUTES, (trace, span_id, *names), strict=True))
        )
    return fill_table(SPAN_COLUMNS, len(spans), **columns)


def _choose_scopes(resources: pa.StructArray) -> pa.ListArray:
    """Return the scopes of each resource. They have another name in older versions of OTLP."""
    scopes, older = resources.field("scopeSpans"), resources.field("instrumentationLibrarySpans")
    if older.null_count == len(older):
        return scopes
    if scopes.null_count < len(scopes):
        raise OddRequest
    return older


def _message_keys(found: Mapping[str, pa.Array]) -> list[pa.Array]:
    return [found["message"], _join(found["destination"], found["partition"], found["offset"])]


def _join(*texts: pa.Array) -> pa.Array:
    """Return the texts of each row with a slash between them, or null if one is null."""
    return pc.binary_join_element_wise(*texts, "/")


@dataclass(frozen=True, slots=True)
class _Links:
    """The links of spans.

    `keys` are columns of keys, the best first, with a row for each link. `counts` says how many links each span has.
    `first` is the first link of each span, or -1.
    """

    keys: list[pa.Array]
    counts: Longs
    first: Longs

    @classmethod
    def read(cls, lists: pa.ListArray) -> _Links:
        links, _ = explode(lists)
        counts = list_lengths(lists)
        pointed = _join(_lower(links.field("traceId")), _lower(links.field("spanId")))
        if pointed.null_count:
            raise OddRequest
        named = _message_keys(find_texts(read_attributes(links.field("attributes")), messaging.ATTRIBUTE_NAMES))
        return cls([pointed, *named], counts, np.where(counts > 0, np.cumsum(counts) - counts, -1))


def _arrivals(links: _Links, named: Sequence[pa.Array], trace: pa.Array, parent: pa.Array) -> pa.ListArray:
    """Return the keys of each message that arrived with each span, as `messaging.list_arrivals` does."""
    arrivals = np.maximum(links.counts, 1)
    ends = np.cumsum(arrivals)
    span = np.repeat(np.arange(len(arrivals)), arrivals)
    nth = np.arange(len(span)) - (ends - arrivals)[span]
    link = np.where(links.counts[span] > 0, links.first[span] + nth, -1)
    alone = np.where(links.counts[span] > 1, -1, span)
    has_parent = pc.greater(pc.fill_null(pc.binary_length(parent), 0), 0)
    parent_key = pc.if_else(has_parent, _join(trace, _lower(parent)), None)
    keys = [
        *(take_or_null(key, link) for key in links.keys),
        *(take_or_null(key, alone) for key in [*named, parent_key]),
    ]
    return pa.ListArray.from_arrays(pa.array(np.append(0, ends), pa.int32()), _pack(keys))


def _pack(columns: Iterable[pa.Array]) -> pa.ListArray:
    """Return for each row the list of its values that are not null."""
    columns = list(columns)
    valid = np.stack([is_valid(column) for column in columns], axis=1)
    place = np.arange(valid.size).reshape(valid.shape[::-1]).T[valid]
    offsets = np.append(0, np.cumsum(valid.sum(axis=1)))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.concat_arrays(columns).take(pa.array(place)))


def _roles(kind: pa.Array, operation: pa.Array) -> Longs:
    """Return the place of each role in `ROLE_BY_CODE`, as `messaging.role_of` gives it."""
    if kind.type == TEXT:
        number = pc.index_in(kind, pa.array(SPAN_KINDS))
        digit = pc.subtract(pc.index_in(kind, pa.array(list("012345"))), 1)
        number = pc.fill_null(pc.coalesce(number, digit), 0).to_numpy(zero_copy_only=False)
    else:
        number = pc.fill_null(kind, 0).to_numpy(zero_copy_only=False) - 1
    role = np.where((number >= 1) & (number <= 4), number, 0).astype(np.int64)
    known = pc.index_in(pc.ascii_lower(operation), pa.array(list(messaging.ROLE_BY_OPERATION)))
    rows = np.flatnonzero(is_valid(known))
    by_operation = np.array([ROLE_BY_CODE.index(name) for name in messaging.ROLE_BY_OPERATION.values()])
    role[rows] = by_operation[known.take(pa.array(rows)).to_numpy()]
    return role


def _hexadecimal(texts: pa.Array, size: int) -> pa.Array:
    """Return ids in small letters. Raise `OddRequest` if one does not have exactly `size` hexadecimal digits."""
    found = pc.ascii_lower(texts)
    if (
        found.null_count
        or np.any(pc.binary_length(found).to_numpy() != size)
        or not np.all(IS_HEXADECIMAL[text_bytes(found)])
    ):
        raise OddRequest
    return found


def _lower(texts: pa.Array) -> pa.Array:
    """Return texts in small letters. Raise `OddRequest` if one has other letters than ASCII."""
    if np.any(text_bytes(texts) > 127):
        raise OddRequest
    return pc.ascii_lower(texts)


def _integers(texts: pa.Array) -> pa.Array:
    """Return the integers that texts spell. Raise `OddRequest` if one is not made of digits."""
    if not np.all(IS_DIGIT[text_bytes(texts)]):
        raise OddRequest
    return texts.cast(LONG)


def _starts(times: pa.Array) -> Longs:
    """Return the start times in nanoseconds. Raise `OddRequest` if one is not greater than 0."""
    found = _integers(times) if times.type == TEXT else times
    if found.null_count or np.any(found.to_numpy() <= 0):
        raise OddRequest
    return found.to_numpy()
