"""ShiViz logs and mapped JSON through Spark: what only several lines, or several files, show."""

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from antecede.pipeline.read import ingest
from tests.pipeline.ingested import event_lines, refusal_reasons

Write = Callable[[str, Sequence[object]], str]


def test_a_log_with_everything_wrong_in_it(spark: SparkSession, tmp_path: Path) -> None:
    log = [
        *('a {"a":1}', "fine"),
        *('a {"a":2, "b":"x"}', "clock"),  # 3
        *('b {"b":1}', "fine"),
        *('a {"a":5}', "gap"),  # 7: 1 -> 5
        *('b {"b":1}', "again"),  # 9: duplicate index
        *('b {"b":2}', "y" * 1_000_000),  # 11: a field without end
        *('c {"a":1}', "own"),  # 13
        *('a {"a":6}', "fine"),
    ]
    (tmp_path / "bad.log").write_text("\n".join(log) + "\n")
    found = ingest.read(spark, [str(tmp_path)])
    reasons = refusal_reasons(found)
    expected = {
        3: "the clock of a has x for b",
        7: "the clock of a steps from 1 to 5",
        9: "duplicate index",
        11: "an attribute has more than",
        13: "the clock of c has no entry for c",
    }
    assert {n: reason[: len(expected.get(n, reason))] for n, reason in reasons.items()} == expected
    assert event_lines(found) == [1, 5, 15]
    assert found.format == "shiviz"
    assert any("by the GoVector expression" in note for note in found.notes)


def test_files_are_one_execution_unless_they_share_an_event(spark: SparkSession, tmp_path: Path) -> None:
    for name, text in {
        "one/p.log": 'a {"a":1}\nx\na {"a":2}\ny\n',
        "one/q.log": 'a {"a":3}\nx\nb {"b":1}\ny\n',
        "two/p.log": 'a {"a":1}\nx\n',
        "two/q.log": 'a {"a":1}\nz\nb {"b":1}\ny\n',
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    together = ingest.read(spark, [str(tmp_path / "one")])
    assert {row.run for row in together.events.collect()} == {""}
    apart = ingest.read(spark, [str(tmp_path / "two")])
    assert sorted(row.run for row in apart.events.collect()) == ["p.log", "q.log", "q.log"]
    assert together.quarantine.count() == apart.quarantine.count() == 0


def test_a_users_expression_gives_messages_and_a_cut_gzip_its_first_part(spark: SparkSession, tmp_path: Path) -> None:
    regex = r"^(?<host>\w+) (?<clock>{.*?}) (?<event>(?<kind>\w+) (?<message>\w+)).*$"
    lines = [f'a {{"a":{n}}} send m{n} {n * 7919 % 10007}\nb {{"b":{n}}} deliver m{n}' for n in range(1, 3001)]
    packed = gzip.compress("\n".join(lines).encode())
    (tmp_path / "cut.log.gz").write_bytes(packed[: len(packed) // 2])
    found = ingest.read(spark, [str(tmp_path)], "shiviz", regex=regex)
    kinds = {row.kind: row["count"] for row in found.events.groupBy("kind").count().collect()}
    assert 500 < kinds["deliver"] <= kinds["send"] < 3000
    first = found.events.where("kind = 'send' and message = 'm1'").collect()
    assert [(row.process, row["index"], row.dests) for row in first] == [("a", 1, ["b"])]
    assert any("sends without destinations" in note for note in found.notes)
    (damage,) = found.quarantine.collect()
    assert "the gzip ends early" in damage.reason


def test_a_mapping_reads_any_json_lines(spark: SparkSession, write_lines: Write, tmp_path: Path) -> None:
    mapping = {
        "run": "meta.run",
        "process": "meta.node",
        "index": "seq",
        "kind": {"field": "op", "send": ["PUT"], "deliver": ["GOT", "READ"]},
        "message": "id",
        "dests": "to",
        "time": "at",
        "attributes": ["op", "meta"],
    }
    (tmp_path / "mapping.json").write_text(json.dumps(mapping))
    meta = {"run": "r1", "node": "a"}
    path = write_lines(
        "in/any.log",
        [
            {"meta": meta, "seq": 1, "op": "PUT", "id": "m1", "to": ["b"], "at": 1.25},
            {"meta": {"node": "b"}, "seq": "7", "op": "READ", "id": "m1"},
            {"meta": meta, "seq": 2, "op": "THINK", "id": "not a message"},
            {"meta": meta, "seq": -3, "op": "THINK"},
            {"meta": meta, "seq": "x", "op": "THINK"},
            {"meta": {}, "seq": 3, "op": "THINK"},
            {"meta": meta, "seq": 4, "op": "PUT", "to": ["b"]},
            {"meta": meta, "seq": 5, "op": "PUT", "id": "m5"},
            {"meta": meta, "seq": 6, "op": "THINK", "at": "noon"},
            '{"meta"',
            b'{"meta": "\xff"}',
            "[" * 3000,
        ],
    )
    found = ingest.read(spark, [path], mapping=str(tmp_path / "mapping.json"))
    events = {row.line: row for row in found.events.collect()}
    assert sorted(events) == [1, 2, 3]
    assert (events[1].run, events[1].process, events[1]["index"], events[1].time) == ("r1", "a", 1, 1.25)
    assert (events[1].kind, events[1].message, events[1].dests) == ("send", "m1", ["b"])
    assert (events[2].run, events[2]["index"], events[2].kind) == ("", 7, "deliver")
    assert (events[3].kind, events[3].message, events[3].attributes["op"]) == ("internal", None, "THINK")
    expected = {
        4: "index is -3",
        5: "index is x",
        6: "process is missing",
        7: "message is missing",
        8: "dests is missing on send",
        9: "time is not a number",
        10: "the line is not one JSON",
        11: "the line is not UTF-8",
        12: "the line is not a JSON object",
    }
    assert {n: reason[: len(expected.get(n, reason))] for n, reason in refusal_reasons(found).items()} == expected
