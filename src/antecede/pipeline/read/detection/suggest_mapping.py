"""Propose a mapping for a log in a format of its own, from the names and the values of its fields.

The proposal is a start, and not to be trusted: a person has to read and correct it. Each column of the trace has names
that are usual for it, the best first. If names do not decide, values do: the kind is a field whose values speak of
sending and of receiving, and the message id is a field whose values come both at a send and at an arrival.

A wrong proposal can hide a violation, so a field is not proposed if the values of the first rows speak against it:

* the message id, if sends and arrivals do not share its values, or if its values are those of the destinations
* the process, if most messages arrive where they were sent: the field may name the sender in every row
* the name of a logger as the process, unless it is among the destinations, or both sends and gets: a service may have
  one logger for what it sends and another for what it gets
* the destinations, if a message arrived at a process that is not among them: the field may name a topic
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.read.content import read_head
from antecede.pipeline.read.detection.head_sample import HEAD_BYTES, Sample, take_sample
from antecede.pipeline.read.files import STANDARD_INPUT, list_files, name_for_people
from antecede.pipeline.read.formats.mapped import to_integer, to_names, to_text, to_time

NAMES = {
    "run": ("run", "runid", "execution", "executionid"),
    "process": (
        *("process", "service", "servicename", "svc", "svcname", "node", "nodename", "nodeid", "host", "hostname"),
        *("instance", "pod", "podname", "component", "app", "application", "actor", "worker", "server", "peer"),
        *("replica", "member", "source", "name", "appname", "applicationname", "instanceid", "container"),
        *("containername", "clientid", "logger", "loggername"),
    ),
    "index": ("index", "seq", "seqno", "sequence", "sequencenumber", "lamport", "counter", "position"),
    "time": (
        *("time", "timestamp", "ts", "at", "datetime", "date", "when", "createdat", "eventtime", "t", "timestampms"),
        *("tsms", "timems", "timemillis", "epochms", "epochmillis", "occurredat", "loggedat", "asctime", "logtime"),
    ),
    "kind": ("kind", "event", "eventtype", "type", "op", "operation", "action", "tag", "what", "message", "msg"),
    "message": (
        *("messageid", "msgid", "message", "mid", "msg", "messagekey", "correlationid", "eventid", "requestid"),
        *("uuid", "key", "id", "token"),
    ),
    "dests": (
        *("dests", "destinations", "dest", "dst", "destination", "to", "targets", "target", "recipients", "recipient"),
        *("receivers", "receiver", "toservice", "tonode", "tohost", "targetservice", "targetnode"),
    ),
}
LOGGERS = ("logger", "loggername")
"""Names that may stand for a part of a process."""
NO_MESSAGE = (
    *("from", "sender", "src", "origin", "producer", "publisher", "fromservice", "fromnode", "topic", "queue"),
    *("subject", "channel", "exchange", "partition", "offset", "size", "bytes", "length", "duration", "latency"),
    *("level", "thread", "status", "attempt", "retries", "version", "line"),
)
"""Names of fields that do not identify a message, also if some of their values come at a send and at an arrival."""
KIND_WORDS = {
    "deliver": (
        *("deliver", "delivered", "delivering", "delivery", "consume", "consumed", "consuming", "handle", "handled"),
        *("handling", "apply", "applied"),
    ),
    "receive": ("receive", "received", "receiving", "recv", "got", "arrive", "arrived", "dequeue", "dequeued", "rx"),
    "send": (
        *("send", "sends", "sent", "sending", "publish", "published", "publishing", "produce", "produced", "emit"),
        *("emitted", "enqueue", "enqueued", "dispatch", "dispatched", "broadcast", "multicast", "tx"),
    ),
}
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
KIND_VALUES_MAX = 50
ATTRIBUTES_MAX = 8
MOST = 0.9
Arrivals = Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
"""The row of a send and the row of an arrival of the same message."""


def suggest_mapping(head: bytes) -> dict[str, Any]:
    """Return a proposed mapping for JSON Lines or CSV that begin with `head`. It has the columns that were found."""
    sample = take_sample(head)
    free = sample.fields
    found: dict[str, Any] = {}

    def take(column: str, field: str | None) -> None:
        if field is not None:
            found[column] = field
            free.remove(field)

    kind = _find_kind(sample)
    kinds: list[str | None] = [None] * len(sample.rows)
    if kind is not None:
        take("kind", kind["field"])
        found["kind"] = kind
        kinds = [kind_of_word(to_text(row.get(kind["field"])) or "") for row in sample.rows]
    take("time", _find_time(sample, free))
    dests = _find_dests(sample, kinds, free)
    take("message", _find_message(sample, kinds, free, dests))
    arrivals = _pair(sample, kinds, found.get("message"))
    take("process", _find_process(sample, kinds, arrivals, [name for name in free if name != dests], dests))
    take("dests", dests if dests in free and _names_arrivals(arrivals, found.get("process"), dests) else None)
    if "message" in found and "process" in found and kind is not None:
        found["kind"] = _order_steps(sample, kind, found["message"], found["process"])
    take("index", _find_index(sample, found.get("process"), free))
    take("run", _best("run", free))
    others = [name for name in free if not _has_lists(sample, name)][:ATTRIBUTES_MAX]
    return {name: found[name] for name in NAMES if name in found} | ({"attributes": others} if others else {})


def describe_suggestion(path: str) -> tuple[dict[str, Any], str]:
    """Return a mapping for the first file at a path, and words that say what the file is and how to use the mapping.

    Raise `UnreadableInput` if no mapping can help, because the file is neither JSON Lines nor CSV.
    """
    file = next(file for file in list_files([path]) if file.bytes)
    head = read_head(file.path, HEAD_BYTES)
    sample = take_sample(head)
    if not sample.has_fields:
        raise UnreadableInput(
            f"{file.name}: a mapping is for JSON Lines and for CSV with a header, and this is {sample.advise()}"
        )
    mapping = suggest_mapping(head)
    words = [f"{file.name}: {sample.describe()}."]
    missing = [name for name in ("process", "kind", "message") if name not in mapping]
    if missing:
        words.append(f"Nothing was found for {', '.join(missing)}: add the fields by hand.")
    if "dests" not in mapping:
        words.append("No field surely names where messages go, so that is inferred, and lost messages are not seen.")
    given = "-" if name_for_people(path) == STANDARD_INPUT else shlex.quote(path)
    words.append(
        "This is a guess. Save it as mapping.json, correct it, and use it: "
        f"antecede check {given} --mapping mapping.json{' --format csv' if sample.is_csv else ''}"
    )
    return mapping, "\n".join(words)


def kind_of_word(value: str) -> str | None:
    """Return which kind of event a text speaks of, or None."""
    words = {word.lower() for word in WORDS.findall(value)}
    return next((kind for kind, those in KIND_WORDS.items() if not words.isdisjoint(those)), None)


def _find_kind(sample: Sample) -> dict[str, Any] | None:
    """Return the field that tells sends from arrivals, with its values for each kind.

    If there is no such field, return the field with a usual name for the kind, or None.
    """
    scored = []
    for field in sample.fields:
        values = list(dict.fromkeys(filter(None, map(to_text, _values(sample, field)))))
        if not values or len(values) > KIND_VALUES_MAX or max(map(len, values)) > 100:
            continue
        kinds: dict[str, list[str]] = {}
        for value in values:
            kinds.setdefault(kind_of_word(value) or "internal", []).append(value)
        tells = ("send" in kinds) + bool(kinds.keys() & {"deliver", "receive"})
        rank = _rank("kind", field)
        if tells or rank is not None:
            scored.append((-tells, 99 if rank is None else rank, len(values), field, kinds))
    if not scored:
        return None
    _, _, _, field, kinds = min(scored, key=lambda one: one[:4])
    kinds.pop("internal", None)
    arrival = "receive" if "receive" in kinds and "deliver" not in kinds else "deliver"
    return {"field": field, "send": kinds.get("send", []), arrival: [], **kinds}


def _order_steps(sample: Sample, kind: dict[str, Any], message: str, process: str) -> dict[str, Any]:
    """Return `kind` with the last step of an arrival as the deliver, and the steps before it as receives.

    Otherwise, if a log says when a message came and when it was handled, every message would be delivered twice.
    """
    arrival = "deliver" if kind.get("deliver") else "receive"
    steps: dict[tuple[str | None, str | None], list[str]] = {}
    for row in sample.rows:
        value = to_text(row.get(kind["field"]))
        if value in kind.get(arrival, ()):
            steps.setdefault((to_text(row.get(message)), to_text(row.get(process))), []).append(str(value))
    score: Counter[str] = Counter()  # how much more often a value is the last step than a step before
    for values in steps.values():
        before = set(values) - {values[-1]}
        score.update({values[-1]: 1} if before else {})
        score.subtract(before)
    delivers = [value for value in kind.get(arrival, ()) if score[value] >= 0]
    if len(delivers) == len(kind.get(arrival, ())):
        return kind
    receives = [value for name in ("receive", "deliver") for value in kind.get(name, ()) if value not in delivers]
    return {"field": kind["field"], "send": kind["send"], "receive": receives, "deliver": delivers}


def _find_process(
    sample: Sample, kinds: Sequence[str | None], arrivals: Arrivals, free: Sequence[str], dests: str | None
) -> str | None:
    """Return the field with a usual name, or the first whose values are few texts. Most rows must have it.

    A field whose values are also destinations comes before the others. `arrivals` has the row of the send and the row
    of each arrival of the same message.
    """
    present = [name for name in free if _most(row.get(name) is not None for row in sample.rows)]
    named = [name for name in present if not _has_lists(sample, name) and _tells_apart(arrivals, name)]
    texts = [name for name in named if _most(isinstance(value, str) for value in _values(sample, name))]
    few = [name for name in texts if 2 <= len(set(_values(sample, name))) <= len(sample.rows) / 3]
    addressed = _names_in(sample, dests)
    reached = [name for name in texts if addressed & set(_values(sample, name))]
    sure = [name for name in named if _last(name) not in LOGGERS or name in reached or _does_both(sample, kinds, name)]
    for names in (reached, [name for name in few if name in sure], sure):
        best = _best("process", names)
        if best is not None:
            return best
    unnamed = [name for name in few if _rank("process", name) is None and _last(name) not in NO_MESSAGE]
    return next(iter([*(name for name in reached if name in unnamed), *unnamed]), None)


def _tells_apart(arrivals: Arrivals, field: str) -> bool:
    """Return whether half of the messages or more arrive where the field has another value than at the send."""
    apart = [sent.get(field) != arrived.get(field) for sent, arrived in arrivals]
    return 2 * sum(apart) >= len(apart)


def _does_both(sample: Sample, kinds: Sequence[str | None], field: str) -> bool:
    """Return whether a value of the field stands at a send and at an arrival."""
    where: dict[bool, set[str | None]] = {True: set(), False: set()}
    for kind, row in zip(kinds, sample.rows, strict=True):
        if kind is not None and row.get(field) is not None:
            where[kind == "send"].add(to_text(row.get(field)))
    return bool(where[True] & where[False])


def _pair(sample: Sample, kinds: Sequence[str | None], message: str | None) -> Arrivals:
    """Return the row of the send beside the row of each arrival of the same message."""
    rows = [] if message is None else list(zip(kinds, sample.rows, strict=True))
    sent = {to_text(row.get(str(message))): row for kind, row in rows if kind == "send"}
    pairs = [(sent.get(to_text(row.get(str(message)))), row) for kind, row in rows if kind in ("deliver", "receive")]
    return [(send, row) for send, row in pairs if send is not None]


def _names_arrivals(arrivals: Arrivals, process: str | None, dests: str | None) -> bool:
    """Return whether every process where a message arrived is one of its destinations, if the send has any."""
    if process is None or dests is None:
        return True
    return all(to_text(row.get(process)) in names for sent, row in arrivals if (names := _to_names(sent.get(dests))))


def _find_message(sample: Sample, kinds: Sequence[str | None], free: Sequence[str], dests: str | None) -> str | None:
    """Return the field whose values name one send each and come again at an arrival.

    A field without a usual name must have the values of most arrivals at sends. If the rows do not have both a send and
    an arrival, return the field with a usual name.
    """
    addressed = _names_in(sample, dests)
    scored = []
    has_both = "send" in kinds and bool({"deliver", "receive"} & set(kinds))
    for field in free:
        pairs = [(kind, to_text(row.get(field))) for kind, row in zip(kinds, sample.rows, strict=True)]
        sent = Counter(value for kind, value in pairs if kind == "send" and value)
        arrived = [value for kind, value in pairs if kind in ("deliver", "receive") and value]
        shared = len(sent.keys() & set(arrived))
        rank = _rank("message", field)
        if not shared or len(sent) < MOST * sum(sent.values()) or addressed & sent.keys() or _is_other(field, rank):
            continue
        if rank is not None or _most(value in sent for value in arrived):
            scored.append((rank is None, -shared, rank or 0, field))
    if scored:
        return min(scored)[-1]
    return None if has_both else _best("message", free)


def _is_other(field: str, rank: int | None) -> bool:
    """Return whether the name of a field says that it does not identify a message."""
    others = [column for column in NAMES if column not in ("message", "kind", "index")]
    return rank is None and (_last(field) in NO_MESSAGE or any(_rank(column, field) is not None for column in others))


def _find_time(sample: Sample, free: Sequence[str]) -> str | None:
    """Return the field with a usual name whose values are times, or any field of dates as text."""
    times = [name for name in free if _most(to_time(value) is not None for value in _values(sample, name))]
    dates = [name for name in times if _most("-" in str(value)[1:] for value in _values(sample, name))]
    return _best("time", times) or (dates[0] if dates else None)


def _find_dests(sample: Sample, kinds: Sequence[str | None], free: Sequence[str]) -> str | None:
    """Return the field with a usual name that most sends have."""
    sends = [row for kind, row in zip(kinds, sample.rows, strict=True) if kind == "send"] or sample.rows
    return _best("dests", [name for name in free if _most(row.get(name) is not None for row in sends)])


def _find_index(sample: Sample, process: str | None, free: Sequence[str]) -> str | None:
    """Return the field with a usual name that grows from event to event of each process."""
    field = _best("index", free)
    if field is None or process is None:
        return None
    last: dict[str | None, int] = {}
    for row in sample.rows:
        index, host = to_integer(row.get(field)), to_text(row.get(process))
        if index is None or index <= last.get(host, -1):
            return None
        last[host] = index
    return field


def _best(column: str, fields: Iterable[str]) -> str | None:
    """Return the field with the most usual name for a column, or None."""
    ranked = [(rank, name.count("."), name) for name in fields if (rank := _rank(column, name)) is not None]
    return min(ranked)[-1] if ranked else None


def _rank(column: str, field: str) -> int | None:
    """Return how usual the end of a field's name is for a column, 0 for the most usual, or None."""
    parts = [re.sub(r"[\W_]", "", part) for part in field.lower().split(".")]
    ends = ["".join(parts[-count:]) for count in (1, 2)]
    return min((NAMES[column].index(end) for end in ends if end in NAMES[column]), default=None)


def _last(field: str) -> str:
    """Return the last part of a field's name, in the form of the names in `NAMES`."""
    return re.sub(r"[\W_]", "", field.lower().split(".")[-1])


def _names_in(sample: Sample, dests: str | None) -> set[str | None]:
    """Return the names that a field of destinations has."""
    return {name for value in _values(sample, dests) for name in _to_names(value)} if dests is not None else set()


def _to_names(value: Any) -> list[str | None]:
    """Return destinations as a list, by the rules of a mapping."""
    names = to_names(value)
    return list(names) if isinstance(names, list) else []


def _values(sample: Sample, field: str) -> list[Any]:
    return [row[field] for row in sample.rows if row.get(field) is not None]


def _has_lists(sample: Sample, field: str) -> bool:
    return any(isinstance(value, list | Mapping) for value in _values(sample, field))


def _most(flags: Iterable[bool]) -> bool:
    found = list(flags)
    return bool(found) and sum(found) >= MOST * len(found)
