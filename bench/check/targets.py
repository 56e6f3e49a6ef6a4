"""The targets: which measured figure is divided by which, and how much it may be.

Each is a ratio of two medians of the same run, but for the small log, where it is a difference in seconds, and for
memory, where it is the peak itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from bench.check.cases import COUNT, OUT, SORT, SORT_JUDGED, START, VERDICT

AS_EXPECTED = "as expected"
MEMORY_GB_MAX = 6.0
LOG_SECONDS_MAX = 5.0
STATEMENTS_RATIO_MAX = 0.8

Key = tuple[str, str]
"""The name of an input, and a work."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The medians of one work on one input, and how all of its checks ended, if they ended alike."""

    wall_s: float
    cpu_s: float
    peak_gb: float
    ended: str


@dataclass(frozen=True, slots=True)
class Target:
    """At most `limit` for `own` in relation to `peer`."""

    text: str
    limit: float
    own: Key
    peer: Key | None = None
    unit: Literal["times", "s", "GB"] = "times"

    def measure(self, own: Mapping[Key, Summary], peers: Mapping[Key, Summary]) -> float | None:
        """Return the figure, or None if something was not measured or did not end as it should."""
        mine = own.get(self.own)
        other = None if self.peer is None else (own if self.peer[1] in (VERDICT, OUT) else peers).get(self.peer)
        if mine is None or mine.ended != AS_EXPECTED:
            return None
        if self.peer is None:
            return mine.peak_gb
        if other is None or other.ended != AS_EXPECTED:
            return None
        return mine.wall_s - other.wall_s if self.unit == "s" else mine.wall_s / other.wall_s


def _twice(name: str, once: str) -> Iterator[Target]:
    for work in (VERDICT, OUT):
        yield Target(f"{name}, {work}: beside half the events", 2.2, (name, work), (once, work))
        yield Target(f"{name}, {work}: memory of all processes", MEMORY_GB_MAX, (name, work), unit="GB")


TARGETS = (
    Target("log of 2,000 lines, verdict: after starting Spark", LOG_SECONDS_MAX, ("log", VERDICT), ("log", START), "s"),
    Target("JSON Lines, verdict: beside counting the lines", 2.0, ("jsonl", VERDICT), ("jsonl", COUNT)),
    Target("JSON Lines, --out: beside the verdict", 1.5, ("jsonl", OUT), ("jsonl", VERDICT)),
    Target("OTLP, verdict: beside counting the lines", 3.0, ("otlp", VERDICT), ("otlp", COUNT)),
    Target("Parquet, verdict: beside Spark's sort", 1.5, ("parquet", VERDICT), ("parquet", SORT)),
    Target(
        "Parquet, verdict: beside Spark's sort of what is judged", 1.5, ("parquet", VERDICT), ("parquet", SORT_JUDGED)
    ),
    Target("Parquet, --out: beside the verdict", 2.0, ("parquet", OUT), ("parquet", VERDICT)),
    Target("Parquet, 1 run, verdict: beside Spark's sort", 3.0, ("parquet, 1 run", VERDICT), ("parquet, 1 run", SORT)),
    Target(
        "Parquet, 1 run, verdict: beside Spark's sort of what is judged",
        3.0,
        ("parquet, 1 run", VERDICT),
        ("parquet, 1 run", SORT_JUDGED),
    ),
    Target("Parquet, 1 run, --out: beside the verdict", 2.0, ("parquet, 1 run", OUT), ("parquet, 1 run", VERDICT)),
    *(
        Target(f"many processes, {runs}, {work}: beside few", 2.0, (f"many, {runs}", work), (f"few, {runs}", work))
        for runs in ("20 runs", "1 run")
        for work in (VERDICT, OUT)
    ),
    *_twice("twice", "parquet"),
    *_twice("twice, 1 run", "parquet, 1 run"),
)
