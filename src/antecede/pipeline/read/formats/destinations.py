"""Destinations for sources that do not name them.

A send without `dests` takes the processes where its message arrived. That is enough to judge order, and it hides
every loss: a destination where nothing arrived is not known to be one. So a note says how many sends it was done
for.
"""

from __future__ import annotations

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

NOTE = (
    "sends without destinations: {sends}; the processes where such a message arrived count as its destinations, so "
    "that lost messages are not seen"
)


def destinations(candidates: DataFrame) -> tuple[DataFrame, tuple[str, ...]]:
    """The same rows with `dests` on every send, kept by Spark; and the note where any had to be inferred."""
    usable = fn.col("reason").isNull()
    arrived = (
        candidates.where(usable & fn.col("kind").isin("receive", "deliver"))
        .groupBy("run", "message")
        .agg(fn.array_sort(fn.collect_set("process")).alias("arrived"))
    )
    lacking = usable & (fn.col("kind") == "send") & fn.col("dests").isNull()
    found = fn.coalesce("arrived", fn.array().cast("array<string>"))
    joined = candidates.join(arrived, ["run", "message"], "left").withColumn("lacking", lacking)
    filled = joined.withColumn("dests", fn.when(fn.col("lacking"), found).otherwise(fn.col("dests"))).drop("arrived")
    kept = filled.persist(StorageLevel.MEMORY_AND_DISK)
    sends = kept.where("lacking").count()
    return kept.drop("lacking"), (NOTE.format(sends=sends),) if sends else ()
