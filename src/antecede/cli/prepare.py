"""`antecede prepare`: write an archive of Spark's classes, from which later commands start faster."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from antecede.cli.screen import show_progress

EXPLANATION = """\
Every command that uses Spark starts Java first, which loads some 10,000 classes. This command checks a log of a few
lines, and writes an archive of the classes that were loaded (about 160 MB) to the cache folder of this user
($XDG_CACHE_HOME, or else ~/.cache). From then on `antecede check` and `antecede lab` start faster: a check of a small
log takes about 60 % of the time. Results are the same. Run the command again after an upgrade of Java or
of pyspark; an archive that does not fit is ignored.
"""

LINES = (
    {"run": "r", "process": "a", "index": 0, "kind": "send", "message": "m", "dests": ["b"]},
    {"run": "r", "process": "b", "index": 0, "kind": "deliver", "message": "m"},
)


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "prepare",
        help="make Spark start faster on this machine, once",
        description=EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--remove", action="store_true", help="remove all archives, also those of earlier versions, and write none"
    )


def run(arguments: argparse.Namespace) -> int:
    from antecede.pipeline.spark import class_archive, java

    if arguments.remove:
        print(f"removed {class_archive.remove() >> 20} MB from {class_archive.folder()}")
        return 0
    found = java.find()
    with show_progress() as progress, class_archive.record(found) as flags, tempfile.TemporaryDirectory() as folder:
        os.environ["JAVA_HOME"] = java.launcher_home(found, flags)
        progress("checking a small log, to see which classes Spark needs")
        spark = _check(Path(folder))
        progress("writing the archive")
        class_archive.end_java(spark)
    size = sum(path.stat().st_size for path in class_archive.layers(found))
    print(f"wrote {size >> 20} MB to {class_archive.folder()}; `antecede prepare --remove` removes it")
    return 0


def _check(folder: Path) -> Any:
    """Check a trace of a few lines and write its tables, and return the session of Spark."""
    from antecede.pipeline.check import check
    from antecede.pipeline.spark.runner import SparkRunner
    from antecede.pipeline.spark.session import session

    trace = folder / "trace.jsonl"
    trace.write_text("".join(f"{json.dumps(line)}\n" for line in LINES))
    spark = session()
    check(SparkRunner(spark), [str(trace)], format="antecede", out=str(folder / "out"))
    return spark
