"""OpenTelemetry's OTLP/JSON: export requests, one per line or one per file.

What a span does with messages is `messaging.operation.type` (before: `messaging.operation`), else its kind. The
identity of a message is, best first: the span that a link points to, `messaging.message.id`, the place in a Kafka
partition, the parent. All are read from the link's own attributes too, as batches have them. Older names of the
attributes count as the newer. Ids are hexadecimal in any case; 64-bit integers may be text. A process is a
`service.instance.id`, else a `service.name`. `antecede.dests`, a list of names, states the destinations of a send;
without it they are inferred.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline.read import files, text
from antecede.pipeline.read.formats import spans
from antecede.pipeline.read.formats.json_documents import json_texts, numbered
from antecede.pipeline.read.rules import shown

ANY_VALUE = (
    "struct<stringValue:string,intValue:string,boolValue:string,doubleValue:string,bytesValue:string,"
    "arrayValue:string,kvlistValue:string>"
)
ATTRIBUTES = f"array<struct<key:string,value:{ANY_VALUE}>>"
LINKS = f"array<struct<traceId:string,spanId:string,attributes:{ATTRIBUTES}>>"
SPAN = (
    "struct<traceId:string,spanId:string,parentSpanId:string,name:string,kind:string,startTimeUnixNano:string,"
    f"attributes:{ATTRIBUTES},links:{LINKS}>"
)
SCOPES = f"array<struct<spans:array<{SPAN}>>>"
REQUEST = (
    f"struct<resourceSpans:array<struct<resource:struct<attributes:{ATTRIBUTES}>,scopeSpans:{SCOPES},"
    f"instrumentationLibrarySpans:{SCOPES}>>>"
)
NAMES = {
    "operation": ("messaging.operation.type", "messaging.operation"),
    "message": ("messaging.message.id", "messaging.message_id"),
    "destination": ("messaging.destination.name", "messaging.destination", "messaging.source.name"),
    "partition": (
        "messaging.destination.partition.id",
        "messaging.kafka.destination.partition",
        "messaging.kafka.partition",
    ),
    "offset": ("messaging.kafka.offset", "messaging.kafka.message.offset"),
    "bytes": (
        "messaging.message.body.size",
        "messaging.message.payload_size_bytes",
        "messaging.message_payload_size_bytes",
    ),
}
ROLE_BY_OPERATION = {
    "publish": "send",
    "send": "send",
    "create": "send",
    "receive": "receive",
    "process": "deliver",
    "deliver": "deliver",
    "settle": "internal",
}
ROLE_BY_KIND = {"2": "server", "3": "client", "4": "send", "5": "receive"}
KIND_NAMES = {"SPAN_KIND_SERVER": "2", "SPAN_KIND_CLIENT": "3", "SPAN_KIND_PRODUCER": "4", "SPAN_KIND_CONSUMER": "5"}
OWN_ATTRIBUTES = ("trace", "span", "name", "service")
TRACE_ID, SPAN_ID = "^[0-9a-f]{32}$", "^[0-9a-f]{16}$"


def read(
    spark: SparkSession, paths: Sequence[files.File], heads: Mapping[str, str] | None = None
) -> tuple[DataFrame, tuple[str, ...]]:
    """Candidates, and notes. `heads`: the first characters of files, where they are known."""
    return spans.events(_spans(json_texts(spark, paths, _requests, heads)))


def _requests(texts: DataFrame) -> DataFrame:
    """Each text's spans, with the attributes of the resource they belong to."""
    whole = texts.withColumn("_", text.one_json(fn.col("value"), REQUEST))
    wrong = fn.col("_.broken").isNotNull() | fn.col("_.row.resourceSpans").isNull() | fn.col("_.end").isNull()
    reason = fn.when(~text.is_blank() & wrong, fn.lit("not an OTLP/JSON export request with resourceSpans"))
    return whole.select(
        *[name for name in texts.columns if name != "value"],
        fn.when(reason.isNull(), _flat(fn.col("_.row.resourceSpans"))).alias("spans"),
        reason.alias("reason"),
        fn.when(reason.isNotNull(), text.shown()).alias("bad"),
    )


def _flat(resources: Column) -> Column:
    def of_resource(resource: Column) -> Column:
        def of_scope(scope: Column) -> Column:
            pair = fn.transform(
                scope["spans"], lambda span: fn.struct(resource["resource"].alias("resource"), span.alias("span"))
            )
            return fn.coalesce(pair, fn.array())

        scopes = fn.coalesce(resource["scopeSpans"], resource["instrumentationLibrarySpans"])
        return fn.coalesce(fn.flatten(fn.transform(scopes, of_scope)), fn.array())

    return fn.flatten(fn.transform(resources, of_resource))


def _spans(requests: DataFrame) -> DataFrame:
    # Step by step, because an expression that is used in several columns would be computed for each.
    rows = numbered(requests).withColumn("of", _map(fn.col("one.resource.attributes")))
    rows = rows.withColumn("span", fn.col("one.span")).withColumn("at", _map(fn.col("span.attributes")))
    rows = rows.withColumn("trace_id", fn.lower("span.traceId")).withColumn("span_id", fn.lower("span.spanId"))
    rows = rows.withColumn("order", fn.col("span.startTimeUnixNano").try_cast("long"))
    rows = rows.withColumn("named", fn.array_compact(fn.array(_message_key(fn.col("at")), _kafka_key(fn.col("at")))))
    rows = rows.withColumn("linked", _links()).withColumn("reason", fn.coalesce("reason", _unreadable()))
    return rows.select(*_columns())


def _unreadable() -> Column:
    start = fn.col("span.startTimeUnixNano")
    return fn.coalesce(
        _unless(_matches("trace_id", TRACE_ID), "traceId is not 32 hexadecimal digits: ", fn.col("trace_id")),
        _unless(_matches("span_id", SPAN_ID), "spanId is not 16 hexadecimal digits: ", fn.col("span_id")),
        _unless(fn.coalesce(fn.col("order"), fn.lit(0)) > 0, "startTimeUnixNano is not a time: ", start),
    )


def _columns() -> list[Column]:
    own_key = _span_key(fn.col("trace_id"), fn.col("span_id"))
    row = fn.coalesce("bad", fn.substring(fn.to_json("span"), 1, text.ROW_CHARS_MAX))
    stated = fn.get_json_object(fn.col("at")["antecede.dests"], "$.values[*].stringValue")
    return [
        fn.col("file"),
        fn.col("line"),
        fn.col("span_id").alias("span"),
        _role().alias("role"),
        fn.coalesce(fn.col("of")["service.instance.id"], fn.col("of")["service.name"]).alias("process"),
        (fn.col("order") / 1e9).alias("start"),
        fn.col("order").alias("start_order"),
        fn.array_append("named", own_key).alias("keys"),
        _arrivals().alias("arrivals"),
        fn.coalesce(fn.get("named", fn.lit(0)), fn.get(fn.get("linked", fn.lit(0)), fn.lit(0))).alias("own_name"),
        fn.from_json(stated, "array<string>").alias("dests"),
        _any(fn.col("at"), "destination").alias("group"),
        _any(fn.col("at"), "bytes").try_cast("long").alias("payload_bytes"),
        _attributes().alias("attributes"),
        fn.col("reason"),
        fn.when(fn.col("reason").isNotNull(), row).alias("row"),
    ]


def _role() -> Column:
    operation = fn.lower(_any(fn.col("at"), "operation"))
    kind = fn.coalesce(_looked_up(KIND_NAMES, fn.col("span.kind")), fn.col("span.kind"))
    return fn.coalesce(_looked_up(ROLE_BY_OPERATION, operation), _looked_up(ROLE_BY_KIND, kind), fn.lit("internal"))


def _arrivals() -> Column:
    """With one link or none, the span's own names count too; with several, each link is one message of a batch."""
    parent = fn.when(fn.length("span.parentSpanId") > 0, _span_key(fn.col("trace_id"), fn.lower("span.parentSpanId")))
    own = fn.array_compact(fn.array_append("named", parent))
    first = fn.coalesce(fn.get("linked", fn.lit(0)), fn.array().cast("array<string>"))
    return fn.when(fn.size("linked") > 1, fn.col("linked")).otherwise(fn.array(fn.concat(first, own)))


def _links() -> Column:
    """Per link, the keys of the message it may stand for: the span it points to, then what its attributes name."""

    def read(link: Column) -> Column:
        pointed = _span_key(fn.lower(link["traceId"]), fn.lower(link["spanId"]))
        return fn.struct(pointed.alias("span"), _map(link["attributes"]).alias("of"))

    def keys(link: Column) -> Column:
        return fn.array_compact(fn.array(link["span"], _message_key(link["of"]), _kafka_key(link["of"])))

    links = fn.coalesce("span.links", fn.array().cast(LINKS))
    return fn.transform(fn.transform(links, read), keys)


def _span_key(trace: Column, span: Column) -> Column:
    return fn.concat(trace, fn.lit("/"), span)


def _message_key(of: Column) -> Column:
    return _any(of, "message")


def _kafka_key(of: Column) -> Column:
    """destination/partition/offset; null unless all three are there."""
    parts = [_any(of, name) for name in ("destination", "partition", "offset")]
    return fn.concat(parts[0], fn.lit("/"), parts[1], fn.lit("/"), parts[2])


def _any(of: Column, what: str) -> Column:
    return fn.coalesce(*[fn.nullif(of[name], fn.lit("")) for name in NAMES[what]])


def _attributes() -> Column:
    values = (fn.col("trace_id"), fn.col("span_id"), fn.col("span.name"), fn.col("of")["service.name"])
    pairs = [item for name, value in zip(OWN_ATTRIBUTES, values, strict=True) for item in (fn.lit(name), value)]
    own = fn.map_filter(fn.create_map(*pairs), lambda _, value: value.isNotNull())
    others = fn.map_filter("at", lambda name, value: ~name.isin(*OWN_ATTRIBUTES) & value.isNotNull())
    return fn.map_concat(others, own)


def _map(attributes: Column) -> Column:
    """Of several attributes with one name the first counts: Spark would refuse the whole map."""
    given = fn.coalesce(attributes, fn.array().cast(ATTRIBUTES))
    names = fn.transform(given, lambda one: one["key"])
    first = fn.filter(given, lambda one, at: fn.array_position(names, one["key"]) == at + 1)
    return fn.map_from_entries(fn.transform(first, lambda one: fn.struct(one["key"], _text_of(one["value"]))))


def _text_of(value: Column) -> Column:
    kinds = ("stringValue", "intValue", "boolValue", "doubleValue", "bytesValue", "arrayValue", "kvlistValue")
    return fn.coalesce(*[value[kind] for kind in kinds])


def _looked_up(table: dict[str, str], key: Column) -> Column:
    return fn.coalesce(*[fn.when(key == known, fn.lit(value)) for known, value in table.items()])


def _matches(name: str, pattern: str) -> Column:
    return fn.coalesce(fn.col(name).rlike(pattern), fn.lit(False))


def _unless(test: Column, words: str, value: Column) -> Column:
    return fn.when(~test, fn.concat(fn.lit(words), shown(value)))
