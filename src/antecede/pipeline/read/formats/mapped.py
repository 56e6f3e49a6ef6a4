"""Any log of JSON lines, by a mapping that says which of its fields are the columns of the trace.

A mapping is a JSON object, such as the built-in one, `tracechecker`, for the logs of DistributedClocks' tracing
library:

    {"process": "TracerIdentity",
     "index": "VectorClock[process]",
     "message": "Body.Token",
     "kind": {"field": "Tag", "send": ["GenerateTokenTrace"], "deliver": ["ReceiveTokenTrace"]},
     "attributes": ["Tag", "TraceID", "VectorClock"]}

A field is a name, or names with dots between for what is further in. `FIELD[process]` is the entry of an object
under the row's own process. `kind` is a field whose value is the kind, or lists for each kind the values that mean
it; any other value means `internal`. `process` and `index` are required; `run`, `time`, `message`, `dests`, `group`
may be given. Without `dests` they are inferred from the arrivals. A message id is looked for on sends and arrivals
alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.judge.events import KINDS, WITH_MESSAGE
from antecede.pipeline import schema
from antecede.pipeline.errors import BadPattern
from antecede.pipeline.read import files, text
from antecede.pipeline.read.formats.destinations import destinations
from antecede.pipeline.read.rules import shown

BUILT_IN: dict[str, Mapping[str, object]] = {
    "tracechecker": {
        "process": "TracerIdentity",
        "index": "VectorClock[process]",
        "message": "Body.Token",
        "kind": {"field": "Tag", "send": ["GenerateTokenTrace"], "deliver": ["ReceiveTokenTrace"]},
        "attributes": ["Tag", "TraceID", "VectorClock"],
    }
}
FIELDS = ("process", "index", "run", "time", "message", "dests", "group")
REQUIRED = ("process", "index")
LONG_MAX = 2**63 - 1
FIELD = re.compile(r"^(?P<path>[^\[\]$'\"\\]+)(?P<own>\[process\])?$")


def loaded(spark: SparkSession, mapping: str | Mapping[str, object]) -> Mapping[str, object]:
    """The mapping itself, from the name of a built-in one, from JSON, or from a file that Spark can open."""
    if isinstance(mapping, str) and mapping in BUILT_IN:
        return BUILT_IN[mapping]
    return checked(_parsed(spark, mapping) if isinstance(mapping, str) else mapping)


def checked(mapping: object) -> Mapping[str, object]:
    """The mapping, or `BadPattern` with what is wrong with it."""
    if not isinstance(mapping, Mapping):
        raise BadPattern("a mapping must be a JSON object from columns of the trace to fields of the log")
    unknown = sorted(set(mapping) - {*FIELDS, "kind", "attributes"})
    missing = [name for name in REQUIRED if name not in mapping]
    if unknown or missing:
        raise BadPattern(
            f"the mapping has {'no ' + ', '.join(missing) if missing else 'the unknown ' + ', '.join(unknown)}; "
            f"it may have {', '.join(FIELDS)}, kind and attributes, and needs {', '.join(REQUIRED)}"
        )
    kinds = mapping.get("kind", {"field": "kind"})
    words = kinds if isinstance(kinds, Mapping) else {"field": kinds}
    attributes = mapping.get("attributes", [])
    listed = attributes if isinstance(attributes, list) else [attributes]
    for field in (*(mapping[name] for name in FIELDS if name in mapping), words.get("field"), *listed):
        if not isinstance(field, str) or not FIELD.match(field):
            raise BadPattern(
                f"the mapping names the field {field!r}; write a name, a.b for a nested field, or a[process]"
            )
    odd = sorted(set(words) - {"field", *KINDS})
    if odd or not all(isinstance(words[kind], list) for kind in words if kind != "field"):
        raise BadPattern(f"kind in the mapping: a field, and a list of its values for each of {', '.join(KINDS)}")
    return mapping


def read(
    spark: SparkSession, paths: Sequence[files.File], mapping: Mapping[str, object]
) -> tuple[DataFrame, tuple[str, ...]]:
    """Candidates, and the note on destinations."""
    table = text.lines(spark, paths, lambda lines: _parse(lines, mapping))
    rows = table.where(fn.col("row").isNotNull() | fn.col("reason").isNotNull())
    candidates, notes = (rows, ()) if "dests" in mapping else destinations(rows)
    return schema.conform(candidates, schema.CANDIDATES), notes


def _parse(lines: DataFrame, mapping: Mapping[str, object]) -> DataFrame:
    lines = lines.withColumn("process_name", _field(str(mapping["process"])))
    given = {name: _field(str(mapping[name])) for name in FIELDS if name in mapping}
    process, kind = given["process"], _kind(mapping.get("kind", "kind"))
    index, time = given["index"].try_cast("decimal(38,9)"), given.get("time", fn.lit(None)).try_cast("double")
    whole = fn.when((index == fn.floor(index)) & (index <= LONG_MAX), index.try_cast("long"))
    message = fn.when(kind.isin(*WITH_MESSAGE), given.get("message", fn.lit(None).cast("string")))
    json_read = text.one_json(fn.col("value"), "variant")
    reason = fn.coalesce(
        fn.when(~fn.is_valid_utf8("value"), fn.lit("the line is not UTF-8")),
        fn.when(~fn.ltrim("value").startswith("{"), fn.lit("the line is not a JSON object")),
        fn.when(json_read["broken"].isNotNull() | json_read["end"].isNull(), fn.lit("the line is not one JSON object")),
        fn.when(
            whole.isNull(), fn.concat(fn.lit("index is "), shown(given["index"]), fn.lit("; it must be an integer"))
        ),
        fn.when(time.isNull() & given.get("time", fn.lit(None)).isNotNull(), fn.lit("time is not a number")),
    )
    return lines.select(
        *[name for name in lines.columns if name not in ("value", "process_name")],
        fn.coalesce(given.get("run", fn.lit(None)), fn.lit("")).alias("run"),
        process.alias("process"),
        whole.alias("index"),
        kind.alias("kind"),
        time.alias("time"),
        message.alias("message"),
        fn.from_json(given.get("dests", fn.lit(None).cast("string")), "array<string>").alias("dests"),
        given.get("group", fn.lit(None).cast("string")).alias("group"),
        _attributes(mapping.get("attributes", [])).alias("attributes"),
        fn.when(~text.is_blank(), reason).alias("reason"),
        fn.when(~text.is_blank(), text.shown()).alias("row"),
    )


def _field(field: str) -> Column:
    found = FIELD.match(field)
    assert found is not None  # `checked` has seen it
    value = fn.get_json_object("value", "$" + "".join(f"['{name}']" for name in found["path"].split(".")))
    if not found["own"]:
        return value
    return fn.from_json(value, "map<string,string>")[fn.col("process_name")]


def _kind(kinds: object) -> Column:
    if not isinstance(kinds, Mapping):
        return fn.coalesce(_field(str(kinds)), fn.lit("internal"))
    value = _field(str(kinds["field"]))
    meant = [fn.when(value.isin(*map(str, words)), fn.lit(kind)) for kind, words in kinds.items() if kind != "field"]
    return fn.coalesce(*meant, *([] if meant else [value]), fn.lit("internal"))


def _attributes(fields: object) -> Column:
    names = [str(name) for name in fields] if isinstance(fields, list) else []
    if not names:
        return fn.lit(None).cast("map<string,string>")
    pairs = [item for name in names for item in (fn.lit(name), _field(name))]
    return fn.map_filter(fn.create_map(*pairs), lambda _, value: value.isNotNull())


def _parsed(spark: SparkSession, mapping: str) -> object:
    content = mapping
    if not mapping.lstrip().startswith("{"):
        (file,) = files.listing(spark, [mapping])[:1]
        content = spark.read.text(file.literal, wholetext=True).collect()[0].value
    return parsed(content)


def parsed(content: str) -> object:
    try:
        return json.loads(content)
    except ValueError as error:
        raise BadPattern(f"the mapping is not JSON: {error}; built-in ones are {', '.join(BUILT_IN)}") from error
