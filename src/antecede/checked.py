"""`antecede.check`: check a trace from a program, a notebook or a test.

>>> import antecede
>>> found = antecede.check("trace.jsonl", master="in-process")    # doctest: +SKIP
>>> found.verdict                                                 # doctest: +SKIP
'violated'
>>> found.violations.to_pandas()                                  # doctest: +SKIP
"""

from __future__ import annotations

import html
import json
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from antecede.core.errors import Misuse
from antecede.judge.orders import ORDER_NAMES
from antecede.judge.rule import QUARANTINE_MAX
from antecede.pipeline import check as pipeline
from antecede.pipeline.arguments import check_arguments
from antecede.pipeline.progress import no_progress
from antecede.pipeline.read.detection.suggest_mapping import describe_suggestion
from antecede.pipeline.read.detection.suggest_mapping import suggest_mapping as suggest
from antecede.pipeline.read.files import locate
from antecede.pipeline.runner import InProcess
from antecede.pipeline.schema import TABLES
from antecede.pipeline.verify.answer import CAUSAL
from antecede.web.report import render
from antecede.web.step_links import parse_template

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["CheckResult", "check", "suggest_mapping"]

IN_PROCESS = "in-process"
SAMPLE_ROWS = 1_000
OPTION = re.compile(
    r"--(mapping|format|regex|delimiter|receives|out|master|link|quarantine-max|windows|worst|require)"
    r"( (?=['\"/]|\S+: ))?"
)
WORDS = {
    "--suggest-mapping prints one to start from": "antecede.suggest_mapping(source) returns one to start from",
    "--master in-process": 'master="in-process"',
}
"""What the command line says, and what it is called from Python."""
MASTERS_ELSEWHERE = ("local-cluster", "spark://", "sc://", "k8s://", "yarn")
ELSEWHERE = "the tasks of this session run on other machines; give out=, a folder that they and you can reach"


class CheckResult:
    """What a check found. Its tables are those of `antecede check --out`, as Arrow tables."""

    def __init__(self, checked: pipeline.Checked, spark: SparkSession | None) -> None:
        self._checked, self._spark = checked, spark

    @property
    def verdict(self) -> str:
        """Return "holds", "violated" or "undecidable", about the order that `check` was told to require."""
        return self._checked.answer.verdict

    @property
    def orders(self) -> dict[str, str]:
        """Return the verdict on each order of delivery: fifo, causal, agreed and synchronous."""
        return {one.order: one.verdict for one in self._checked.answer.orders}

    @property
    def witnesses(self) -> dict[str, str]:
        """Return how each order that is violated is violated, in words.

        That of causal order is its worst violation; with `worst=0`, the `causal_witness` of the table `summary`.
        """
        found = self._checked.answer
        return {one.order: words for one in found.orders if (words := found.witness_of(one.order))}

    @property
    def reason(self) -> str:
        """Return why, in a sentence."""
        return _name_arguments(self._checked.answer.reason)

    @property
    def complete(self) -> bool:
        """Return whether every row of the input was read."""
        return self._checked.answer.complete

    @property
    def notes(self) -> tuple[str, ...]:
        """Return how the input was read, and what was taken for granted."""
        return tuple(map(_name_arguments, self._checked.notes))

    @property
    def counts(self) -> dict[str, int]:
        """Return what was counted: events, messages, deliveries, violations, and so on."""
        return {name: value for name, value in self._checked.as_dict().items() if type(value) is int}

    @property
    def violations(self) -> pa.Table:
        """Return one row for each delivery that came before one of its causes."""
        return self.table("violations")

    @property
    def deliveries(self) -> pa.Table:
        """Return one row for each delivery."""
        return self.table("deliveries")

    @property
    def quarantine(self) -> pa.Table:
        """Return one row for each row of the input that is not an event, with the reason."""
        return self.table("quarantine")

    def table(self, name: str) -> pa.Table:
        """Return one of the tables that docs/reference/tables.md lists."""
        system, place = locate(self._path(name))
        return pq.read_table(place, filesystem=system)

    def spark(self, name: str) -> DataFrame:
        """Return one of the tables as a DataFrame, if the check ran on Spark."""
        if self._spark is None:
            raise Misuse("this check ran without Spark; read its tables with table(), or check with spark= or a master")
        return self._spark.read.parquet(self._path(name))

    def explain(self, n: int = 1) -> list[str]:
        """Return the worst `n` violations of causal order, each as a sentence, whatever order is required."""
        return [violation.words for violation in self._checked.explained[:n]]

    def report(self, path: str | Path, *, link: str | None = None) -> Path:
        """Write the report as a page to `path`, and return it. `link` is that of `antecede check --link`."""
        with _speak_of_arguments():
            template = None if link is None else parse_template(link)
        written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        place = Path(path)
        place.write_text(render(self._checked, written=written, link=template), encoding="utf-8")
        return place

    def assert_holds(self) -> None:
        """Raise `AssertionError`, with the worst violations in words, if the required order is not shown to hold."""
        if self.verdict != "holds":
            name = ORDER_NAMES[self._checked.answer.required]
            raise AssertionError("\n".join([f"{name}: {self.verdict}. {self.reason}", *self._explain_required()]))

    def __repr__(self) -> str:
        """Return the verdict and its reason."""
        return f"<CheckResult {self.verdict}: {self.reason}>"

    def _repr_html_(self) -> str:
        """Return the verdict, the counts, and the worst violations if causal order is required, for a notebook."""
        counts = "".join(
            f"<tr><td>{html.escape(name)}</td><td style='text-align:right'>{value:,}</td></tr>"
            for name, value in self.counts.items()
        )
        words = "".join(f"<li>{html.escape(one[:1_000])}</li>" for one in self._explain_required())
        complete = "" if self.complete else " (incomplete)"
        return (
            f"<b>{self.verdict.upper()}{complete}</b>: {html.escape(self.reason)}"
            f"{f'<ul>{words}</ul>' if words else ''}<table>{counts}</table>"
        )

    def _explain_required(self) -> list[str]:
        """Return the worst violations if causal order is required. The reason has the witness of any other order."""
        if self._checked.answer.required != CAUSAL:
            return []
        return self.explain(3) or [words for order, words in self.witnesses.items() if order == CAUSAL]

    def _path(self, name: str) -> str:
        if name not in TABLES:
            raise Misuse(f"there is no table {name!r}; there are {', '.join(TABLES)}")
        return f"{self._checked.out}/{name}"


def check(
    source: str | Path | Iterable[str | Path] | pa.Table | pd.DataFrame | DataFrame,
    *,
    spark: SparkSession | None = None,
    master: str | None = None,
    mapping: str | Mapping[str, object] | None = None,
    format: str = "auto",
    regex: str | None = None,
    delimiter: str | None = None,
    receives: str | None = None,
    out: str | Path | None = None,
    windows: int | None = None,
    worst: int = 100,
    quarantine_max: float = QUARANTINE_MAX,
    require: str = "causal",
    progress: Callable[[str], None] | None = None,
) -> CheckResult:
    """Check whether a system delivered its messages in causal order.

    `source` is a path, several paths, a Spark DataFrame, a pandas DataFrame, or an Arrow table. `mapping` says which
    field or column has which meaning, if they are not those of a trace; times may be timestamps.

    `spark` is a session to run on. Without it, `master` is a Spark master, or "in-process" for small inputs without
    Spark; the default is Spark on this machine. A DataFrame of Spark is checked on its own session. It may be computed
    several times: call `cache()` on it first if that is slow, or if its rows are not the same each time.

    `out` is a folder for the tables. Without it they are in a temporary folder of this machine that is removed with the
    result. The other arguments are the options of `antecede check`.
    """
    own = _session_of(source, spark)
    given = None if _is_spark_frame(source) else _given(source)
    reading: Any = {"format": format, "regex": regex, "delimiter": delimiter, "receives": receives}
    others: Any = {"windows": windows, "worst": worst, "quarantine_max": quarantine_max, "require": require}
    if progress is not None and not callable(progress):
        raise Misuse(f"progress={progress!r}: give a function that takes the name of a stage")
    with _speak_of_arguments():
        place = str(out) if isinstance(out, Path) else out
        paths = () if given is None else given
        loaded = check_arguments(
            paths, master, is_running=own is not None, mapping=mapping, out=place, **reading, **others
        )
        runner, session = _start_runner(own, master, has_out=out is not None)
    folder = tempfile.mkdtemp(prefix="antecede-") if out is None else None
    try:
        with _speak_of_arguments():
            checked = pipeline.check(
                runner,
                runner.take_frame(source) if given is None else given,
                **reading,
                **others,
                mapping=loaded,
                out=place if folder is None else folder,
                progress=progress or no_progress,
            )
    except BaseException:
        _remove(folder)
        raise
    result = CheckResult(checked, session)
    weakref.finalize(result, _remove, folder)
    return result


def suggest_mapping(source: str | Path | pa.Table | pd.DataFrame | DataFrame) -> dict[str, Any]:
    """Return a mapping to start from, for `check`, from the first rows of a source in a format of its own.

    `source` is the path of JSON Lines or CSV, a Spark DataFrame, a pandas DataFrame, or an Arrow table. The mapping is
    a guess from names and values: read it, and correct it.
    """
    with _speak_of_arguments():
        if isinstance(source, str | Path):
            return describe_suggestion(str(source))[0]
        table = source.limit(SAMPLE_ROWS).toArrow() if _is_spark_frame(source) else _given(source)
        if not isinstance(table, pa.Table):
            raise Misuse("give one path, an Arrow table, or a DataFrame of Spark or pandas")
        rows = table.slice(0, SAMPLE_ROWS).to_pylist()
        return suggest("\n".join(json.dumps(row, default=str) for row in rows).encode())


@contextmanager
def _speak_of_arguments() -> Iterator[None]:
    """Turn the options of the command line, in what is raised, into the arguments of a call."""
    try:
        yield
    except Misuse as error:
        raise type(error)(_name_arguments(str(error))) from error


def _name_arguments(text: str) -> str:
    for said, meant in WORDS.items():
        text = text.replace(said, meant)
    return OPTION.sub(lambda found: f"{found[1].replace('-', '_')}=", text)


def _remove(folder: str | None) -> None:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _session_of(source: Any, spark: SparkSession | None) -> SparkSession | None:
    """Return the session to run on, if one is given, or comes with a DataFrame."""
    if spark is not None and not hasattr(spark, "createDataFrame"):
        raise Misuse(f"spark={spark!r}: give a session of Spark, or leave spark= out")
    if not _is_spark_frame(source):
        return spark
    own: SparkSession = source.sparkSession
    if spark is not None and spark is not own:
        raise Misuse("the DataFrame belongs to another session than spark=; leave spark= out")
    return own


def _start_runner(
    session: SparkSession | None, master: str | None, *, has_out: bool
) -> tuple[Any, SparkSession | None]:
    """Return a runner and its session of Spark. Without `out`, tasks must run on this machine."""
    if session is not None and master is not None:
        raise Misuse("spark= and master= were both given, or the source is a DataFrame of Spark; leave master= out")
    if master == IN_PROCESS:
        return InProcess(), None
    if not has_out and session is None and master is not None and master.startswith(MASTERS_ELSEWHERE):
        raise Misuse(ELSEWHERE)
    from antecede.pipeline.spark.runner import SparkRunner  # loads pyspark, which takes a second
    from antecede.pipeline.spark.session import session as start

    found = session if session is not None else start(master, others=[IN_PROCESS])
    runner = SparkRunner(found)
    if not has_out and not runner.is_here:
        raise Misuse(ELSEWHERE)
    return runner, found


def _given(source: Any) -> Any:
    """Return the source as `antecede.pipeline.check.check` takes it, if it is not a DataFrame of Spark."""
    if isinstance(source, str | Path):
        return [str(source)]
    if isinstance(source, pa.Table):
        return source
    pandas = sys.modules.get("pandas")  # nobody has a DataFrame of pandas without it
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return pa.Table.from_pandas(source, preserve_index=False)
    if isinstance(source, Iterable):
        paths = list(source)
        if paths and all(isinstance(path, str | Path) for path in paths):
            return [str(path) for path in paths]
    what = type(source).__name__
    raise Misuse(f"cannot check a value of type {what}; give paths, an Arrow table, or a DataFrame of Spark or pandas")


def _is_spark_frame(source: object) -> bool:
    return type(source).__module__.startswith("pyspark.") and type(source).__name__ == "DataFrame"
