"""Every real log of other people's systems is read, with the counts its description states."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline.read import ingest

pytestmark = pytest.mark.logs

# run -> (events, hosts); the file name is part of the run because the two akka logs share events
SHIVIZ = {
    "simple-reliable-broadcast.log": (39, 3),
    "reliable-broadcast.log": (116, 4),
    "chord.log": (1235, 8),
    "simpledb.log": (509, 5),
    "voldemort.log": (864, 20),
    "facebook-multiple.log Execution #1": (47, 4),
    "facebook-multiple.log Execution #2": (41, 4),
    "tsviz_shared_var_4_threads.log": (5000, 4),
}
EXPRESSIONS = {
    "simple-reliable-broadcast.log": "akka",
    "reliable-broadcast.log": "akka",
    "chord.log": "GoVector",
    "simpledb.log": "default",
    "voldemort.log": "voldemort",
    "facebook-multiple.log": "facebook",
    "tsviz_shared_var_4_threads.log": "TSViz",
}


def counts(found: ingest.Ingested) -> dict[str, tuple[int, int]]:
    rows = found.events.groupBy("run").agg(fn.count("*").alias("events"), fn.count_distinct("process").alias("hosts"))
    return {row.run: (row.events, row.hosts) for row in rows.collect()}


def kinds(found: ingest.Ingested) -> dict[str, int]:
    return {row.kind: row["count"] for row in found.events.groupBy("kind").count().collect()}


def test_shiviz_logs(spark: SparkSession, logs: Path) -> None:
    found = ingest.read(spark, [str(logs / "shiviz")])
    assert counts(found) == SHIVIZ
    assert found.quarantine.count() == 0
    assert kinds(found) == {"internal": sum(events for events, _ in SHIVIZ.values())}
    said = {Path(note.split(":")[0]).name: note for note in found.notes if "expression" in note}
    assert {name: f"by the {kind} expression" in said[name] for name, kind in EXPRESSIONS.items()} == dict.fromkeys(
        EXPRESSIONS, True
    )
    assert said["reliable-broadcast.log"].endswith("lines skipped because the expression does not match them: 1")
    assert found.events.where("attributes['clock'] is null").count() == 0


def test_tracechecker_logs_by_the_built_in_mapping(spark: SparkSession, logs: Path) -> None:
    for name, events, hosts, messages in (("example1.log", 809, 11, 179), ("trace_log.txt", 169, 3, 40)):
        found = ingest.read(spark, [str(logs / "tracechecker" / name)])
        assert counts(found) == {"": (events, hosts)}
        assert found.quarantine.count() == 0
        assert kinds(found) == {"send": messages, "deliver": messages, "internal": events - 2 * messages}
        assert found.events.where("kind = 'send' and size(dests) != 1").count() == 0


def test_zipkin_spans(spark: SparkSession, logs: Path) -> None:
    found = ingest.read(spark, [str(logs / "zipkin" / "messaging-kafka.json")])
    # 9 producers; of the 7 consumers one has no parent that sent
    assert kinds(found) == {"send": 9, "deliver": 6, "internal": 28 - 15}
    dests = {row.message.split("/")[1]: row.dests for row in found.events.where("kind = 'send'").collect()}
    assert dests["2e22a0564764943a"] == ["servicea", "serviceb"]
    assert dests["26bd982d53f50d1f"] == []
    every = ingest.read(spark, [str(logs / "zipkin")])
    assert counts(every) == {"": (28 + 4 + 4, 4)}
    assert every.quarantine.count() == 0
    skewed = every.events.where("message like '%74280ae0c10d8062'").orderBy("time").collect()
    assert [(row.kind, row.process) for row in skewed] == [("deliver", "serviceb"), ("send", "servicea")]


def test_otlp_spans(spark: SparkSession, logs: Path) -> None:
    found = ingest.read(spark, [str(logs / "otlp")])
    assert counts(found) == {"": (3, 3)}
    assert found.quarantine.count() == 0
    assert {row.process for row in found.events.collect()} == {
        "query25-service",
        "otlp-link-test-service",
        "my.service",
    }
    (server,) = found.events.where("process = 'my.service'").collect()
    assert server.attributes["my.span.attr"] == "some value"
    assert server.time == 1544712660.0
