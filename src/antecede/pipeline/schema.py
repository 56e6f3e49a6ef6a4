"""Declare every table of the pipeline once: its columns, their types, and the meaning of each.

The schemas are Arrow's. Everything else that has to know the columns of a table is derived from them: the types on
Spark, the names of counts, the reference pages. The comment of a column is its documentation.
"""

from __future__ import annotations

import pyarrow as pa

TEXT, LONG, DOUBLE, INT, FLAG = pa.string(), pa.int64(), pa.float64(), pa.int32(), pa.bool_()
TEXTS = pa.list_(TEXT)
TEXT_BY_TEXT = pa.map_(TEXT, TEXT)


def column(name: str, kind: pa.DataType, comment: str) -> pa.Field:
    """Return a column that may be null, with its documentation."""
    return pa.field(name, kind, metadata={"comment": comment})


def comment(field: pa.Field) -> str:
    """Return the documentation of a column."""
    return (field.metadata or {}).get(b"comment", b"").decode()


TRACE = pa.schema(
    [
        column("run", TEXT, "the execution; empty if the source does not tell executions apart"),
        column("process", TEXT, "where the event happened"),
        column("index", LONG, "position in that process's own order, strictly increasing per (run, process)"),
        column("kind", TEXT, "send, receive, deliver, internal; mobile: move, connect, disconnect"),
        column("time", DOUBLE, "seconds, on whatever clock the source has; never trusted for order between processes"),
        column("message", TEXT, "message id, unique in the run; null for events without a message"),
        column("dests", TEXTS, "on send: the destinations"),
        column("group", TEXT, "on send: the group, if there is one"),
        column("payload_bytes", LONG, "on send: size of what the application sent"),
        column("control_bytes", LONG, "on send: size of the stamp"),
        column("control_entries", LONG, "on send: size of the stamp in the unit of its algorithm"),
        column("attributes", TEXT_BY_TEXT, "anything else the source had"),
    ]
)

POSITION = pa.schema(
    [
        column("file", TEXT, "the input file, as Spark names it"),
        column("line", LONG, "position in the file, from 1: a line of text, or a row of a Parquet file"),
    ]
)

EVENTS = pa.schema([*TRACE, *POSITION])

QUARANTINE = pa.schema(
    [
        *POSITION,
        column("reason", TEXT, "why the row is not an event"),
        column("row", TEXT, "the row as text, cut to 1,000 characters"),
    ]
)

RUN = column("run", TEXT, "the execution")

CLOCK_EVENTS = pa.schema(
    [
        RUN,
        column("process", TEXT, "the host where the event happened"),
        column("index", LONG, "the host's own entry in its clock"),
        column("kind", TEXT, "send, receive or internal"),
        column(
            "clock", pa.map_(TEXT, LONG), "the vector clock that the host logged; an entry of 0 means the same as none"
        ),
    ]
)
"""The events of a log with vector clocks, for `kernel.clock_receives`."""

LATE_RECEIVES = pa.schema(
    [
        RUN,
        column("process", TEXT, "the host that received the message"),
        column("index", LONG, "position of the receive in that host's own order"),
        column("sender", TEXT, "a host that may have sent the message; the only one if `senders` is 1"),
        column("known_index", LONG, "the event of that sender that the host knew of already"),
        column("known_by", LONG, "position of the earlier receive from which the host knew it"),
        column("senders", INT, "how many hosts may have sent the message"),
    ]
)
"""Receives that raise no entry of a clock, each with a witness."""

LOCATED_LATE_RECEIVES = pa.schema(
    [
        *LATE_RECEIVES,
        *(column("file", TEXT, "where the receive is logged"), column("line", LONG, "its line there")),
        column("known_file", TEXT, "where the earlier receive is logged"),
        column("known_line", LONG, "its line there"),
    ]
)
"""Late receives with the places of the two receives in the input."""

MESSAGES = pa.schema(
    [
        RUN,
        column("message", TEXT, "message id, unique in the run"),
        column("sender", TEXT, "the process that sent it"),
        column("index", LONG, "position of the send in the sender's own order"),
        column("time", DOUBLE, "seconds, by the sender's clock"),
        column("dests", INT, "how many processes it was sent to"),
        column("delivered", INT, "how many of them delivered it"),
        column("lost", INT, "how many of them did not"),
    ]
)

FOUND = (
    RUN,
    column("process", TEXT, "where the message was delivered"),
    column("index", LONG, "position of the deliver in that process's own order"),
    column("time", DOUBLE, "seconds, by that process's clock"),
    column("message", TEXT, "message id"),
    column("sender", TEXT, "the process that sent it; null if no send is in the trace"),
    column("sent_index", LONG, "position of the send in the sender's own order"),
    column("sent_time", DOUBLE, "seconds, by the sender's clock"),
    column("first", FLAG, "the first deliver of the message at this process; only such count for order"),
    column("addressed", FLAG, "the process is among the destinations of the message"),
    column("spurious", FLAG, "the message was never sent, or not sent to this process"),
    column("duplicate", FLAG, "the process had delivered the message before"),
    column("violation", FLAG, "a message that happened before this one, sent here too, is delivered here later"),
    column("overtaken", LONG, "how many such messages there are"),
    column("witness", TEXT, "one of them"),
)

DELIVERIES = pa.schema(
    [
        *FOUND,
        column("delay_s", DOUBLE, "from send to first deliver, by the two clocks; negative if they are skewed"),
        column("hold_s", DOUBLE, "from receive to first deliver, at one process; null if no receive is recorded"),
        column(
            "needless",
            FLAG,
            "held back although every cause sent here had been delivered; null if it was not held back, or if the run"
            " is too large to tell",
        ),
    ]
)

VIOLATIONS = pa.schema(
    [
        *(field for field in FOUND if field.name not in ("first", "addressed", "spurious", "duplicate", "violation")),
        column("rank", INT, "place among the violations that are explained, the worst first; null for the others"),
        column("words", TEXT, "why it is a violation: the chain from the overtaken message to this one"),
        column("late_s", DOUBLE, "how much later than this one the overtaken message of the chain was delivered"),
    ]
)

HELD = (
    column("held", LONG, "delivers that were held back after their receive"),
    column("hold_s_mean", DOUBLE, "mean hold-back of those with a receive"),
    column("needless", LONG, "needless hold-backs, as far as they are known"),
)

LINKS = pa.schema(
    [
        RUN,
        column("sender", TEXT, "from this process"),
        column("process", TEXT, "to this process"),
        column("sent", LONG, "messages sent along the link"),
        column("deliveries", LONG, "delivers of messages of this sender, spurious and duplicate ones included"),
        column("lost", LONG, "messages sent along the link and not delivered"),
        column("violations", LONG, "violating delivers"),
        column("overtaken", LONG, "messages overtaken by them"),
        column("early", LONG, "delivers before their send, by the source's clocks"),
        column("delay_s_mean", DOUBLE, "mean delivery delay"),
        column("delay_s_max", DOUBLE, "longest delivery delay"),
        *HELD,
        column("control_bytes", LONG, "stamps of the messages sent along the link, in bytes"),
        column("control_entries", LONG, "the same in the unit of the algorithm"),
        column("inferred", LONG, "in a log without message ids: edges that its vector clocks show"),
    ]
)

PROCESSES = pa.schema(
    [
        RUN,
        column("process", TEXT, "a process with events, or one that is only a destination"),
        column("events", LONG, "its events, of all kinds"),
        column("sends", LONG, "messages it sent"),
        column("receives", LONG, "receive events"),
        column("deliveries", LONG, "messages it delivered, spurious and duplicate ones included"),
        column("violations", LONG, "violating delivers at it"),
        column("overtaken", LONG, "messages overtaken at it"),
        column("lost", LONG, "messages sent to it that it did not deliver"),
        column("duplicates", LONG, "delivers of a message it had delivered before"),
        column("spurious", LONG, "first delivers of messages never sent, or not sent to it"),
        column("delay_s_mean", DOUBLE, "mean delay of what it delivered"),
        *HELD,
        column("stamped", LONG, "messages it sent with a stamp whose size is known"),
        column("control_bytes", LONG, "those stamps, in bytes"),
        column("control_entries", LONG, "those stamps, in the unit of the algorithm"),
    ]
)

RUNS = pa.schema(
    [
        RUN,
        column("verdict", TEXT, "on causal order: holds, violated or undecidable"),
        column("reason", TEXT, "why it is undecidable"),
        column("basis", TEXT, "what the verdict rests on: messages, or clocks, by which late receives are counted"),
        column(
            "causal_witness",
            TEXT,
            "if causal order is violated: the first violation by process and index, in words; of the messages overtaken"
            " there it names the first by sender and index",
        ),
        column("fifo", TEXT, "whether messages of one sender come to a process in the order of their sends"),
        column("fifo_witness", TEXT, "if that is violated: where, in words"),
        column("agreed", TEXT, "whether any two processes deliver their common messages in the same order"),
        column("agreed_witness", TEXT, "if that is violated: where, in words"),
        column("synchronous", TEXT, "whether messages could be instantaneous; not computed if the run is too large"),
        column("synchronous_witness", TEXT, "if that is violated: messages that could not, in words"),
        column("events", LONG, "events of all kinds"),
        column("processes", LONG, "processes with events"),
        column("messages", LONG, "messages sent"),
        column("deliveries", LONG, "delivers, spurious and duplicate ones included"),
        column("violations", LONG, "violating delivers"),
        column("overtaken", LONG, "messages overtaken, counted once for each deliver that overtook them"),
        column("lost", LONG, "pairs of a message and a destination that did not deliver it"),
        column("duplicates", LONG, "delivers of a message at a process that had delivered it before"),
        column("spurious", LONG, "first delivers of messages never sent, or not sent there"),
        column("early", LONG, "delivers before their send, by the source's clocks"),
        column("windows", INT, "windows between consistent cuts that the run was verified in"),
        column("one_task", TEXT, "why a large run was not cut into windows"),
    ]
)

SUMMARY = pa.schema(
    [
        *RUNS,
        column("delay_s_mean", DOUBLE, "mean delivery delay"),
        column("delay_s_max", DOUBLE, "longest delivery delay"),
        *HELD,
        column("control_bytes", LONG, "stamps, in bytes, once for each message"),
        column("control_entries", LONG, "the same in the unit of the algorithm"),
    ]
)

TABLES = {
    "events": EVENTS,
    "quarantine": QUARANTINE,
    "messages": MESSAGES,
    "deliveries": DELIVERIES,
    "violations": VIOLATIONS,
    "links": LINKS,
    "processes": PROCESSES,
    "summary": SUMMARY,
}
"""The tables that `antecede check --out` writes, by name."""
