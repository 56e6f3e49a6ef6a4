"""From the spans of distributed tracing to events: which span is a send, and of which message is another the arrival.

OTLP and Zipkin differ in spelling; once in the form of `SPANS` they are read alike. A span that produces names keys
by which its message may be known (its own id, a message id, a place in a Kafka partition); a span that consumes
lists keys it may have been caused by, best first. The first that some send answers to gives the message. A client
call is a send where a server answers to it, and an internal event where none does. An arrival that finds no send
keeps the best name it has, and is internal where it has none. One event per span, except that a span that receives
a batch has one per message.

Spans have no order of their own: that of their start times, then span ids, stands in for the order within a
process.
"""

from __future__ import annotations

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from antecede.pipeline import schema
from antecede.pipeline.read.formats.destinations import destinations

SPANS = """file string, line long, span string, role string, process string, start double, start_order long,
keys array<string>, arrivals array<array<string>>, own_name string, dests array<string>, group string,
payload_bytes long, attributes map<string,string>, reason string, row string"""
"""role: send, receive, deliver, client, server, internal. keys: what a send answers to; the first is its message id.
arrivals: per message that came with the span, the keys it may answer to, best first. own_name: what to call an
arrival that no send answers to; in a batch it is the best key of each. start_order: the start as an integer, for
order without rounding."""

NOTES = (
    "within a process, events are ordered by the start times of spans, also if spans overlap",
    "consumer spans that name no message: {unnamed}; they count as internal events",
)


def events(spans: DataFrame) -> tuple[DataFrame, tuple[str, ...]]:
    """Candidates, and notes on what was inferred."""
    single = _one_per_arrival(spans).persist(StorageLevel.MEMORY_AND_DISK)
    candidates, notes = destinations(_indexed(_kinds(_paired(single))))
    unnamed = candidates.where(_arrives() & fn.col("name").isNull() & (fn.col("role") != "server")).count()
    told = (NOTES[0], *([NOTES[1].format(unnamed=unnamed)] if unnamed else []), *notes)
    return schema.conform(candidates, schema.CANDIDATES), told


def _one_per_arrival(spans: DataFrame) -> DataFrame:
    """Each row with the keys of one arrival at most, and a number that stands for the row."""
    arrivals = fn.when(_arrives(), fn.col("arrivals"))
    batch = fn.coalesce(fn.size(arrivals) > 1, fn.lit(False))
    exploded = spans.select("*", batch.alias("batch"), fn.posexplode_outer(arrivals).alias("nth", "wanted")).drop(
        "arrivals"
    )
    return exploded.withColumn("id", fn.monotonically_increasing_id())


def _paired(rows: DataFrame) -> DataFrame:
    """Each arrival with the message of the send that answers to it; each client with whether a server does."""
    valid = rows.where(fn.col("reason").isNull())
    sends = valid.where(fn.col("role").isin("send", "client"))
    answered = (
        sends.select(
            fn.explode("keys").alias("key"),
            fn.struct("start_order", fn.get("keys", fn.lit(0)).alias("name")).alias("send"),
        )
        .groupBy("key")
        .agg(fn.min("send")["name"].alias("name"))
    )
    asked = valid.where(_arrives()).select("id", fn.posexplode("wanted").alias("rank", "key"))
    found = asked.join(answered, "key").groupBy("id").agg(fn.min(fn.struct("rank", "name"))["name"].alias("found"))
    calls = found.select(fn.col("found").alias("called")).distinct()
    joined = rows.join(found, "id", "left").join(calls, fn.get("keys", fn.lit(0)) == fn.col("called"), "left")
    of_batch = fn.when(fn.col("batch"), fn.get("wanted", fn.lit(0))).otherwise(fn.col("own_name"))
    own = fn.when(fn.col("role") != "server", of_batch)
    name = fn.when(_arrives(), fn.coalesce("found", own)).when(
        (fn.col("role") == "send") | ((fn.col("role") == "client") & fn.col("called").isNotNull()),
        fn.get("keys", fn.lit(0)),
    )
    return joined.withColumn("name", name)


def _arrives() -> Column:
    return fn.col("role").isin("receive", "deliver", "server")


def _kinds(rows: DataFrame) -> DataFrame:
    """A process that says it received a message, and nothing later of it, is taken to have delivered it then."""
    same = Window.partitionBy("process", "name")
    processed = fn.max(fn.col("role") == "deliver").over(same)
    kind = (
        fn.when(fn.col("name").isNull(), "internal")
        .when(fn.col("role").isin("send", "client"), "send")
        .when((fn.col("role") == "receive") & processed, "receive")
        .otherwise("deliver")
    )
    return rows.withColumn("kind", kind).withColumn("message", fn.col("name"))


def _indexed(rows: DataFrame) -> DataFrame:
    own = Window.partitionBy("process").orderBy("start_order", "span", "nth", "file", "line")
    indexed = rows.withColumn("index", fn.row_number().over(own).cast("long") - 1)
    return indexed.withColumn("run", fn.lit("")).withColumn("time", fn.col("start"))
