"""Jaeger's own JSON: which spans are sends, which arrivals answer to them, and which rows are refused."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from antecede.pipeline.read.formats import jaeger
from tests.pipeline.read.formats.span_files import events_of, read_all, reasons, sequences

Write = Callable[[str, Sequence[object]], str]
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def tags(**given: object) -> list[dict[str, object]]:
    types = {str: "string", int: "int64", bool: "bool", float: "float64"}
    names = {name.replace("__", "."): value for name, value in given.items()}
    return [{"key": name, "type": types[type(value)], "value": value} for name, value in names.items()]


def refer(number: int, kind: str = "CHILD_OF", trace: str = TRACE) -> dict[str, object]:
    return {"refType": kind, "traceID": trace, "spanID": f"{number:x}"}


def span(
    number: int, kind: str | None = None, process: str = "p1", *, to: Sequence[object] = (), **given: object
) -> Any:
    kinds = {} if kind is None else {"span__kind": kind}
    return {
        "traceID": TRACE,
        "spanID": f"{number:016x}",
        "operationName": f"span {number}",
        "references": list(to),
        "startTime": 1_700_000_000_000_000 + number,
        "duration": 5,
        "tags": tags(**kinds, **given),
        "logs": [],
        "processID": process,
        "warnings": None,
    }


def document(*spans: object, **processes: object) -> Any:
    named = {name: {"serviceName": name[-1], "tags": []} for name in ("pa", "pb", "pc")} | processes
    return {"data": [{"traceID": TRACE, "spans": list(spans), "processes": named}], "total": 0, "errors": None}


def test_every_way_to_name_a_message(write_lines: Write) -> None:
    kafka: Any = {"messaging__destination__name": "t", "messaging__kafka__offset": 7}
    path = write_lines(
        "jaeger.json",
        [
            document(
                span(1, "producer", "pa"),
                span(2, "producer", "pa", messaging__message__id="m2"),
                span(3, "Producer", "pa", messaging__destination__partition__id="0", **kafka),
                span(4, "client", "pa"),  # a call that a server takes up
                span(5, "client", "pa"),  # and one that none does
                span(
                    6,
                    None,
                    "pa",
                    messaging__operation="send",
                    messaging__message__id="m6",
                    antecede__dests='["b", "z"]',
                ),
                span(0x11, "consumer", "pb", to=[refer(1)]),
                span(0x12, "consumer", "pb", messaging__operation__type="receive", messaging__message__id="m2"),
                span(0x13, "consumer", "pb", messaging__operation="process", messaging__message__id="m2"),
                span(0x14, "consumer", "pb", messaging__destination__partition__id=0, **kafka),
                span(0x15, "server", "pb", to=[refer(4)]),
                span(0x16, "server", "pb", to=[refer(0x99)]),
                span(0x17, "consumer", "pb"),
                span(0x18, "consumer", "pb", to=[refer(0x98), refer(1, "FOLLOWS_FROM")]),
                span(0x21, "consumer", "pc", to=[refer(0x98), refer(1, "FOLLOWS_FROM"), refer(2, "FOLLOWS_FROM")]),
                span(0x22, "consumer", "pc", to=[refer(1), refer(2)]),
            )
        ],
    )
    found = read_all(jaeger.read, path)
    assert reasons(found) == {}
    assert sequences(found) == {
        "a": [("send", "1"), ("send", "m2"), ("send", "t/0/7"), ("send", "4"), ("internal", None), ("send", "m6")],
        "b": [
            ("deliver", "1"),
            ("receive", "m2"),
            ("deliver", "m2"),
            ("deliver", "t/0/7"),
            ("deliver", "4"),
            ("internal", None),
            ("internal", None),
            ("deliver", "1"),
        ],
        "c": [("deliver", "1"), ("deliver", "m2"), ("deliver", "m2")],
    }
    dests = {row["message"]: row["dests"] for row in events_of(found) if row["kind"] == "send"}
    assert (dests["m2"], dests["m6"]) == (None, ["b", "z"])


def test_a_span_keeps_its_tags_and_its_process_may_be_an_instance(write_lines: Write) -> None:
    process = {"serviceName": "orders", "tags": tags(service__instance__id="orders-7", hostname="h")}
    given: dict[str, Any] = {
        "messaging__destination": "t",
        "messaging__message__body__size": 12,
        "error": True,
        "ratio": 0.5,
        "name": "not ours",
    }
    path = write_lines("jaeger.json", [document(span(1, "producer", "p7", **given), p7=process)])
    (row,) = events_of(read_all(jaeger.read, path))
    assert (row["process"], row["time"], row["group"], row["payload_bytes"]) == ("orders-7", 1700000000.000001, "t", 12)
    assert dict(row["attributes"]) == {
        "span.kind": "producer",
        "messaging.destination": "t",
        "messaging.message.body.size": "12",
        "error": "true",
        "ratio": "0.5",
        "trace": TRACE,
        "span": f"{1:016x}",
        "name": "span 1",
        "service": "orders",
    }


def test_zeros_in_front_of_ids_mean_nothing(write_lines: Write) -> None:
    short = {**span(1, "producer", "pa"), "traceID": "ABC", "spanID": "1"}
    arrival = span(2, "consumer", "pb", to=[refer(1, "FOLLOWS_FROM", "0000000000000abc")])
    found = sequences(read_all(jaeger.read, write_lines("jaeger.json", [document(short, arrival)])))
    assert found == {"a": [("send", "1")], "b": [("deliver", "1")]}


def test_hostile_documents_are_refused(write_lines: Write) -> None:
    path = write_lines(
        "jaeger.jsonl",
        [
            document(span(1, "producer", "pa")),
            '{"data": [',
            {"data": None, "errors": [{"code": 404}]},
            {"data": "text"},
            {"data": [5]},
            {"data": [{"spans": {}}]},
            {"data": [{"spans": [span(2)], "processes": []}]},
            {"data": [{"spans": [span(2)], "processes": {"p1": "text"}}]},
            document({**span(2), "tags": {}}),
            document({**span(2), "tags": ["text"]}),
            document({**span(2), "references": "text"}),
            document({**span(3), "traceID": "xyz"}),
            document({**span(3), "spanID": TRACE}),
            document({**span(3), "startTime": "soon"}),
            document(None),
            document(span(4, "producer", "no such process")),  # 16: refused by a later stage
            {"data": [{"spans": [span(5)]}]},  # 17: the same
            {"data": []},
            {"data": [None, {}, {"spans": None}]},
            "null",
            json.dumps(document()) + "}",
            document(
                {**span(6, "consumer", "pb"), "references": [None, {}, {"refType": "CHILD_OF", "traceID": TRACE}]}
            ),
            document(span(7, "producer", "pa", antecede__dests='["\\ud800"]')),
            document(span(8, "producer", "pa", antecede__dests="b")),
            document(span(9, "producer", "pa", antecede__dests="[5]")),
        ],
    )
    found = read_all(jaeger.read, path)
    assert reasons(found) == {
        **dict.fromkeys((*range(2, 12), 20, 21), "not a JSON document of Jaeger with data"),
        12: "traceID is not up to 32 hexadecimal digits: xyz",
        13: f"spanID is not up to 16 hexadecimal digits: {TRACE}",
        14: "startTime is not a number of microseconds: soon",
        15: "traceID is not up to 32 hexadecimal digits: missing",
    }
    assert found.events["line"].to_pylist() == [1, 16, 17, 22, 23, 24, 25]
    assert found.events["process"].to_pylist() == ["a", None, None, "b", "a", "a", "a"]
    assert found.events["dests"].to_pylist()[-3:] == [["?"], None, None]


def test_a_document_as_the_ui_downloads_it(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(document(span(1, "producer", "pa"), span(2, "consumer", "pb", to=[refer(1)])), indent=2))
    found = read_all(jaeger.read, str(path))
    assert found.events["line"].to_pylist() == [1, 2]
    assert sequences(found) == {"a": [("send", "1")], "b": [("deliver", "1")]}
