"""Read, write and query results. There is a row for each point and seed, as Parquet on disk.

A number at one point is estimated by its mean, with its 95 % confidence interval by Student's t over the seeds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from antecede.core.errors import Misuse
from antecede.sim.trace import name_when_complete

SCHEMA = pa.schema(
    [
        ("experiment", pa.string()),
        ("point", pa.int32()),
        ("parameters", pa.string()),
        ("seed", pa.int64()),
        ("measurements", pa.map_(pa.string(), pa.float64())),
        ("error", pa.string()),
        ("seconds", pa.float64()),
    ]
)
SQL_SCHEMA = (
    "experiment string, point int, parameters string, seed bigint, measurements map<string,double>, "
    "error string, seconds double"
)
LASTING = ("experiment", "point", "parameters", "seed", "measurements", "error")
"""The columns that are the same whenever and wherever an experiment is run."""
T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
"""The 0.975 quantile of Student's t with 1 to 30 degrees of freedom."""
T_975_BEYOND = 1.96
LASTING_FILE, PASSING_FILE = "results.parquet", "times.parquet"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and the ends of its 95 % confidence interval. Both ends equal the mean if nothing varies."""

    mean: float
    low: float
    high: float
    count: int


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of the values and its confidence interval. The interval of a single value is that value."""
    count = len(values)
    mean = fsum(values) / count
    if count == 1:
        return Estimate(mean, mean, mean, 1)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / (count - 1))
    t = T_975[count - 2] if count - 2 < len(T_975) else T_975_BEYOND
    half = t * deviation / sqrt(count)
    return Estimate(mean, mean - half, mean + half, count)


class MissingResult(Misuse):
    """An error for a number that was not measured: the point failed, or the grid does not contain it."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The measurements of one point with one seed."""

    point: int
    parameters: dict[str, Any]
    seed: int
    measurements: dict[str, float]


@dataclass(frozen=True, slots=True)
class Results:
    """The rows that did not fail, in the order of points and seeds."""

    rows: tuple[Measurement, ...]

    def select(self, **where: object) -> Results:
        """Return the rows of the points that have these parameters."""
        return Results(tuple(row for row in self.rows if where.items() <= row.parameters.items()))

    def values(self, name: str, /, **where: object) -> list[float]:
        """Return the number `name` of the one point that has these parameters, seed by seed."""
        rows = [row for row in self.select(**where).rows if name in row.measurements]
        points = {row.point for row in rows}
        if len(points) != 1:
            raise MissingResult(f"{len(points)} points with {where} have {name}, where one was wanted")
        return [row.measurements[name] for row in rows]

    def pair_by_seed(self) -> Results:
        """Return the rows with the seeds that every point has, so that the values of two points can be paired by seed.

        A point that failed with every seed is not among the points.
        """
        seeds: dict[int, set[int]] = {}
        for row in self.rows:
            seeds.setdefault(row.point, set()).add(row.seed)
        common = set.intersection(*seeds.values()) if seeds else set()
        return Results(tuple(row for row in self.rows if row.seed in common))

    def distinct(self, parameter: str) -> list[Any]:
        """Return the values that a parameter takes, in the order of the grid."""
        return list(dict.fromkeys(row.parameters[parameter] for row in self.rows if parameter in row.parameters))

    @classmethod
    def from_table(cls, table: pa.Table) -> Results:
        """Return the rows of an Arrow table that did not fail."""
        rows = (
            Measurement(row["point"], json.loads(row["parameters"]), row["seed"], dict(row["measurements"]))
            for row in table.to_pylist()
            if row["error"] is None
        )
        return cls(tuple(sorted(rows, key=lambda row: (row.point, row.seed))))


def sort_rows(table: pa.Table) -> pa.Table:
    """Return the table sorted by point and seed."""
    return table.sort_by([("point", "ascending"), ("seed", "ascending")])


def split_times(table: pa.Table, timed: Sequence[str]) -> tuple[pa.Table, pa.Table]:
    """Split a table into lasting results and wall-clock times.

    The times are the measurements that `timed` names, and the seconds that each row took.
    """
    rows = sort_rows(table).to_pylist()
    lasting = [{**row, "measurements": _select_measurements(row, timed, inside=False)} for row in rows]
    passing = [{**row, "measurements": _select_measurements(row, timed, inside=True)} for row in rows]
    return pa.Table.from_pylist(lasting, SCHEMA).select(LASTING), pa.Table.from_pylist(passing, SCHEMA)


def _select_measurements(row: dict[str, Any], timed: Sequence[str], *, inside: bool) -> list[tuple[str, float]]:
    return sorted((name, value) for name, value in row["measurements"] or [] if (name in timed) is inside)


def read_results(folder: Path) -> pa.Table:
    """Return the table that `split_times` took apart, from its two files. The file of times may be missing."""
    rows = parquet.read_table(folder / LASTING_FILE).to_pylist()
    times = folder / PASSING_FILE
    passing = read_tables([times]).to_pylist() if times.exists() else []
    found = {(row["point"], row["seed"]): row for row in passing}
    for row in rows:
        time = found.get((row["point"], row["seed"]), {"measurements": [], "seconds": None})
        row["measurements"] = sorted([*row["measurements"], *time["measurements"]])
        row["seconds"] = time["seconds"]
    return pa.Table.from_pylist(rows, SCHEMA)


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table to a Parquet file, which gets its name when it is complete."""
    with name_when_complete(path, "the results") as part:
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table, part, compression="zstd")


def is_readable(path: Path) -> bool:
    """Return whether `path` is a complete Parquet file with the columns of results."""
    try:
        return bool(parquet.read_schema(path).names == SCHEMA.names and parquet.read_table(path, schema=SCHEMA))
    except (OSError, pa.ArrowException):
        return False


def drop_duplicates(table: pa.Table) -> pa.Table:
    """Return the first row of each point and seed. Two runs in one folder may have measured the same point."""
    seen: dict[tuple[int, int], int] = {}
    for place, row in enumerate(table.select(["point", "seed"]).to_pylist()):
        seen.setdefault((row["point"], row["seed"]), place)
    return table.take(pa.array(sorted(seen.values()), pa.int64()))


def read_tables(paths: Iterable[Path]) -> pa.Table:
    """Return the rows of all files as one table."""
    tables = [parquet.read_table(path, schema=SCHEMA) for path in paths]
    return pa.concat_tables(tables) if tables else SCHEMA.empty_table()
