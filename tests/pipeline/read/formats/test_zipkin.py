"""Zipkin: which spans are sends, which arrivals answer to them, and which rows are refused."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from antecede.pipeline.read.formats import zipkin
from antecede.pipeline.read.rows import Wanted
from tests.pipeline.read.formats.span_files import events_of, read_all, reasons, sequences, whole

Write = Callable[[str, Sequence[object]], str]


def span(number: int, kind: str, service: str = "a", **more: object) -> dict[str, object]:
    known = {"traceId": "0" * 15 + "1", "id": f"{number:016x}", "kind": kind, "timestamp": number}
    return {**known, "localEndpoint": {"serviceName": service}, **more}


def test_hostile_lists_are_refused(write_lines: Write) -> None:
    path = write_lines(
        "spans.json",
        [
            [span(1, "PRODUCER"), span(2, "CONSUMER", "b", parentId=f"{1:016x}")],
            span(3, "CLIENT"),
            [span(3, "SERVER", "b", shared=True, timestamp="4")],
            [span(5, "ODD")],
            [span(6, "CLIENT", timestamp="soon")],
            [span(7, "CLIENT", id="short")],
            [span(8, "CLIENT", "x", localEndpoint=None)],
            "[{",
            '"text"',
            json.dumps([span(9, "CLIENT")]) + "]",
            "[" * 5000,
            [None],
            [span(10, "CLIENT"), 5],
            "null",
            [span(11, "CLIENT", tags=["not", "a", "map"])],
            [span(12, "CLIENT", localEndpoint="text")],
            [span(13, "CLIENT", traceId=None)],
            [span(14, "CLIENT", timestamp=2**63)],
            "[]",
            "",
            json.dumps([span(15, "CLIENT")]) + "\r",
        ],
    )
    found = read_all(zipkin.read, path)
    expected = {
        5: "timestamp is not a number of microseconds",
        6: "id is not hexadecimal",
        **dict.fromkeys((8, 9, 10, 11, 13, 14, 15, 16), "not a list of Zipkin v2 spans"),
        12: "traceId is not hexadecimal",
        17: "traceId is not hexadecimal",
        18: "timestamp is not a number of microseconds",
    }
    assert reasons(found) == expected
    assert found.refused.num_rows == len(expected)
    told = sequences(found)
    assert told.pop(None) == [("internal", None)]  # type: ignore[call-overload]  # a span without a service
    assert told == {
        "a": [("send", "1"), ("send", "3"), ("internal", None), ("internal", None)],
        "b": [("deliver", "1"), ("deliver", "3")],
    }


def test_a_server_answers_to_its_parent_or_to_the_span_that_it_shares(write_lines: Write) -> None:
    path = write_lines(
        "spans.json",
        [
            [span(1, "CLIENT"), span(2, "CLIENT"), span(3, "CLIENT")],
            [span(1, "SERVER", "b", shared=True, timestamp=4, parentId=f"{3:016x}")],
            [span(5, "SERVER", "b", parentId=f"{2:016X}")],
            [span(6, "SERVER", "b", shared=False), span(7, "CONSUMER", "b")],
        ],
    )
    assert sequences(read_all(zipkin.read, path)) == {
        "a": [("send", "1"), ("send", "2"), ("internal", None)],
        "b": [("deliver", "1"), ("deliver", "2"), ("internal", None), ("internal", None)],
    }


def test_tags_become_attributes_and_name_the_group(write_lines: Write) -> None:
    tags: dict[str, object] = {
        "rabbit.exchange": "",
        "rabbit.queue": "q",
        "none": None,
        "n": 5,
        "o": {"p": []},
        "trace": "not ours",
    }
    path = write_lines("spans.json", [[span(1, "PRODUCER", tags=tags, remoteEndpoint={"serviceName": "rabbit"})]])
    (row,) = events_of(read_all(zipkin.read, path))
    assert (row["group"], row["time"]) == ("q", 1e-6)
    assert dict(row["attributes"]) == {
        "rabbit.exchange": "",
        "rabbit.queue": "q",
        "n": "5",
        "o": '{"p": []}',
        "trace": "0" * 15 + "1",
        "span": f"{1:016x}",
        "remote": "rabbit",
    }
    (rows,) = zipkin.read(whole(path), Wanted())
    assert [rows.events[name].to_pylist() for name in ("group", "attributes")] == [[None], [None]]


def test_a_list_over_many_lines_is_one_text(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    each = ",\n".join(json.dumps(span(n, "PRODUCER")) for n in range(1, 4))
    path.write_text(f"[\n{each},\nnull\n]\n")
    found = read_all(zipkin.read, str(path))
    assert found.events["line"].to_pylist() == [1, 2, 3]
    assert reasons(found) == {4: "traceId is not hexadecimal"}


@pytest.mark.logs
def test_real_lists(logs: Path) -> None:
    found = read_all(zipkin.read, str(logs / "zipkin" / "messaging-kafka.json"))
    # 9 producers; of the 7 consumers one has no parent that sent
    assert Counter(row["kind"] for row in events_of(found)) == {"send": 9, "deliver": 6, "internal": 28 - 15}
    every = read_all(zipkin.read, *sorted(map(str, (logs / "zipkin").iterdir())))
    assert reasons(every) == {}
    rows = events_of(every)
    assert (len(rows), len({row["process"] for row in rows})) == (28 + 4 + 4, 4)
    skewed = sorted((row for row in rows if "74280ae0c10d8062" in (row["message"] or "")), key=lambda row: row["time"])
    assert [(row["kind"], row["process"]) for row in skewed] == [("deliver", "serviceb"), ("send", "servicea")]
