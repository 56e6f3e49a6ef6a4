"""Measure rows on the executors: a function for `mapInArrow` from rows of points and seeds to rows of measurements.

An executor finds an experiment by its name, so that Spark transports only names and numbers. An error in one row is
written into that row and does not affect the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from math import isfinite
from time import perf_counter
from typing import Any

import pyarrow as pa

from antecede.lab.experiments import find_experiment
from antecede.lab.results import SCHEMA

ERROR_CHARS_MAX = 500


def measure_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the measurements of each row of `batches`."""
    for batch in batches:
        for job in batch.to_pylist():
            yield pa.RecordBatch.from_pylist([_measure_job(job)], SCHEMA)


def _measure_job(job: dict[str, Any]) -> dict[str, Any]:
    """Return the row of one job, with its measurements or its error."""
    start = perf_counter()
    found: dict[str, float] = {}
    error = None
    try:
        values = find_experiment(job["experiment"]).measure(json.loads(job["parameters"]), job["seed"])
        found = {name: float(value) for name, value in sorted(values.items()) if value is not None}
        strange = [name for name, value in found.items() if not isfinite(value)]
        if strange:
            error = f"{strange[0]} is {found[strange[0]]}"
    except Exception as reason:  # any error belongs to this row and is reported with it
        error = f"{type(reason).__name__}: {reason}"[:ERROR_CHARS_MAX]
    return {
        **{name: job[name] for name in ("experiment", "point", "parameters", "seed")},
        "measurements": list(found.items()),
        "error": error,
        "seconds": perf_counter() - start,
    }
