"""The one place where a Spark session is made, and where its failures are put into words.

`session` starts an embedded Spark, joins a cluster, or connects to a Spark Connect server; the rest of the project
uses DataFrames and Arrow functions alone, which all three have. An embedded Spark is quiet, keeps to the loopback
interface, runs Python workers with this very interpreter and this very package, and takes its memory from
`ANTECEDE_DRIVER_MEMORY` (such as `4g`), else a quarter of the machine's, between 1 and 4 GB.

What can be known before Spark is asked is checked first, because Spark's own answers come late and in many lines:
the Java, whether anything listens at the address of the master, room on the disk where Spark spills. What fails
later, while a job runs, `explain_failure` turns into one sentence of the same kind.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from antecede.core.errors import AntecedeError, LimitReached, Misuse
from antecede.pipeline import errors
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.spark import java

LOCAL_SHUFFLE_PARTITIONS = 4
MEMORY_ENVIRONMENT = "ANTECEDE_DRIVER_MEMORY"
MEMORY_MB_MIN, MEMORY_MB_MAX = 1024, 4096
DISK_FREE_MB_MIN = 200
PROBE_SECONDS_MAX = 5.0
CONNECT_PORT = 15002
ADDRESS = re.compile(r"^(?:spark|sc|k8s|k8s://https?)://(?P<hosts>[^/;]+)")
MASTERS = ("local[2]", "local[*]", "spark://HOST:7077", "sc://HOST:15002", "yarn", "k8s://...")
"""What people may write as a master, with examples for what varies."""
MASTER = re.compile(
    r"local|local\[\s*(\*|[1-9]\d*)\s*(,\s*\d+\s*)?\]|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]|yarn|(spark|sc|k8s)://.+"
)
REFUSED = re.compile(r"antecede\.[\w.]+\.(UnreadableInput|FileChanged|BadPattern|UnknownFormat|Misuse): (.+)")
"""How a task says that the input cannot be read, inside of what Spark says."""
WORKER_MEMORY = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
}
"""A worker keeps the memory of a task's columns for those of the next. To give it back each time, and to fault it in
again, is a tenth of the time of a large check."""
TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)")
"""What a task says of an error of its own. The last line names the error."""
LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")


class UnreachableSpark(Misuse):
    """No Spark can be had at the address given."""


class SparkFailed(AntecedeError):
    """A Spark job failed for a reason that is not the trace's."""


class SparkOutOfRoom(LimitReached):
    """Disk or memory ran out; nothing of the input was changed."""


def session(
    master: str | None = None,
    *,
    app: str = "antecede",
    options: Mapping[str, str] | None = None,
    others: Sequence[str] = (),
) -> SparkSession:
    """A session on `master`: a Spark master, an `sc://` Connect address, or, by default, all local cores.

    `others` are what the caller takes in place of a master. The error for a wrong master names them.
    """
    address = master or "local[*]"
    _probe(address, others)
    builder = SparkSession.builder.appName(app)
    if address.startswith("sc://"):
        builder = builder.remote(address)
    else:
        _prepare_machine()
        builder = builder.master(address)
    settings = {**_settings(address), **(options or {})}
    for key, value in settings.items():
        builder = builder.config(key, value)
    # What it would say is in the error that reaches the caller.
    logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL)
    with explain_failure(f"Spark could not be started on {address}"):
        return builder.getOrCreate()


@contextmanager
def explain_failure(doing: str = "a Spark job failed") -> Iterator[None]:
    """Around anything that runs a Spark job: its failure becomes one sentence that says what to do."""
    try:
        yield
    except (PySparkException, Py4JError, OSError, RuntimeError) as error:
        raise _in_words(doing, error) from error


def let_go(frame: DataFrame) -> None:
    """Of what was kept. A Spark that is gone keeps nothing, and why it is gone is for another error to say."""
    with suppress(PySparkException, Py4JError, OSError):
        frame.unpersist()


def cause(error: BaseException) -> str:
    """Return the innermost reason in a Spark error: that of a Python task, the last `Caused by`, or the first line."""
    in_tasks = TRACEBACK.findall(str(error))
    if in_tasks:
        return f"a task ended with {in_tasks[-1].strip()}"[:500]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reasons = [line.removeprefix("Caused by:").strip() for line in lines if line.startswith("Caused by:")]
    return (reasons[-1:] or lines[:1] or [type(error).__name__])[0][:500]


def _in_words(doing: str, error: BaseException) -> AntecedeError:
    text = str(error)
    if "No space left on device" in text or "Disk quota exceeded" in text:
        return SparkOutOfRoom(f"{doing}: the disk is full; free some, or set SPARK_LOCAL_DIRS to a larger disk")
    if "OutOfMemoryError" in text or "Java heap space" in text:
        return SparkOutOfRoom(f"{doing}: memory ran out; set {MEMORY_ENVIRONMENT} (such as 8g) to give it more")
    if "JAVA_GATEWAY_EXITED" in text:
        return java.UnusableJava(f"{doing}: Java stopped at once; what it said is above; set JAVA_HOME to another one")
    if "parse Master URL" in text:
        return UnreachableSpark(f"{doing}: that is no Spark master; try local[*], spark://host:7077 or sc://host:15002")
    if "UNAVAILABLE" in text or "Connection refused" in text:
        return UnreachableSpark(f"{doing}: the connection to Spark is lost; see that it still runs: {cause(error)}")
    refused = REFUSED.search(text)
    kind: type[UnreadableInput] = getattr(errors, refused[1] if refused else "", UnreadableInput)
    return kind(refused[2]) if refused else SparkFailed(f"{doing}: {cause(error)}")


def _settings(address: str) -> dict[str, str]:
    common = {
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.legacy.parquet.nanosAsLong": "true",  # else Spark has no type for them
        "spark.sql.session.timeZone": "UTC",
    }
    if not address.startswith("local"):
        return common
    package_parent = str(Path(__file__).resolve().parents[3])
    java_options = f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"
    return {
        **common,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": str(LOCAL_SHUFFLE_PARTITIONS),
        "spark.shuffle.compress": "false",  # it never leaves the machine: a tenth of the time of a check is saved
        "spark.sql.codegen.cache.maxEntries": "1000",  # a check has more of them than the 100 that Spark would keep
        "spark.driver.memory": os.environ.get(MEMORY_ENVIRONMENT) or f"{_memory_mb()}m",
        "spark.driver.extraJavaOptions": java_options,
        "spark.executor.extraJavaOptions": java_options,
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(
            filter(None, [package_parent, os.environ.get("PYTHONPATH", "")])
        ),
        **{f"spark.executorEnv.{name}": value for name, value in WORKER_MEMORY.items()},
    }


def _memory_mb() -> int:
    quarter_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (4 << 20)
    return max(MEMORY_MB_MIN, min(MEMORY_MB_MAX, quarter_mb))


def _prepare_machine() -> None:
    """What the processes that Spark starts here read from the environment, before the first is started."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    for folder in (os.environ.get("SPARK_LOCAL_DIRS") or tempfile.gettempdir()).split(","):
        with suppress(FileNotFoundError):
            free_mb = shutil.disk_usage(folder).free >> 20
            if free_mb < DISK_FREE_MB_MIN:
                raise SparkOutOfRoom(
                    f"{folder} has {free_mb} MB left and Spark needs room to spill ({DISK_FREE_MB_MIN} MB to start); "
                    "free some, or set SPARK_LOCAL_DIRS to a larger disk"
                )
    if java.LAUNCHER_HOME_MARK not in os.environ.get("JAVA_HOME", ""):
        os.environ["JAVA_HOME"] = java.launcher_home(java.find())


def _probe(address: str, others: Sequence[str] = ()) -> None:
    """Spark takes a minute to notice that nobody is there; a connection tried first takes no time."""
    if not MASTER.fullmatch(address):
        raise UnreachableSpark(
            f"no Spark is addressed like {address!r}{errors.did_you_mean(address, (*others, *MASTERS))}; write "
            f"{', '.join((*others, *MASTERS))}, or leave --master out to use an embedded Spark on all cores"
        )
    found = ADDRESS.match(address)
    hosts = found["hosts"].split(",") if found else []
    reasons = [reason for reason in map(_refusal, hosts) if reason]
    if hosts and len(reasons) == len(hosts):
        raise UnreachableSpark(
            f"nothing answers at {address} ({reasons[0]}); start Spark there, correct the address, or leave --master "
            "out to use an embedded Spark"
        )


def _refusal(host_and_port: str) -> str | None:
    host, _, port = host_and_port.rpartition(":") if ":" in host_and_port else (host_and_port, "", "")
    try:
        with socket.create_connection((host.strip("[]"), int(port or CONNECT_PORT)), timeout=PROBE_SECONDS_MAX):
            return None
    except (OSError, ValueError) as error:
        return str(error)
