"""OTLP and Zipkin: which spans are sends, and which arrivals answer to them."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from antecede.pipeline.read import ingest

Write = Callable[[str, Sequence[object]], str]
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


def told(found: ingest.Ingested) -> dict[str, list[tuple[str, str | None]]]:
    """process -> (kind, message) in the order of the process, with span keys cut to the number."""
    rows = found.events.orderBy("process", "index").collect()
    short = [(row.process, row.kind, row.message and row.message.split("/000000000000000")[-1]) for row in rows]
    return {name: [(kind, message) for other, kind, message in short if other == name] for name, _, _ in short}


def test_every_way_to_name_a_message_in_otlp(spark: SparkSession, write_lines: Write) -> None:
    kafka: Any = {"messaging_destination_name": "t", "messaging_kafka_offset": 7}
    path = write_lines(
        "spans.json",
        [
            request(
                "a",
                span(1, 4),
                span(2, "SPAN_KIND_PRODUCER", messaging_message_id="m2"),
                span(3, 4, messaging_operation_type="publish", messaging_destination_partition_id="0", **kafka),
                span(4, 4),
                span(5, 3),  # a call that a server takes up
                span(6, 3),  # and one that none does
                span(7, 1, messaging_operation="send", messaging_message_id="m7", antecede_dests=["b", "z"]),
            ),
            request(
                "b",
                span(0x11, 5, [link(1)]),
                span(0x12, 5, messaging_operation_type="receive", messaging_message_id="m2"),
                span(0x13, 5, messaging_operation="process", messaging_message_id="m2"),
                span(0x14, 5, messaging_destination_partition_id=0, **kafka),
                span(0x15, 5, parent=4),
                span(0x16, 2, parent=5),
                span(0x17, 2, parent=99),
                span(0x18, 5),
                span(0x19, 5, messaging_message_id="never sent"),
                scope="instrumentationLibrarySpans",
            ),
            request("c", span(0x21, 5, [link(1), link(98, messaging_message_id="m2"), link(97)])),
        ],
    )
    found = ingest.read(spark, [path])
    assert found.format == "otlp"
    assert found.quarantine.collect() == []
    assert told(found) == {
        "a": [
            ("send", "1"),
            ("send", "m2"),
            ("send", "t/0/7"),
            ("send", "4"),
            ("send", "5"),
            ("internal", None),
            ("send", "m7"),
        ],
        "b": [
            ("deliver", "1"),
            ("receive", "m2"),
            ("deliver", "m2"),
            ("deliver", "t/0/7"),
            ("deliver", "4"),
            ("deliver", "5"),
            ("internal", None),
            ("internal", None),
            ("deliver", "never sent"),
        ],
        "c": [
            ("deliver", "1"),
            ("deliver", "m2"),
            ("deliver", f"{TRACE.lower()}/{97:016x}".split("/000000000000000")[-1]),
        ],
    }
    dests = {row.message: row.dests for row in found.events.where("kind = 'send'").collect()}
    assert dests["m2"] == ["b", "c"]
    assert dests["m7"] == ["b", "z"]
    assert any("lost messages are not seen" in note for note in found.notes)


def test_hostile_spans_are_quarantined(spark: SparkSession, write_lines: Write, tmp_path: Path) -> None:
    good = span(1, 4, messaging_message_id="m")
    path = write_lines(
        "otlp/spans.jsonl",
        [
            request("a", good),
            '{"resourceSpans": [',
            {"resourceSpans": "text"},
            request("a", {**span(2), "traceId": "xyz"}),
            request("a", {**span(3), "startTimeUnixNano": -1}),
            request("a", span(4, 4, messaging_message_id="m")),  # 6: a duplicate id
            {"resourceSpans": [{"scopeSpans": [{"spans": [span(5)]}]}]},  # 7: no service
            request("x" * 70_000, span(6)),
            '{"resourceSpans": ' + "[" * 5000 + "]" * 5000 + "}",
            json.dumps(request("a", span(7))) + json.dumps(request("a", span(8))),
            b'{"resourceSpans": [\xff]}',
            {"resourceSpans": []},
            request("a", {**span(9), "attributes": attributes({"k": "1"}) * 2, "kind": {"odd": []}}),
        ],
    )
    found = ingest.read(spark, [path])
    reasons = {row.line: row.reason for row in found.quarantine.collect()}
    expected = {
        2: "not an OTLP/JSON export request",
        3: "not an OTLP/JSON export request",
        4: "traceId is not 32 hexadecimal digits: xyz",
        5: "startTimeUnixNano is not a time: -1",
        6: "duplicate message id",
        7: "process is missing or empty",
        8: "process has 70000 characters",
        9: "not an OTLP/JSON export request",
        10: "not an OTLP/JSON export request",
        11: "not an OTLP/JSON export request",
    }
    assert {n: reason[: len(expected.get(n, reason))] for n, reason in reasons.items()} == expected
    assert sorted(row.line for row in found.events.collect()) == [1, 13]


def test_hostile_zipkin_is_quarantined(spark: SparkSession, write_lines: Write) -> None:
    def zipkin(number: int, kind: str, service: str = "a", **more: object) -> dict[str, object]:
        known = {"traceId": "0" * 15 + "1", "id": f"{number:016x}", "kind": kind, "timestamp": number}
        return {**known, "localEndpoint": {"serviceName": service}, **more}

    path = write_lines(
        "spans.json",
        [
            [zipkin(1, "PRODUCER"), zipkin(2, "CONSUMER", "b", parentId=f"{1:016x}")],
            zipkin(3, "CLIENT"),
            [zipkin(3, "SERVER", "b", shared=True, timestamp="4")],
            [zipkin(5, "ODD")],
            [zipkin(6, "CLIENT", timestamp="soon")],
            [zipkin(7, "CLIENT", id="short")],
            [zipkin(8, "CLIENT", localEndpoint=None)],
            "[{",
            '"text"',
            json.dumps([zipkin(9, "CLIENT")]) + "]",
            "[" * 5000,
        ],
    )
    found = ingest.read(spark, [path])
    reasons = {row.line: row.reason for row in found.quarantine.collect()}
    expected = {
        5: "timestamp is not a number",
        6: "id is not hexadecimal",
        7: "process is missing",
        8: "not a list of Zipkin",
        9: "not a list of Zipkin",
        10: "not a list of Zipkin",
        11: "not a list of Zipkin",
    }
    assert {n: reason[: len(expected.get(n, reason))] for n, reason in reasons.items()} == expected
    assert told(found) == {
        "a": [("send", "1"), ("send", "3"), ("internal", None)],
        "b": [("deliver", "1"), ("deliver", "3")],
    }
