"""Who heard of whom, in a log that has vector clocks and no message ids: the edges that its clocks show.

Where an event's clock knows more of another process than the event before it did, something arrived from there:
from the latest event it now knows of, unless it heard of that by way of another. Such an edge is no message: two
messages may be one edge, and a message that brought nothing new is none; that is why causal order cannot be judged
from them. They do show the graph, and delays where there are times.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

CLOCK = "clock"
"""The attribute that adapters keep a source's vector clock in, as a JSON object from process to count."""


def edges(events: DataFrame) -> DataFrame:
    """run, sender, sent_index, sent_time, process, index, time. The index of an event is its own entry."""
    own = Window.partitionBy("run", "process").orderBy("index")
    stamped = events.where(fn.col("attributes")[CLOCK].isNotNull()).select(
        "run", "process", "index", "time", fn.from_json(fn.col("attributes")[CLOCK], "map<string,long>").alias("clock")
    )
    grown = stamped.withColumn("before", fn.lag("clock").over(own))
    fresh = grown.select(
        "run", "process", "index", "time", fn.explode(fn.map_filter("clock", _is_news)).alias("sender", "sent_index")
    )
    sources = stamped.select(
        "run",
        fn.col("process").alias("sender"),
        fn.col("index").alias("sent_index"),
        fn.col("time").alias("sent_time"),
        fn.col("clock").alias("knew"),
    )
    heard = fresh.join(sources, ["run", "sender", "sent_index"]).groupBy("run", "process", "index", "time")
    parents = heard.agg(fn.collect_list(fn.struct("sender", "sent_index", "sent_time", "knew")).alias("all"))
    direct = parents.select("run", "process", "index", "time", fn.explode(_direct(fn.col("all"))).alias("one"))
    return direct.select("run", "one.sender", "one.sent_index", "one.sent_time", "process", "index", "time")


def _is_news(host: Column, count: Column) -> Column:
    known = fn.coalesce(fn.element_at("before", host), fn.lit(0))
    return (host != fn.col("process")) & (count > known)


def _direct(parents: Column) -> Column:
    """Those that no other of them knew of already."""

    def told(one: Column) -> Column:
        return fn.exists(
            parents,
            lambda other: (
                (other["sender"] != one["sender"])
                & (fn.coalesce(fn.element_at(other["knew"], one["sender"]), fn.lit(0)) >= one["sent_index"])
            ),
        )

    return fn.filter(parents, lambda one: ~told(one))
