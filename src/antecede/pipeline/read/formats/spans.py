"""Make events of the spans of distributed tracing: find which span sent the message that another received.

OTLP, Zipkin and Jaeger differ in spelling, and their readers give spans in the form of `SPANS`. A span that sends lists
the keys by which its message may be known: a message id, a place in a Kafka partition, its own id. A span at which
messages arrive lists, for each message, the keys that it may be known by, the best first. The first of these that a
send answers to gives the message. If several sends answer to a key, the earliest of them is meant. A client call is a
send if an arrival found it, and an internal event otherwise. An arrival that finds no send keeps the best name it has,
and is an internal event if it has none. A span is one event, except that a span that receives a batch is one event for
each message.

Spans have no order of their own. The order of their start times, and then of their ids, stands for the order within a
process.

Spans may lie in several parts. What belongs together then meets by key, by span and by process:

    part with spans   list_keys        -> rows with the same key come together
    key               answer_keys      -> answers to the same span come together
    span              choose_answers   -> names go back to the part that has the span
    part with spans   name_spans       -> spans of the same process come together
    process           make_events

`resolve_spans` does all of this for spans that are in one table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from antecede.pipeline import schema
from antecede.pipeline.arrow import (
    NAME,
    Flags,
    Longs,
    codes,
    fill_table,
    is_valid,
    kind_codes,
    list_lengths,
    take_or_null,
)
from antecede.pipeline.read.rows import encode_names
from antecede.pipeline.schema import DOUBLE, FLAG, INT, LONG, TEXT, TEXT_BY_TEXT, TEXTS, column

SPANS = pa.schema(
    [
        column("file", NAME, "the input file"),
        column("line", LONG, "position in the file, from 1: a line of text, or a span of a document"),
        column("span", TEXT, "the id of the span"),
        column("role", TEXT, "send, client, receive, deliver, server or internal"),
        column("process", TEXT, "where the span was recorded"),
        column("start", DOUBLE, "start in seconds"),
        column("start_order", LONG, "start as an integer, for order without rounding"),
        column("keys", TEXTS, "what a send answers to; the first is its message id"),
        column("arrivals", pa.list_(TEXTS), "for each message that arrived, the keys it may be known by, best first"),
        column("own_name", TEXT, "what to call an arrival that no send answers to; in a batch it is its first key"),
        column("dests", TEXTS, "the destinations, if the source states them"),
        column("group", TEXT, "the topic or queue"),
        column("payload_bytes", LONG, "size of the message"),
        column("attributes", TEXT_BY_TEXT, "everything else"),
    ]
)
SPAN_ID = (
    column("span_part", INT, "the part that has the span"),
    column("span_number", LONG, "the row of the span in that part, from 0"),
    column("nth", INT, "which arrival of the span, from 0; -1 for the span as a send"),
)
KEYS = pa.schema(
    [
        column("key", TEXT, "a key of a message"),
        *SPAN_ID,
        column("rank", INT, "place of the key among those of the arrival or the send"),
        column("start_order", LONG, "of a send: its start"),
        column("name", TEXT, "of a send: its message id"),
        column("is_client", FLAG, "of a send: whether it is a client call"),
    ]
)
ANSWERS = pa.schema(
    [
        *SPAN_ID,
        column("rank", INT, "place of the key that was answered among those of the arrival"),
        column("name", TEXT, "the message id of the send that answered"),
        column("send_part", INT, "the part that has this send, if it is a client call"),
        column("send_number", LONG, "the row of the send in that part"),
    ]
)
NAMES = pa.schema(
    [*SPAN_ID, column("name", TEXT, "the message id; null in a row that says that a client call was answered")]
)
NAMED_SPANS = pa.schema(
    [
        *(field for field in SPANS if field.name not in ("keys", "arrivals", "own_name")),
        column("nth", INT, "which arrival of the span, from 0; -1 if it has none"),
        column("name", TEXT, "the message id; null for an internal event"),
    ]
)
ROLES = ("send", "client", "receive", "deliver", "server", "internal")
SEND, CLIENT, RECEIVE, DELIVER, SERVER, _ = range(len(ROLES))
KINDS = ("internal", "send", "receive", "deliver")
Roles = npt.NDArray[np.int8]
ORDER_NOTE = "within a process, events are ordered by the start times of spans, also if spans overlap"
UNNAMED_NOTE = "consumer spans that name no message: {unnamed:,}; they count as internal events"


@dataclass(frozen=True, slots=True)
class SpanRows:
    """Some spans of the input, as `SPANS`, and refused rows with the columns of `schema.QUARANTINE`."""

    spans: pa.Table
    refused: pa.Table


def resolve_spans(spans: pa.Table) -> tuple[pa.Table, tuple[str, ...]]:
    """Return the events of all spans of the input, and notes for people.

    Destinations that a source does not state are null.
    """
    named = name_spans(spans, choose_answers(answer_keys(list_keys(spans, 0))))
    return make_events(named), describe(count_unnamed(named))


def describe(unnamed: int) -> tuple[str, ...]:
    """Return notes on what was inferred. `unnamed` is the number of arrivals without a name."""
    return (ORDER_NOTE, *([UNNAMED_NOTE.format(unnamed=unnamed)] if unnamed else []))


def list_keys(spans: pa.Table, part: int) -> pa.Table:
    """Return the keys of the spans of a part, as `KEYS`. Rows with the same key are to come together."""
    role = kind_codes(spans["role"], ROLES)
    sends = _flatten(spans["keys"])
    sent = np.flatnonzero((role[sends.parent] <= CLIENT) & is_valid(sends.values))
    sender = sends.parent[sent]
    arrivals = _flatten(spans["arrivals"])
    wanted = _flatten(arrivals.values)
    arrived = np.flatnonzero(_arrives(role)[arrivals.parent[wanted.parent]] & is_valid(wanted.values))
    arrival = wanted.parent[arrived]
    return pa.concat_tables(
        [
            fill_table(
                KEYS,
                len(sent),
                key=sends.values.take(pa.array(sent)),
                span_part=np.full(len(sent), part),
                span_number=sender,
                nth=np.full(len(sent), -1),
                rank=sends.place[sent],
                start_order=spans["start_order"].take(pa.array(sender)),
                name=sends.values.take(pa.array(sends.first[sender])),
                is_client=role[sender] == CLIENT,
            ),
            fill_table(
                KEYS,
                len(arrived),
                key=wanted.values.take(pa.array(arrived)),
                span_part=np.full(len(arrived), part),
                span_number=arrivals.parent[arrival],
                nth=arrivals.place[arrival],
                rank=wanted.place[arrived],
            ),
        ]
    )


def answer_keys(keys: pa.Table) -> pa.Table:
    """Return an answer for each arrival whose key is that of a send, as `ANSWERS`. All rows of a key must be here."""
    key, _ = codes(keys["key"])
    is_send = keys["nth"].to_numpy() < 0
    earliest = _find_earliest(keys, key, np.flatnonzero(is_send))
    arrivals = np.flatnonzero(~is_send)
    arrivals = arrivals[earliest[key[arrivals]] >= 0]
    asked = keys.select(["span_part", "span_number", "nth", "rank"]).take(pa.array(arrivals))
    send = keys.select(["span_part", "span_number", "name", "is_client"]).take(pa.array(earliest[key[arrivals]]))
    is_call = send["is_client"]
    return fill_table(
        ANSWERS,
        len(arrivals),
        **{name: asked[name] for name in asked.column_names},
        name=send["name"],
        send_part=pc.if_else(is_call, send["span_part"], None),
        send_number=pc.if_else(is_call, send["span_number"], None),
    )


def choose_answers(answers: pa.Table) -> pa.Table:
    """Return the name of each arrival, and which client calls were answered, as `NAMES`.

    All answers to an arrival must be here. A client call that was answered is a row without a name, and may come
    several times.
    """
    part, number, nth, rank = (answers[name].to_numpy() for name in ("span_part", "span_number", "nth", "rank"))
    order = np.lexsort((rank, nth, number, part))
    own = [ids[order] for ids in (part, number, nth)]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = np.any([ids[1:] != ids[:-1] for ids in own], axis=0)
    chosen = answers.take(pa.array(order[is_first]))
    calls = chosen.filter(chosen["send_part"].is_valid()).group_by(["send_part", "send_number"]).aggregate([])
    return pa.concat_tables(
        [
            chosen.select(NAMES.names).cast(NAMES),
            fill_table(
                NAMES,
                len(calls),
                span_part=calls["send_part"],
                span_number=calls["send_number"],
                nth=np.full(len(calls), -1),
            ),
        ]
    )


def name_spans(spans: pa.Table, names: pa.Table) -> pa.Table:
    """Return the spans of a part with the message of each, as `NAMED_SPANS`: one row for each arrival of a batch.

    `names` has the names for all spans of the part, and for no others. Rows of the same process are to come together.
    """
    role = kind_codes(spans["role"], ROLES)
    arrivals = _flatten(spans["arrivals"])
    of_span = np.where(_arrives(role), arrivals.lengths, 0)
    row_count = np.maximum(of_span, 1)
    first_row = np.cumsum(row_count) - row_count
    span = np.repeat(np.arange(len(role)), row_count)
    nth = np.where(of_span[span] > 0, np.arange(len(span)) - first_row[span], -1)
    number, named_nth = names["span_number"].to_numpy(), names["nth"].to_numpy()
    is_call = named_nth < 0
    is_send = role == SEND
    is_send[number[is_call]] |= role[number[is_call]] == CLIENT
    found = np.full(len(span), -1)
    found[first_row[number[~is_call]] + named_nth[~is_call]] = np.flatnonzero(~is_call)
    name = pc.coalesce(
        take_or_null(names["name"], found),
        take_or_null(_first_values(spans["keys"]), np.where(is_send[span], span, -1)),
        _own_names(spans, arrivals, role, span, nth),
    )
    kept = spans.select([field.name for field in NAMED_SPANS if field.name in SPANS.names])
    if len(span) != len(role):
        kept = kept.take(pa.array(span))
    return pa.table([*kept.columns, pa.array(nth, INT), name], schema=NAMED_SPANS)


def make_events(named: pa.Table) -> pa.Table:
    """Return the events of `NAMED_SPANS`, with all columns of a trace, file and line. All spans of a process must be
    here."""
    role = kind_codes(named["role"], ROLES)
    process, _ = codes(pc.fill_null(named["process"], ""))  # both are refused later
    kind = pa.DictionaryArray.from_arrays(pa.array(_kinds(named, role, process), INT), pa.array(KINDS))
    given = ("process", "dests", "group", "payload_bytes", "attributes", "file", "line")
    types = pa.schema([*schema.TRACE, SPANS.field("file"), SPANS.field("line")])
    types = types.set(types.get_field_index("kind"), pa.field("kind", NAME))
    events = fill_table(
        types,
        len(role),
        **{name: named[name] for name in given},
        run=pa.repeat(pa.scalar(""), len(role)),
        kind=kind,
        index=_indexes(named, process),
        time=named["start"],
        message=named["name"],
    )
    return encode_names(events)


def count_unnamed(named: pa.Table) -> int:
    """Return the number of arrivals at consumers that have no name."""
    role = kind_codes(named["role"], ROLES)
    return int(np.count_nonzero(_arrives(role) & (role != SERVER) & named["name"].is_null().to_numpy()))


@dataclass(frozen=True, slots=True)
class _Flat:
    """The values of a column of lists, each with its row and its place in the list; and of each row, the length of its
    list and where the list begins among the values."""

    values: pa.ChunkedArray
    parent: Longs
    place: Longs
    lengths: Longs
    first: Longs


def _flatten(lists: pa.ChunkedArray) -> _Flat:
    lengths = list_lengths(lists)
    first = np.cumsum(lengths) - lengths
    parent = np.repeat(np.arange(len(lengths)), lengths)
    return _Flat(pc.list_flatten(lists), parent, np.arange(len(parent)) - first[parent], lengths, first)


def _first_values(lists: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the first value of each list, or null if the list is empty."""
    flat = _flatten(lists)
    return take_or_null(flat.values, np.where(flat.lengths > 0, flat.first, -1))


def _arrives(role: Roles) -> Flags:
    return (role >= RECEIVE) & (role <= SERVER)


def _find_earliest(keys: pa.Table, key: Longs, sends: Longs) -> Longs:
    """Return for each key the row of its earliest send, or -1. Sends that start together are told apart by name, and
    then by their place in the input."""
    starts = keys["start_order"].take(pa.array(sends)).to_numpy()
    of_key = key[sends]
    first_start = np.full(int(key.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first_start, of_key, starts)
    sends = sends[starts == first_start[of_key]]
    earliest = np.full(len(first_start), -1)
    earliest[key[sends]] = sends
    tied = sends[np.bincount(key[sends], minlength=len(earliest))[key[sends]] > 1]
    if len(tied):
        own = keys.take(pa.array(tied))
        order = np.lexsort((own["span_number"].to_numpy(), own["span_part"].to_numpy(), _text_ranks(own["name"])))
        last_to_first = tied[order][::-1]
        earliest[key[last_to_first]] = last_to_first  # the last that is set stays
    return earliest


def _own_names(spans: pa.Table, arrivals: _Flat, role: Roles, span: Longs, nth: Longs) -> pa.ChunkedArray:
    """Return what to call each arrival that finds no send. That of a server, and what is not an arrival, is null."""
    is_named = _arrives(role) & (role != SERVER)
    in_batch = (arrivals.lengths > 1)[span]
    single = take_or_null(spans["own_name"], np.where(is_named[span] & ~in_batch, span, -1))
    if not in_batch.any():
        return single
    place = np.where(is_named[span] & in_batch, arrivals.first[span] + nth, -1)
    return pc.coalesce(single, take_or_null(_first_values(arrivals.values), place))


def _kinds(named: pa.Table, role: Roles, process: Longs) -> Longs:
    """Return the place of each event's kind in `KINDS`. A process that only says that it received a message is taken
    to have delivered it then."""
    kind = np.where(role <= CLIENT, KINDS.index("send"), KINDS.index("deliver"))
    kind[named["name"].is_null().to_numpy()] = KINDS.index("internal")
    rows = np.flatnonzero((kind == KINDS.index("deliver")) & ((role == RECEIVE) | (role == DELIVER)))
    is_receive = role[rows] == RECEIVE
    if is_receive.any():
        name, names = codes(named["name"].take(pa.array(rows)))
        pair = process[rows] * len(names) + name
        kind[rows[is_receive & np.isin(pair, pair[~is_receive])]] = KINDS.index("receive")
    return kind


def _indexes(named: pa.Table, process: Longs) -> Longs:
    """Return the place of each event in the order of its process."""
    start = named["start_order"].to_numpy()
    order = np.lexsort((start, process))
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (process[order[1:]] != process[order[:-1]]) | (start[order[1:]] != start[order[:-1]])
    group = np.cumsum(is_new) - 1
    tied = np.flatnonzero((np.bincount(group) > 1)[group]) if len(order) else np.empty(0, np.int64)
    if len(tied):
        own = named.select(["span", "nth", "file", "line"]).take(pa.array(order[tied]))
        by = (own["line"].to_numpy(), _text_ranks(own["file"]), own["nth"].to_numpy(), _text_ranks(own["span"]))
        order[tied] = order[tied][np.lexsort((*by, group[tied]))]
    counts = np.bincount(process)
    index = np.empty(len(order), np.int64)
    index[order] = np.arange(len(order)) - (np.cumsum(counts) - counts)[process[order]]
    return index


def _text_ranks(texts: pa.ChunkedArray) -> Longs:
    """Return for each text its place in the order of the distinct texts."""
    code, names = codes(texts)
    rank = np.empty(len(names), np.int64)
    rank[pc.sort_indices(names).to_numpy()] = np.arange(len(names))
    return rank[code]
