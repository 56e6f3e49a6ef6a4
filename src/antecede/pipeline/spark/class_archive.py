"""Keep the classes of Spark in an archive, from which Java starts in little more than half the time.

A check of a small log takes Java's processor longer to load and verify some 10,000 classes than to check the log. Java
can write the classes of one run to an archive, and map it into memory the next time (class data sharing, JEP 310 and
350). `record` writes the archive of this installation of Java and Spark, and `use` returns the flags that use it. Java
ignores an archive of another Java or of other classes, and then starts as without one.

An archive has two layers: the classes of Java itself, which not every Java comes with, and those of Spark above them.
It holds code, so it is used only if nobody but its owner, who runs this process, can write to it. Java does not start
at all with an archive that was cut short, so a third file says how long both layers are and when they were written; it
is written last.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

from antecede.core.errors import AntecedeError
from antecede.pipeline.spark import java

BASE_S_MAX, RECORD_S_MAX = 120, 300
SILENT = "-Xlog:disable"
"""Otherwise Java says on standard output why it ignores an archive."""


class ArchiveNotMade(AntecedeError):
    """Java did not write the archive."""


def folder() -> Path:
    """Return the folder of archives, in the cache of this user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "antecede"


def layers(of: java.Java) -> tuple[Path, Path]:
    """Return the paths of the classes of Java and of those of Spark, for this Java and this Spark."""
    installation = f"{os.path.realpath(of.executable)}\n{os.path.realpath(pyspark.__file__)}\n{pyspark.__version__}"
    name = f"spark-{pyspark.__version__}-java-{of.version}-{hashlib.sha256(installation.encode()).hexdigest()[:12]}"
    return folder() / f"{name}-java.jsa", folder() / f"{name}-spark.jsa"


def use(of: java.Java) -> Sequence[str]:
    """Return the flags of Java that use its archive.

    There are none if it was not made, was changed since, or can be written to by others.
    """
    both = layers(of)
    try:
        is_usable = (
            _is_possible(folder())
            and all(map(_is_own, both))
            and json.loads(_state_path(of).read_text()) == _state(both)
        )
    except (OSError, ValueError):
        return ()
    if not is_usable:
        return ()
    return (f"-XX:SharedArchiveFile={both[0]}:{both[1]}", "-Xshare:auto", SILENT)


@contextmanager
def record(of: java.Java) -> Iterator[Sequence[str]]:
    """Yield the flags with which a Java has to run Spark, so that its classes are written to a new archive.

    That Java must have ended when the block ends. Raise `ArchiveNotMade` if there is no archive then.
    """
    if not _is_possible(folder()):
        raise ArchiveNotMade(
            f"{folder()} cannot have an archive: set XDG_CACHE_HOME to an absolute path without colons"
        )
    base, top = layers(of)
    state = _state_path(of)
    try:
        base.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove(state, base, top)
        _write_base(of, base)
        yield (f"-XX:SharedArchiveFile={base}", f"-XX:ArchiveClassesAtExit={top}", SILENT)
        if not top.is_file():
            raise ArchiveNotMade(f"{of.executable} ran Spark and wrote no archive of its classes to {top}")
        for path in (base, top):
            path.chmod(0o600)
            _flush(path)
        state.touch(0o600)
        state.write_text(json.dumps(_state((base, top))))
    except OSError as error:
        _remove(state, base, top)
        raise ArchiveNotMade(f"no archive was written to {folder()}: {error}") from None
    except BaseException:
        _remove(state, base, top)
        raise


def remove() -> int:
    """Remove the archives of every Java and Spark, and return how many bytes they had."""
    found = [path for path in folder().glob("spark-*") if path.suffix in (".jsa", ".json") and path.is_file()]
    size = sum(path.stat().st_size for path in found)
    _remove(*found)
    return size


def end_java(spark: SparkSession) -> None:
    """End the session and the Java that runs it, and wait until that Java has ended."""
    gateway = spark.sparkContext._gateway
    process = gateway.proc
    spark.stop()
    gateway.shutdown()
    process.stdin.close()
    try:
        process.wait(RECORD_S_MAX)
    except subprocess.TimeoutExpired:
        raise ArchiveNotMade(f"Java did not write the classes of Spark within {RECORD_S_MAX} s") from None


def _write_base(of: java.Java, base: Path) -> None:
    """Let Java write an archive of its own classes."""
    flags = ["-Xshare:dump", f"-XX:SharedArchiveFile={base}"]
    try:
        dumped = subprocess.run(  # noqa: S603 - the Java that runs Spark
            [of.executable, *flags], capture_output=True, text=True, timeout=BASE_S_MAX, check=False
        )
    except subprocess.TimeoutExpired:
        raise ArchiveNotMade(f"{of.executable} did not write its classes within {BASE_S_MAX} s") from None
    if not base.is_file():
        said = (dumped.stdout + dumped.stderr).strip().splitlines()
        raise ArchiveNotMade(f"{of.executable} cannot write an archive of its classes: {(said or ['no reason'])[-1]}")


def _remove(*paths: Path) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink()


def _is_possible(path: Path) -> bool:
    """Return whether Java can be told of archives in this folder: it separates their paths by colons."""
    return path.is_absolute() and os.pathsep not in str(path)


def _state_path(of: java.Java) -> Path:
    return layers(of)[1].with_suffix(".json")


def _state(both: Sequence[Path]) -> list[list[int]]:
    """Return the size of each file and the time at which it was last written."""
    return [[path.stat().st_size, path.stat().st_mtime_ns] for path in both]


def _flush(path: Path) -> None:
    """Wait until the file is on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _is_own(path: Path) -> bool:
    """Return whether the file is this user's, and can be written by nobody else."""
    found = path.stat()
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
