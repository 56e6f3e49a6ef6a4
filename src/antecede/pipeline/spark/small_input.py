"""Choose settings of Spark for a small input, for which Spark takes longer to warm up than to work.

Spark makes Java code of every query, and Java compiles code that is run often in ever better ways. Both pay if there is
much to read. For a few megabytes on this machine, they take much of the time from command to verdict (the input `log`
of `python -m bench.check` measures it). So for such an input an embedded Spark is started with Java's first compiler
alone, without whole-stage code, and without planning every query again while it runs. The results are the same. These
are options of the Java process, so a session that already exists keeps its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from glob import glob
from itertools import islice
from pathlib import Path

from antecede.pipeline.spark.session import LOG_SETTINGS

SMALL_BYTES_MAX = 4 << 20
SMALL_FILES_MAX = 200
JAVA_OPTIONS = (
    f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Dspark.sql.codegen.wholeStage=false",
    "-Dspark.sql.adaptive.enabled=false",
)


def options(paths: Sequence[str], master: str | None) -> dict[str, str]:
    """Return settings for `session`. There are none unless Spark is embedded, and the input is local and small."""
    if master is not None and not master.startswith("local["):
        return {}
    return {"spark.driver.extraJavaOptions": " ".join(JAVA_OPTIONS)} if is_small(paths) else {}


def is_small(paths: Sequence[str]) -> bool:
    """Return whether the paths mean at most `SMALL_FILES_MAX` local files of at most `SMALL_BYTES_MAX` bytes together.

    A compressed file counts as ten times its size.
    """
    found = list(islice(_files(paths), SMALL_FILES_MAX + 1))
    if not 0 < len(found) <= SMALL_FILES_MAX:
        return False
    return sum(_bytes(path) for path in found) <= SMALL_BYTES_MAX


def _bytes(path: Path) -> int:
    return path.stat().st_size * (10 if path.suffix in (".gz", ".parquet", ".zst", ".bz2") else 1)


def _files(paths: Sequence[str]) -> Iterator[Path]:
    for path in paths:
        for name in glob(path) or [path]:
            place = Path(name)
            yield from filter(Path.is_file, place.rglob("*")) if place.is_dir() else [place] if place.is_file() else []
