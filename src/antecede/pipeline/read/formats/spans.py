"""Make events of the spans of distributed tracing: find which span sent the message that another received.

OTLP, Zipkin and Jaeger differ in spelling, and their readers return spans in the form of `SPANS`. A span that sends
lists the keys by which its message may be known: a message id, a place in a Kafka partition, its own id. A span at
which messages arrive lists, for each message, the keys by which the message may be known, the best first. The first of
these keys that a send answers to gives the message. If several sends answer to a key, the earliest of them is meant. A
client call is a send if an arrival found it, and otherwise an internal event. An arrival that finds no send keeps the
best name it has, and is an internal event if it has none. A span is one event, except that a span that receives a batch
is one event for each message.

Spans have no order of their own. The order of their start times, and then of their ids, stands for the order within a
process.

Spans may lie in several parts. The spans of each part become rows, one for each event. These then meet as follows:

    part with spans   list_rows        -> rows with the same key come together; the spans go where their process is
    key               answer_keys      -> answers to the same row come together, where the process of the row is
    process           choose_answers   -> what a client call has to know goes where its process is
    process           name_rows, make_events

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
    is_true,
    is_valid,
    kind_codes,
    list_lengths,
    take_or_null,
    text_ranks,
)
from antecede.pipeline.dealing import part_by_text
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
ROW_ID = (
    column("row", LONG, "a number of the row, in the order of the input"),
    column("home", INT, "the part to which the process of the row belongs"),
)
SPAN_ROWS = pa.schema(
    [
        *ROW_ID,
        *(field for field in SPANS if field.name not in ("role", "process", "keys", "arrivals", "own_name")),
        column("role", pa.int8(), "place of the role in `ROLES`"),
        column("process", NAME, "where the span was recorded"),
        column("nth", INT, "which arrival of the span, from 0; -1 if it has none"),
        column("name", TEXT, "the message id; of an arrival and a client call, that which it has if nothing is found"),
    ]
)
KEYS = pa.schema(
    [
        column("key", TEXT, "a key of a message"),
        *ROW_ID,
        column("is_send", FLAG, "whether the row sends the message"),
        column("rank", INT, "of an arrival: place of the key among those of the arrival"),
        column("start_order", LONG, "of a send: its start"),
        column("name", TEXT, "of a send: its message id"),
        column("is_client", FLAG, "of a send: whether it is a client call"),
    ]
)
ANSWERS = pa.schema(
    [
        *ROW_ID,
        column("rank", INT, "place of the key that was answered among those of the arrival"),
        column("name", TEXT, "the message id of the send that answered"),
        column("call_row", LONG, "the row of this send, if it is a client call"),
        column("call_home", INT, "the part to which the process of this send belongs"),
    ]
)
ROW_NAMES = pa.schema(
    [
        *ROW_ID,
        column("is_call", FLAG, "whether the row is a client call that was answered"),
        column("name", TEXT, "of an arrival: the message id"),
    ]
)
ROLES = ("send", "client", "receive", "deliver", "server", "internal")
SEND_ROLE, CLIENT_ROLE, RECEIVE_ROLE, DELIVER_ROLE, SERVER_ROLE, _ = range(len(ROLES))
EVENT_KINDS = ("internal", "send", "receive", "deliver")
Roles = npt.NDArray[np.int8]
ORDER_NOTE = "within a process, events are ordered by the start times of spans, also if spans overlap"
UNNAMED_NOTE = "consumer spans that name no message: {unnamed:,}; they count as internal events"


def resolve_spans(spans: pa.Table) -> tuple[pa.Table, int]:
    """Return the events of all spans of the input, and how many arrivals at consumers have no name.

    Destinations that a source does not state are null.
    """
    rows, keys = list_rows(spans)
    named = name_rows(rows, choose_answers(answer_keys(keys)))
    return make_events(named), count_unnamed(named)


def list_rows(spans: pa.Table, *, first_row: int = 0, parts: int = 1) -> tuple[pa.Table, pa.Table]:
    """Return the rows of spans as `SPAN_ROWS`, one for each arrival of a batch, and their keys as `KEYS`.

    The rows are numbered from `first_row` on. Each process belongs to one of `parts` parts. Keys of the same text are
    to come together.
    """
    role = kind_codes(spans["role"], ROLES)
    arrivals = _flatten(spans["arrivals"])
    of_span = np.where(_arrives(role), arrivals.lengths, 0)
    row_count = np.maximum(of_span, 1)
    first = np.cumsum(row_count) - row_count
    span = np.repeat(np.arange(len(role)), row_count)
    nth = np.where(of_span[span] > 0, np.arange(len(span)) - first[span], -1)
    home = part_by_text(pc.fill_null(spans["process"], ""), parts)
    name = pc.coalesce(
        take_or_null(_first_values(spans["keys"]), np.where((role <= CLIENT_ROLE)[span], span, -1)),
        _own_names(spans, arrivals, role, span, nth),
    )
    kept = spans.select([field.name for field in SPAN_ROWS if field.name in SPANS.names and field.name != "role"])
    if len(span) != len(role):
        kept = kept.take(pa.array(span))
    rows = fill_table(
        SPAN_ROWS,
        len(span),
        **{field: kept[field] for field in kept.column_names if field != "process"},
        row=first_row + np.arange(len(span)),
        home=home[span],
        role=role[span],
        process=kept["process"].dictionary_encode(),
        nth=nth,
        name=name,
    )
    return rows, _list_keys(spans, role, arrivals, first_row + first, home)


def answer_keys(keys: pa.Table) -> pa.Table:
    """Return an answer for each arrival whose key is that of a send, as `ANSWERS`. `keys` has all rows of each key."""
    key, _ = codes(keys["key"])
    is_send = is_true(keys["is_send"])
    earliest = _find_earliest(keys, key, np.flatnonzero(is_send))
    arrivals = np.flatnonzero(~is_send)
    arrivals = arrivals[earliest[key[arrivals]] >= 0]
    asked = keys.select(["row", "home", "rank"]).take(pa.array(arrivals))
    send = keys.select(["row", "home", "name", "is_client"]).take(pa.array(earliest[key[arrivals]]))
    return fill_table(
        ANSWERS,
        len(arrivals),
        **{name: asked[name] for name in asked.column_names},
        name=send["name"],
        call_row=pc.if_else(send["is_client"], send["row"], None),
        call_home=pc.if_else(send["is_client"], send["home"], None),
    )


def choose_answers(answers: pa.Table) -> pa.Table:
    """Return the name of each arrival, and which client calls were answered, as `ROW_NAMES`.

    All answers to an arrival must be in the table. A client call may come several times.
    """
    row = answers["row"].to_numpy()
    order = np.lexsort((answers["rank"].to_numpy(), row))
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = row[order[1:]] != row[order[:-1]]
    chosen = answers.take(pa.array(order[is_first]))
    calls = chosen.filter(chosen["call_row"].is_valid()).group_by(["call_row", "call_home"]).aggregate([])
    called = {"row": calls["call_row"], "home": calls["call_home"]}
    return pa.concat_tables(
        [
            fill_table(
                ROW_NAMES,
                len(chosen),
                **{name: chosen[name] for name in ("row", "home", "name")},
                is_call=np.zeros(len(chosen), np.bool_),
            ),
            fill_table(ROW_NAMES, len(calls), **called, is_call=np.ones(len(calls), np.bool_)),
        ]
    )


def name_rows(rows: pa.Table, names: pa.Table) -> pa.Table:
    """Return the rows with their messages. The name of an internal event is null.

    `names` has the names for these rows, and for no others.
    """
    role, number = rows["role"].to_numpy(), rows["row"].to_numpy()
    order = np.argsort(number, kind="stable")
    place = order[np.searchsorted(number, names["row"].to_numpy(), sorter=order)]
    is_call = is_true(names["is_call"])
    keeps_own = role != CLIENT_ROLE
    keeps_own[place[is_call]] = True
    found = np.full(len(role), -1)
    found[place[~is_call]] = np.flatnonzero(~is_call)
    own = take_or_null(rows["name"], np.where(keeps_own, np.arange(len(role)), -1))
    name = pc.coalesce(take_or_null(names["name"], found), own)
    return rows.set_column(rows.column_names.index("name"), "name", name)


def make_events(named: pa.Table) -> pa.Table:
    """Return the events of rows that have their messages, with all columns of a trace, file and line.

    All rows of a process must be in the table.
    """
    role = named["role"].to_numpy()
    process, _ = codes(pc.fill_null(named["process"].cast(TEXT), ""))  # `doubtful_rows` refuses null and empty names
    kind = pa.DictionaryArray.from_arrays(pa.array(_kinds(named, role, process), INT), pa.array(EVENT_KINDS))
    given = ("process", "dests", "group", "payload_bytes", "attributes", "file", "line")
    types = pa.schema([*schema.TRACE, SPANS.field("file"), SPANS.field("line")])
    for name in ("kind", "process"):
        types = types.set(types.get_field_index(name), pa.field(name, NAME))
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
    role = named["role"].to_numpy()
    return int(np.count_nonzero(_arrives(role) & (role != SERVER_ROLE) & named["name"].is_null().to_numpy()))


def _list_keys(spans: pa.Table, role: Roles, arrivals: _Flat, first_row: Longs, home: Longs) -> pa.Table:
    """Return the keys of spans. `first_row` is the first row of each span, and `home` is its part."""
    sends = _flatten(spans["keys"])
    sent = np.flatnonzero((role[sends.parent] <= CLIENT_ROLE) & is_valid(sends.values))
    sender = sends.parent[sent]
    wanted = _flatten(arrivals.values)
    arrived = np.flatnonzero(_arrives(role)[arrivals.parent[wanted.parent]] & is_valid(wanted.values))
    arrival = wanted.parent[arrived]
    receiver = arrivals.parent[arrival]
    return pa.concat_tables(
        [
            fill_table(
                KEYS,
                len(sent),
                key=sends.values.take(pa.array(sent)),
                row=first_row[sender],
                home=home[sender],
                is_send=np.ones(len(sent), np.bool_),
                start_order=spans["start_order"].take(pa.array(sender)),
                name=sends.values.take(pa.array(sends.first[sender])),
                is_client=role[sender] == CLIENT_ROLE,
            ),
            fill_table(
                KEYS,
                len(arrived),
                key=wanted.values.take(pa.array(arrived)),
                row=first_row[receiver] + arrivals.place[arrival],
                home=home[receiver],
                is_send=np.zeros(len(arrived), np.bool_),
                rank=wanted.place[arrived],
            ),
        ]
    )


@dataclass(frozen=True, slots=True)
class _Flat:
    """The values of a column of lists, one list after the other."""

    values: pa.ChunkedArray
    parent: Longs  # by value: the row of its list
    place: Longs  # by value: its place in the list
    lengths: Longs  # by row: the length of its list
    first: Longs  # by row: where its list begins among the values


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
    return (role >= RECEIVE_ROLE) & (role <= SERVER_ROLE)


def _find_earliest(keys: pa.Table, key: Longs, sends: Longs) -> Longs:
    """Return for each key the row of its earliest send, or -1.

    Among sends that start together, the first by name counts, and then the first in the input.
    """
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
        order = np.lexsort((own["row"].to_numpy(), text_ranks(own["name"])))
        last_to_first = tied[order][::-1]
        earliest[key[last_to_first]] = last_to_first  # the last that is set stays
    return earliest


def _own_names(spans: pa.Table, arrivals: _Flat, role: Roles, span: Longs, nth: Longs) -> pa.ChunkedArray:
    """Return a name for each arrival that finds no send. The name is null for servers, and for all other rows."""
    is_named = _arrives(role) & (role != SERVER_ROLE)
    in_batch = (arrivals.lengths > 1)[span]
    single = take_or_null(spans["own_name"], np.where(is_named[span] & ~in_batch, span, -1))
    if not in_batch.any():
        return single
    place = np.where(is_named[span] & in_batch, arrivals.first[span] + nth, -1)
    return pc.coalesce(single, take_or_null(_first_values(arrivals.values), place))


def _kinds(named: pa.Table, role: Roles, process: Longs) -> Longs:
    """Return the place of each event's kind in `EVENT_KINDS`.

    If a process only says that it received a message, it is taken to have delivered it then.
    """
    kind = np.where(role <= CLIENT_ROLE, EVENT_KINDS.index("send"), EVENT_KINDS.index("deliver"))
    kind[named["name"].is_null().to_numpy()] = EVENT_KINDS.index("internal")
    rows = np.flatnonzero((kind == EVENT_KINDS.index("deliver")) & ((role == RECEIVE_ROLE) | (role == DELIVER_ROLE)))
    is_receive = role[rows] == RECEIVE_ROLE
    if is_receive.any():
        name, names = codes(named["name"].take(pa.array(rows)))
        pair = process[rows] * len(names) + name
        kind[rows[is_receive & np.isin(pair, pair[~is_receive])]] = EVENT_KINDS.index("receive")
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
        own = named.select(["span", "nth", "file", "line", "row"]).take(pa.array(order[tied]))
        by = (own["row"].to_numpy(), own["line"].to_numpy(), text_ranks(own["file"]), own["nth"].to_numpy())
        order[tied] = order[tied][np.lexsort((*by, text_ranks(own["span"]), group[tied]))]
    counts = np.bincount(process)
    index = np.empty(len(order), np.int64)
    index[order] = np.arange(len(order)) - (np.cumsum(counts) - counts)[process[order]]
    return index
