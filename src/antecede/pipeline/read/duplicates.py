"""The rules of a trace as a whole: an index is taken once, and a message is sent once.

Of several rows with the same (run, process, index) the first in input order stays; then, of several sends of the
same (run, message) among the rest, the first stays. To find the others among many millions without sorting them
all, a `survey` looks for places where there might be any. For indexes it sets one bit per index in words of 64, one
word per 64 positions of a process, and compares the bits set with the rows counted: 64 times fewer groups than rows.
For messages it counts equal ids. Keys are reduced to 64-bit numbers; two keys with one number can only add a place to
look at. The places found are looked at by window, by the true keys. Almost always there are none, and the events pass
unchanged.
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
    numbers: DataFrame  # the 64-bit numbers of the places where a key may come twice
    repeated: bool  # there are any


def survey(judged: DataFrame) -> Survey:
    """One pass over all rows, and one over the sends."""
    refused = fn.col("reason").isNotNull()
    word = fn.when(refused, fn.lit(REFUSED).cast("long")).otherwise(_index_number())
    words = judged.select(word.alias("number"), fn.when(~refused, _index_bit()).alias("bit"))
    by_index = words.groupBy("number").agg(fn.count("*").alias("rows"), fn.bit_or("bit").alias("bits"))
    crowded = fn.col("rows") > fn.coalesce(fn.bit_count("bits"), fn.lit(0))
    sends = judged.where(fn.col("kind") == "send").select(_message_number().alias("number"))
    by_message = sends.groupBy("number").agg(fn.count("*").alias("rows")).where(fn.col("rows") > 1)
    numbers = by_index.where(crowded).select("number").unionAll(by_message.select("number"))
    numbers = numbers.persist(StorageLevel.MEMORY_AND_DISK)
    found = numbers.agg(fn.count("*").alias("all"), fn.count_if(fn.col("number") == REFUSED).alias("refused"))
    (counted,) = found.collect()
    return Survey(counted.refused > 0, numbers, counted["all"] > counted.refused)


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
    return fn.xxhash64("run", "process", fn.shiftright("index", 6))


def _index_bit() -> Column:
    return fn.expr("shiftleft(1L, cast(index & 63 as int))")


def _message_number() -> Column:
    # The literal keeps a message from having the number of an index by spelling. Sends that are refused for another
    # reason count here too: that can only add a place to look at.
    return fn.when(fn.col("kind") == "send", fn.xxhash64("run", "message", fn.lit("message")))
