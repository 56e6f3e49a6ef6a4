"""Make a Spark session, and put its failures into words. No other module makes one.

`session` starts an embedded Spark, joins a cluster, or connects to a Spark Connect server. The rest of the project uses
only DataFrames and Arrow functions, which all three have. An embedded Spark is quiet, keeps to the loopback interface,
and runs Python workers with this very interpreter and this very package. Its memory is `ANTECEDE_DRIVER_MEMORY` (such
as `4g`), or else a quarter of the machine's memory, between 1 and 4 GB.

Some faults are looked for before Spark is asked, because Spark's own answers come late and in many lines: a missing
Java, an address where nothing listens, a disk without room to spill. If a job fails later, while it runs,
`explain_failure` turns the error into one sentence of the same kind.
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
from antecede.pipeline.spark import class_archive, java

LOCAL_SHUFFLE_PARTITIONS = 4
MEMORY_ENVIRONMENT = "ANTECEDE_DRIVER_MEMORY"
MEMORY_MB_MIN, MEMORY_MB_MAX = 1024, 4096
DISK_FREE_MB_MIN = 200
PROBE_SECONDS_MAX = 5.0
CONNECT_PORT = 15002
ADDRESS = re.compile(r"^(?:spark|sc|k8s|k8s://https?)://(?P<hosts>[^/;]+)")
MASTERS = ("local[2]", "local[*]", "spark://HOST:7077", "sc://HOST:15002", "yarn", "k8s://...")
"""The forms of a master that a caller may write, with examples for the parts that vary."""
MASTER = re.compile(
    r"local|local\[\s*(\*|[1-9]\d*)\s*(,\s*\d+\s*)?\]|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]|yarn|(spark|sc|k8s)://.+"
)
REFUSAL = re.compile(r"antecede\.[\w.]+\.(UnreadableInput|FileChanged|BadPattern|UnknownFormat|Misuse): (.+)")
"""The part of an error of Spark in which a task says that the input cannot be read."""
WORKER_MEMORY = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
}
"""Settings by which a worker keeps the memory of a task's columns for those of the next task. To give the memory back
each time, and to fault it in again, takes a tenth of the time of a large check."""
TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)")
"""The traceback of a task in an error of Spark. Its last line names the error."""
LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")


class UnreachableSpark(Misuse):
    """There is no Spark at the given address."""


class SparkFailed(AntecedeError):
    """A Spark job failed for a reason that does not lie in the trace."""


class SparkOutOfRoom(LimitReached):
    """Disk or memory ran out. The input was not changed."""


def session(
    master: str | None = None,
    *,
    app: str = "antecede",
    options: Mapping[str, str] | None = None,
    others: Sequence[str] = (),
) -> SparkSession:
    """Return a session on `master`: a Spark master, an `sc://` Connect address, or, by default, all local cores.

    `app` is the name of the application. `options` are further settings of Spark. `others` are words that the caller
    takes in place of a master; the error for a wrong master names them.
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
    # The error that reaches the caller has all that this logger would say.
    logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL)
    with explain_failure(f"Spark could not be started on {address}"):
        return builder.getOrCreate()


@contextmanager
def explain_failure(doing: str = "a Spark job failed") -> Iterator[None]:
    """Raise an error of one sentence, which says what to do, in place of an error of Spark inside a `with` block.

    `doing` is the beginning of the sentence, and says what failed.
    """
    try:
        yield
    except (PySparkException, Py4JError, OSError, RuntimeError) as error:
        raise _in_words(doing, error) from error


def let_go(frame: DataFrame) -> None:
    """Release a cached DataFrame. Do nothing if Spark is gone: another error says why it is."""
    with suppress(PySparkException, Py4JError, OSError):
        frame.unpersist()


def cause(error: BaseException) -> str:
    """Return the innermost reason in a Spark error.

    It is the error of a Python task if there is one, else the last `Caused by`, else the first line.
    """
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
    refused = REFUSAL.search(text)
    kind: type[UnreadableInput] = getattr(errors, refused[1] if refused else "", UnreadableInput)
    return kind(refused[2]) if refused else SparkFailed(f"{doing}: {cause(error)}")


def _settings(address: str) -> dict[str, str]:
    common = {
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.legacy.parquet.nanosAsLong": "true",  # otherwise Spark has no type for nanoseconds
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
        "spark.shuffle.compress": "false",  # the data never leaves the machine, and a check takes a tenth less time
        "spark.sql.codegen.cache.maxEntries": "1000",  # a check has more entries than the 100 that Spark would keep
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
    """Set the environment for the processes that Spark starts on this machine, before the first is started.

    Raise `SparkOutOfRoom` if a disk on which Spark spills is full, and `UnusableJava` if there is no Java.
    """
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
        found = java.find()
        os.environ["JAVA_HOME"] = java.launcher_home(found, class_archive.use(found))


def _probe(address: str, others: Sequence[str] = ()) -> None:
    """Raise `UnreachableSpark` if `address` is not a master, or if nothing answers there.

    Spark takes a minute to notice that nothing answers. To try a connection first takes no time.
    """
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
