"""The rules of a trace as a whole: an index is taken once, and a message is sent once.

Of several rows with the same (run, process, index) the first in input order stays; then, of several sends of the
same (run, message) among the rest, the first stays. To find the others among many millions without sorting them
all, a `survey` reduces each key to 64 bits and counts equal ones; only rows whose number came up twice are looked
at by window, by their true keys, so that two keys with one number cost time and no truth. Almost always there are
none, and the events pass unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

DUPLICATE_INDEX = "duplicate index: an earlier row has this run, process and index"
DUPLICATE_MESSAGE = "duplicate message id: an earlier send has this run and message"
ROW = ("file", "line", "process", "index")  # tells every row from every other, also where one line has several events
REFUSED = 0  # in place of a number, for a row that is no event; a key that really has it costs a look, no more


@dataclass(frozen=True, slots=True)
class Survey:
    """What one pass over all rows found."""

    refused: bool  # some row has a reason
    numbers: DataFrame  # the 64-bit numbers that came up more than once
    repeated: bool  # there are any


def survey(judged: DataFrame) -> Survey:
    """One pass, which moves eight bytes per key."""
    keys = fn.when(fn.col("reason").isNotNull(), fn.array(fn.lit(REFUSED).cast("long"))).otherwise(
        fn.when(fn.col("kind") == "send", fn.array(_index_number(), _message_number())).otherwise(
            fn.array(_index_number())
        )
    )
    counted = judged.select(fn.explode(keys).alias("number")).groupBy("number").agg(fn.count("*").alias("rows"))
    numbers = counted.where((fn.col("rows") > 1) | (fn.col("number") == REFUSED)).select("number")
    numbers = numbers.persist(StorageLevel.MEMORY_AND_DISK)
    (found,) = numbers.agg(
        fn.count("*").alias("all"), fn.count_if(fn.col("number") == REFUSED).alias("refused")
    ).collect()
    return Survey(found.refused > 0, numbers, found["all"] > found.refused)


def repeated(valid: DataFrame, numbers: DataFrame) -> DataFrame:
    """The rows to take out: `ROW`, reason, row."""
    slim = valid.select("run", "process", "index", "kind", "message", "file", "line", "row")
    suspects = (
        slim.withColumn("number", fn.explode(fn.array(_index_number(), _message_number())))
        .join(numbers, "number", "left_semi")
        .drop("number")
        .dropDuplicates(list(ROW))
    )
    by_index = suspects.withColumn("nth", fn.row_number().over(_first("run", "process", "index")))
    taken = by_index.where(fn.col("nth") > 1).withColumn("reason", fn.lit(DUPLICATE_INDEX))
    sends = by_index.where((fn.col("nth") == 1) & (fn.col("kind") == "send"))
    by_message = sends.withColumn("nth", fn.row_number().over(_first("run", "message")))
    resent = by_message.where(fn.col("nth") > 1).withColumn("reason", fn.lit(DUPLICATE_MESSAGE))
    return taken.unionByName(resent).select(*ROW, "reason", "row")


def without(valid: DataFrame, taken: DataFrame) -> DataFrame:
    return valid.join(taken.select(*ROW), list(ROW), "left_anti")


def _first(*key: str) -> Window:
    return Window.partitionBy(*key).orderBy(*ROW)


def _index_number() -> Column:
    return fn.xxhash64("run", "process", "index")


def _message_number() -> Column:
    # The literal keeps a message from having the number of an index by spelling.
    return fn.when(fn.col("kind") == "send", fn.xxhash64("run", "message", fn.lit("message")))
