"""`python -m bench.check.peers WORK [FOLDER] [--master URL]`: what a check is compared with, each a cold process.

start         start Spark, and nothing else
count         start Spark and count the lines of the files, or the rows of Parquet files
sort          start Spark, read the rows of Parquet files with all their columns, shuffle them by run and process, sort
              them, and drop them in Spark's `noop` sink
sort-judged   the same with the columns alone that a verdict needs
judge         read JSON Lines or Parquet and judge the events in pure Python, without Spark. Each event is a Python
              object, so this is for up to about a million events. OTLP has no such peer: the judge reads no spans

Spark has its own settings here and not those of a check, so that a check that changes its settings does not change what
it is compared with. Only what is drawn on a screen is switched off.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

PARTITIONS = 8
DRIVER_MEMORY = "4g"
JUDGED = ("run", "process", "index", "kind", "time", "message", "dests")


def start_spark(master: str | None) -> Any:
    """Return a session of an embedded Spark."""
    from pyspark.sql import SparkSession

    from antecede.pipeline.spark import java

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["JAVA_HOME"] = java.launcher_home(java.find())
    builder = SparkSession.builder.master(master or "local[*]").config("spark.driver.memory", DRIVER_MEMORY)
    return builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate()


def count_rows(folder: Path, master: str | None) -> int:
    """Return the number of lines, or of rows of Parquet. Spark counts the rows from the footers of Parquet alone."""
    reader = start_spark(master).read
    return int((reader.parquet(str(folder)) if _is_parquet(folder) else reader.text(str(folder))).count())


def _is_parquet(folder: Path) -> bool:
    return any(path.suffix == ".parquet" for path in folder.iterdir())


def sort_rows(folder: Path, master: str | None, columns: Sequence[str] = ("*",)) -> None:
    rows = start_spark(master).read.parquet(str(folder)).select(*columns)
    sorted_rows = rows.repartition(PARTITIONS, "run", "process").sortWithinPartitions("run", "process", "index")
    sorted_rows.write.format("noop").mode("overwrite").save()


def judge_files(folder: Path) -> str:
    from antecede.judge.events import Event, parse, read_jsonl
    from antecede.judge.judge import judge

    if _is_parquet(folder):
        parsed = list(map(parse, _rows(folder)))
        of_rows = [event for event in parsed if isinstance(event, Event)]
        return str(judge(of_rows, quarantined=len(parsed) - len(of_rows)).verdict)
    events, refused = read_jsonl(_lines(folder))
    return str(judge(events, quarantined=len(refused)).verdict)


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    import pyarrow.parquet as pq

    for path in sorted(folder.iterdir()):
        for batch in pq.ParquetFile(path).iter_batches(columns=list(JUDGED)):
            yield from batch.to_pylist()


def _lines(folder: Path) -> Iterator[str]:
    for path in sorted(folder.iterdir()):
        with path.open() as file:
            yield from file


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.check.peers", description=__doc__)
    parser.add_argument("work", choices=("start", "count", "sort", "sort-judged", "judge"))
    parser.add_argument("folder", type=Path, nargs="?", default=Path())
    parser.add_argument("--master")
    options = parser.parse_args(argv)
    if options.work == "start":
        start_spark(options.master)
    elif options.work == "count":
        print(count_rows(options.folder, options.master))
    elif options.work == "judge":
        print(judge_files(options.folder))
    else:
        sort_rows(options.folder, options.master, ("*",) if options.work == "sort" else JUDGED)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
