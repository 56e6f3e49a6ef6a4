"""`check`: a trace in, the answer out; in stages that have names, so that whoever waits can be told what is going on.

Reading makes events of the input, verifying gives the verdict, explaining the chains behind the worst violations;
where an output folder is given, measuring and writing fill its tables. What comes back is small and bounded however
large the trace is: everything that grows with the data stays in Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from antecede.pipeline import explain, ingest
from antecede.pipeline.answer import Answer, answer
from antecede.pipeline.explain import Explained
from antecede.pipeline.session import explained as in_words
from antecede.pipeline.verify import Verified, verify

SKEW_LISTED_MAX = 50
QUARANTINE_LISTED_MAX = 100

Progress = Callable[[str], None]


def silent(stage: str) -> None:
    """Nobody waits."""


@dataclass(frozen=True, slots=True)
class Refused:
    """One quarantined row."""

    file: str
    line: int
    reason: str
    row: str | None


@dataclass(frozen=True, slots=True)
class Skew:
    """A link on which delivers precede their sends by the source's clocks."""

    run: str
    sender: str
    process: str
    early: int
    worst_s: float


@dataclass(frozen=True, slots=True)
class Checked:
    """The answer, and what a report needs besides."""

    paths: tuple[str, ...]
    format: str
    notes: tuple[str, ...]
    answer: Answer
    quarantined: int
    explained: tuple[Explained, ...]
    events: DataFrame
    stages: tuple[tuple[str, float], ...]

    def as_dict(self) -> dict[str, str | int]:
        """The object of `antecede check --json`: at least these keys, always."""
        found = self.answer
        return {
            "verdict": found.verdict,
            "reason": found.reason,
            "format": self.format,
            "runs": found.run_count,
            **{name: count for name, count in found.sums.items() if name != "windows"},
            "quarantined": self.quarantined,
        }


@dataclass(slots=True)
class Stages:
    """Names each stage to whoever waits, and keeps how long it took."""

    progress: Progress
    took: list[tuple[str, float]] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.progress(name)
        begun = perf_counter()
        with in_words(f"{name} failed"):
            yield
        self.took.append((name, perf_counter() - begun))


def check(
    spark: SparkSession,
    paths: Sequence[str],
    *,
    format: str = "auto",
    regex: str | None = None,
    delimiter: str | None = None,
    mapping: str | Mapping[str, object] | None = None,
    windows: int | None = None,
    worst: int = explain.WORST,
    progress: Progress = silent,
) -> Checked:
    """Check the trace in `paths`."""
    stages = Stages(progress)
    with stages.stage("reading"):
        read = ingest.read(spark, paths, format, regex=regex, delimiter=delimiter, mapping=mapping)
        quarantined = read.quarantine.count()
    with stages.stage("verifying"):
        verified = verify(read.events, windows=windows).keep()
        found = answer(verified.runs)
    told: tuple[Explained, ...] = ()
    if found.verdict == "violated" and worst:
        with stages.stage("explaining"):
            told = explain.explain(read.events, verified.deliveries, verified.messages, _sizes(verified), worst)
    verified.release()
    return Checked(tuple(paths), read.format, read.notes, found, quarantined, told, read.events, tuple(stages.took))


def _sizes(verified: Verified) -> DataFrame:
    return verified.runs.select("run", "events", fn.col("early"))
