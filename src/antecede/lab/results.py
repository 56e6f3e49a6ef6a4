"""What was measured: a row for each point and seed, as Parquet on disk and as a few questions in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from antecede.core.errors import Misuse
from antecede.lab.statistics import Estimate, estimate

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
"""The columns that are the same whenever and wherever it is run."""


LASTING_FILE, PASSING_FILE = "results.parquet", "times.parquet"


class Missing(Misuse):
    """Nothing was measured there: the point failed, or is not of the grid."""


@dataclass(frozen=True, slots=True)
class Row:
    """One point with one seed."""

    point: int
    parameters: dict[str, Any]
    seed: int
    measurements: dict[str, float]


@dataclass(frozen=True, slots=True)
class Results:
    """The rows that did not fail, in the order of points and seeds."""

    rows: tuple[Row, ...]

    def of(self, **where: object) -> Results:
        """The rows of the points that have these parameters."""
        return Results(tuple(row for row in self.rows if where.items() <= row.parameters.items()))

    def values(self, name: str, /, **where: object) -> list[float]:
        """The number `name` of the one point that has these parameters, seed by seed."""
        rows = [row for row in self.of(**where).rows if name in row.measurements]
        points = {row.point for row in rows}
        if len(points) != 1:
            raise Missing(f"{len(points)} points with {where} have {name}, where one was wanted")
        return [row.measurements[name] for row in rows]

    def estimate(self, name: str, /, **where: object) -> Estimate:
        return estimate(self.values(name, **where))

    def distinct(self, parameter: str) -> list[Any]:
        """The values that a parameter takes, in the order of the grid."""
        return list(dict.fromkeys(row.parameters[parameter] for row in self.rows if parameter in row.parameters))

    @classmethod
    def from_table(cls, table: pa.Table) -> Results:
        rows = (
            Row(row["point"], json.loads(row["parameters"]), row["seed"], dict(row["measurements"]))
            for row in table.to_pylist()
            if row["error"] is None
        )
        return cls(tuple(sorted(rows, key=lambda row: (row.point, row.seed))))


def as_sorted(table: pa.Table) -> pa.Table:
    return table.sort_by([("point", "ascending"), ("seed", "ascending")])


def split(table: pa.Table, timed: Sequence[str]) -> tuple[pa.Table, pa.Table]:
    """What lasts, and what is of the clock on the wall: the measurements named, and the seconds each row took."""
    rows = as_sorted(table).to_pylist()
    lasting = [{**row, "measurements": _named(row, timed, inside=False)} for row in rows]
    passing = [{**row, "measurements": _named(row, timed, inside=True)} for row in rows]
    return pa.Table.from_pylist(lasting, SCHEMA).select(LASTING), pa.Table.from_pylist(passing, SCHEMA)


def _named(row: dict[str, Any], timed: Sequence[str], *, inside: bool) -> list[tuple[str, float]]:
    return sorted((name, value) for name, value in row["measurements"] or [] if (name in timed) is inside)


def both(folder: Path) -> pa.Table:
    """What `split` took apart, from the files it was written to; times may have been left behind."""
    rows = parquet.read_table(folder / LASTING_FILE).to_pylist()
    times = folder / PASSING_FILE
    passing = read([times]).to_pylist() if times.exists() else []
    found = {(row["point"], row["seed"]): row for row in passing}
    for row in rows:
        time = found.get((row["point"], row["seed"]), {"measurements": [], "seconds": None})
        row["measurements"] = sorted([*row["measurements"], *time["measurements"]])
        row["seconds"] = time["seconds"]
    return pa.Table.from_pylist(rows, SCHEMA)


def write(table: pa.Table, path: Path) -> None:
    """The file has its name when it is complete."""
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table, part, compression="zstd")
        os.replace(part, path)
    except OSError as error:
        raise Misuse(f"the results can not be written to {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):  # a file that could not be created cannot be removed either
            part.unlink(missing_ok=True)


def is_readable(path: Path) -> bool:
    """Whether it is a whole file with the columns of results."""
    try:
        return bool(parquet.read_schema(path).names == SCHEMA.names and parquet.read_table(path, schema=SCHEMA))
    except (OSError, pa.ArrowException):
        return False


def once(table: pa.Table) -> pa.Table:
    """The first row of each point and seed: two runs in one folder may have measured the same."""
    seen: dict[tuple[int, int], int] = {}
    for place, row in enumerate(table.select(["point", "seed"]).to_pylist()):
        seen.setdefault((row["point"], row["seed"]), place)
    return table.take(pa.array(sorted(seen.values()), pa.int64()))


def read(paths: Iterable[Path]) -> pa.Table:
    tables = [parquet.read_table(path, schema=SCHEMA) for path in paths]
    return pa.concat_tables(tables) if tables else SCHEMA.empty_table()
