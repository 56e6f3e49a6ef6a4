"""Spans as OTLP writes them, and what is read from files of spans."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from antecede.pipeline.read.blocks import Block
from antecede.pipeline.read.formats.spans import resolve_spans
from antecede.pipeline.read.rows import ReadRows

TRACE = "5B8EFFF798038103D269B633813FC60C"


def attributes(given: dict[str, object]) -> list[dict[str, object]]:
    def value(one: object) -> dict[str, object]:
        if isinstance(one, list):
            return {"arrayValue": {"values": [value(item) for item in one]}}
        return {"intValue": str(one)} if isinstance(one, int) else {"stringValue": one}

    return [{"key": name, "value": value(one)} for name, one in given.items()]


def span(
    number: int, kind: object = 1, links: Sequence[object] = (), parent: int | None = None, **given: object
) -> Any:
    return {
        "traceId": TRACE,
        "spanId": f"{number:016X}",
        **({"parentSpanId": f"{parent:016x}"} if parent else {}),
        "name": f"span {number}",
        "kind": kind,
        "startTimeUnixNano": str(1_700_000_000_000_000_000 + number),
        "attributes": attributes({name.replace("_", "."): one for name, one in given.items()}),
        "links": list(links),
    }


def link(number: int, **given: object) -> Any:
    names = {name.replace("_", "."): one for name, one in given.items()}
    return {"traceId": TRACE.lower(), "spanId": f"{number:016x}", "attributes": attributes(names)}


def request(service: str, *spans: object, scope: str = "scopeSpans") -> Any:
    resource = {"attributes": attributes({"service.name": service})}
    return {"resourceSpans": [{"resource": resource, scope: [{"scope": {}, "spans": list(spans)}]}]}


def whole(path: str) -> Block:
    return Block(path=path, name=path, version=None)


def read_all(read: Callable[[Block], Iterator[ReadRows]], *paths: str) -> ReadRows:
    """Return all spans and refused rows of files."""
    found = [rows for path in paths for rows in read(whole(path))]
    return ReadRows(
        pa.concat_tables([rows.events for rows in found]), pa.concat_tables([rows.refused for rows in found])
    )


def events_of(rows: ReadRows) -> list[dict[str, Any]]:
    """Return the events of spans in the order of their processes."""
    events, _ = resolve_spans(rows.events)
    return sorted(events.to_pylist(), key=lambda row: (row["process"] or "", row["index"]))


def sequences(rows: ReadRows) -> dict[str, list[tuple[str, str | None]]]:
    """Return for each process the kinds and messages of its events. Ids of spans are cut to the number."""
    found: dict[str, list[tuple[str, str | None]]] = {}
    for row in events_of(rows):
        message = row["message"] and row["message"].split("/000000000000000")[-1]
        found.setdefault(row["process"], []).append((row["kind"], message))
    return found


def reasons(rows: ReadRows) -> dict[int, str]:
    """Return the reason of the refused row in each line."""
    return {row["line"]: row["reason"] for row in rows.refused.to_pylist()}


MEANT = ("messaging.operation.type", "messaging.operation", "messaging.message.id", "messaging.message_id")
PLACED = ("messaging.destination.name", "messaging.kafka.partition", "messaging.kafka.offset", "messaging.source.name")
OTHERS = ("messaging.message.body.size", "k", "ключ", "trace", "name", "service", "antecede.dests", "")
TEXTS = ("publish", "SEND", "process", "receive", "settle", "m1", "m2", "m3", "", "0", 'q"uo\\te', "ünï", "\U0001f600")
ODD_VALUES: tuple[Any, ...] = (
    {},
    None,
    {"stringValue": None, "intValue": "4"},
    {"stringValue": 5},
    {"intValue": 5},
    {"intValue": "x"},
    {"kvlistValue": {"values": [{"key": "a", "value": {"stringValue": "b"}}]}},
    {"arrayValue": {"values": [{"intValue": "1"}, None, {"arrayValue": {}}]}},
    {"arrayValue": "text"},
    {"doubleValue": float("nan")},
    {"doubleValue": 10**400},
    {"boolValue": "true"},
    {"stringValue": "s", "boolValue": True},
    {"boolValue": True, "arrayValue": {"values": [{"stringValue": "b"}]}},
)


def random_attributes(rng: random.Random, odd: float) -> Any:
    found: list[Any] = []
    for name in rng.sample(MEANT + PLACED + OTHERS, rng.randint(0, 6)):
        choices: list[Any] = [{"stringValue": rng.choice(TEXTS)}] * 3 + [{"intValue": str(rng.randint(0, 9))}]
        if name in OTHERS[1:]:
            names = [{"stringValue": rng.choice(TEXTS)} for _ in range(rng.randint(0, 3))]
            choices += [{"boolValue": rng.random() < 0.5}, {"doubleValue": rng.choice([1.5, 2, -0.0, 1e300])}]
            choices += [{"bytesValue": "AA=="}, {"arrayValue": {"values": names}}, {"arrayValue": {}}, {}]
        if name == "messaging.message.body.size":
            choices = [{"intValue": str(rng.randint(0, 9))}]
        if name == "antecede.dests":
            choices = choices[-3:-1]
        found.append({"key": name, "value": rng.choice(choices)})
        if rng.random() < odd:
            found[-1]["value"] = rng.choice(ODD_VALUES)
        if rng.random() < odd:
            found.append(
                rng.choice([None, {}, found[-1], {"key": None}, {"key": 5, "value": {}}, "text", {"value": []}])
            )
    return found if rng.random() >= odd else rng.choice([None, {}, "text", []])


def random_span(rng: random.Random, odd: float) -> Any:
    def number() -> str:
        return f"{rng.randint(1, 12):016x}"

    start = str(rng.randint(1, 20))
    one: dict[str, Any] = {
        "traceId": rng.choice([TRACE, TRACE.lower()]),
        "spanId": number().upper(),
        "kind": rng.randint(0, 6),
    }
    one |= {"startTimeUnixNano": start, "name": rng.choice(TEXTS), "attributes": random_attributes(rng, odd)}
    if rng.random() < 0.5:
        one["parentSpanId"] = rng.choice([number(), ""])
    if rng.random() < 0.5:
        count = rng.choice([0, 1, 1, 2, 3])
        one["links"] = [
            {"traceId": TRACE, "spanId": number(), "attributes": random_attributes(rng, odd)} for _ in range(count)
        ]
    if rng.random() < odd:
        change: tuple[str, Any] = rng.choice(
            [
                ("traceId", rng.choice(["xyz", None, 5, [], TRACE + "0", TRACE[:-1] + "ü"])),
                ("spanId", rng.choice(["", None, {}])),
                ("kind", rng.choice(["SPAN_KIND_PRODUCER", "5", None, 4.0, {"a": []}, 10**30])),
                ("startTimeUnixNano", rng.choice([0, -1, "0x5", "+5", " 5 ", "", None, 5, 2**63, "1.5", True])),
                ("name", rng.choice([None, 5, "\ud800", float("inf")])),
                ("links", rng.choice([[None], [{}], {}, "text", [{"traceId": TRACE, "spanId": "İ"}]])),
                ("parentSpanId", rng.choice(["İ", 5, None])),
            ]
        )
        one[change[0]] = change[1]
    return one if rng.random() >= odd / 4 else rng.choice([None, 5, {}, []])


def random_request(rng: random.Random, odd: float) -> Any:
    """Return an export request. `odd` is the share of its parts that are not as they should be."""

    def scopes() -> Any:
        found: list[Any] = [{"spans": [random_span(rng, odd) for _ in range(rng.randint(0, 3))]} for _ in range(2)]
        return found if rng.random() >= odd else rng.choice([[*found, None], [{}], None, "text", [{"spans": 5}]])

    resources: list[Any] = []
    for _ in range(rng.randint(0, 2)):
        named: dict[str, object] = {"service.name": rng.choice(["a", "b", ""])}
        named |= {"service.instance.id": rng.choice(["i", "", 4])} if rng.random() < 0.3 else {}
        resources.append({"resource": {"attributes": attributes(named)}, "scopeSpans": scopes()})
        if rng.random() < odd:
            resources[-1] |= {"instrumentationLibrarySpans": scopes(), "scopeSpans": rng.choice([None, scopes()])}
        if rng.random() < odd:
            resources[-1]["resource"] = rng.choice([None, {}, {"attributes": None}, 5, {"attributes": {}}])
    return (
        {"resourceSpans": resources} if rng.random() >= odd else {"resourceSpans": rng.choice([None, [None], "text"])}
    )
