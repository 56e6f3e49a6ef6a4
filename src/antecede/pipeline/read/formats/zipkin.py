"""Zipkin v2 JSON: a list of spans per file, or a list or a span per line.

A PRODUCER is a send and a CONSUMER an arrival of what its parent sent. A CLIENT is a send where a SERVER took it
up: one that shares its span id (`shared`), or whose parent it is. A process is a local service name. Timestamps are
microseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline.read import files, text
from antecede.pipeline.read.formats import spans
from antecede.pipeline.read.formats.json_documents import json_texts, numbered

ENDPOINT = "struct<serviceName:string,ipv4:string,ipv6:string,port:string>"
LIST = (
    "array<struct<traceId:string,parentId:string,id:string,kind:string,name:string,timestamp:string,shared:string,"
    f"localEndpoint:{ENDPOINT},remoteEndpoint:{ENDPOINT},tags:map<string,string>>>"
)
ROLES = {"PRODUCER": "send", "CONSUMER": "receive", "CLIENT": "client", "SERVER": "server"}
DESTINATION_TAGS = ("kafka.topic", "rabbit.queue", "rabbit.exchange", "jms.queue", "jms.topic")
OWN_ATTRIBUTES = ("trace", "span", "name", "remote")


def read(
    spark: SparkSession, paths: Sequence[files.File], heads: Mapping[str, str] | None = None
) -> tuple[DataFrame, tuple[str, ...]]:
    """Candidates, and notes. `heads`: the first characters of files, where they are known."""
    return spans.events(numbered(json_texts(spark, paths, _lists, heads)).select(*_columns()))


def _lists(texts: DataFrame) -> DataFrame:
    value = fn.col("value")
    single = fn.ltrim(value).startswith("{")
    listed = fn.when(single, fn.concat(fn.lit("["), value, fn.lit("]"))).otherwise(value)
    whole = texts.withColumn("_", text.one_json(listed, LIST))
    wrong = fn.col("_.broken").isNotNull() | fn.col("_.row").isNull() | fn.col("_.end").isNull()
    reason = fn.when(~text.is_blank() & wrong, fn.lit("not a list of Zipkin v2 spans"))
    return whole.select(
        *[name for name in texts.columns if name != "value"],
        fn.when(reason.isNull(), fn.col("_.row")).alias("spans"),
        reason.alias("reason"),
        fn.when(reason.isNotNull(), text.shown()).alias("bad"),
    )


def _columns() -> list[Column]:
    trace, span = fn.lower("one.traceId"), fn.lower("one.id")
    order = fn.col("one.timestamp").try_cast("long")
    reason = fn.coalesce(
        "reason",
        fn.when(~_hexadecimal(trace), fn.lit("traceId is not hexadecimal")),
        fn.when(~_hexadecimal(span), fn.lit("id is not hexadecimal")),
        fn.when(fn.coalesce(order, fn.lit(0)) <= 0, fn.lit("timestamp is not a number of microseconds")),
    )
    role = fn.coalesce(
        *[fn.when(fn.col("one.kind") == kind, fn.lit(role)) for kind, role in ROLES.items()], fn.lit("internal")
    )
    caused_by = fn.when((role == "server") & (fn.col("one.shared") == "true"), _key(trace, span)).otherwise(
        _key(trace, fn.lower("one.parentId"))
    )
    tags = fn.coalesce("one.tags", fn.create_map().cast("map<string,string>"))
    return [
        fn.col("file"),
        fn.col("line"),
        span.alias("span"),
        role.alias("role"),
        fn.col("one.localEndpoint.serviceName").alias("process"),
        (order / 1e6).alias("start"),
        order.alias("start_order"),
        fn.array(_key(trace, span)).alias("keys"),
        fn.array(fn.array_compact(fn.array(caused_by))).alias("arrivals"),
        fn.lit(None).cast("string").alias("own_name"),
        fn.lit(None).cast("array<string>").alias("dests"),
        fn.coalesce(*[tags[name] for name in DESTINATION_TAGS]).alias("group"),
        fn.lit(None).cast("long").alias("payload_bytes"),
        _attributes(tags, trace, span).alias("attributes"),
        reason.alias("reason"),
        fn.when(reason.isNotNull(), fn.coalesce("bad", fn.substring(fn.to_json("one"), 1, text.ROW_CHARS_MAX))).alias(
            "row"
        ),
    ]


def _key(trace: Column, span: Column) -> Column:
    return fn.concat(trace, fn.lit("/"), span)


def _hexadecimal(value: Column) -> Column:
    return fn.coalesce(value.rlike("^[0-9a-f]{16}([0-9a-f]{16})?$"), fn.lit(False))


def _attributes(tags: Column, trace: Column, span: Column) -> Column:
    values = (trace, span, fn.col("one.name"), fn.col("one.remoteEndpoint.serviceName"))
    pairs = [item for name, value in zip(OWN_ATTRIBUTES, values, strict=True) for item in (fn.lit(name), value)]
    own = fn.map_filter(fn.create_map(*pairs), lambda _, value: value.isNotNull())
    others = fn.map_filter(tags, lambda name, value: ~name.isin(*OWN_ATTRIBUTES) & value.isNotNull())
    return fn.map_concat(others, own)
