"""The real spans of other people's systems are read, with the counts that their description states."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline.read import ingest

pytestmark = pytest.mark.logs


def counts(found: ingest.Ingested) -> dict[str, tuple[int, int]]:
    rows = found.events.groupBy("run").agg(fn.count("*").alias("events"), fn.count_distinct("process").alias("hosts"))
    return {row.run: (row.events, row.hosts) for row in rows.collect()}


def kinds(found: ingest.Ingested) -> dict[str, int]:
    return {row.kind: row["count"] for row in found.events.groupBy("kind").count().collect()}


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
