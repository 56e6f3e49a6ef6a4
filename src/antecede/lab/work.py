"""What runs on the executors: rows of points and seeds in, rows of measurements out, for `mapInArrow`.

An experiment is found by its name, so that only names and numbers travel. What goes wrong with one row is written into
that row, and the others are not disturbed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from math import isfinite
from time import perf_counter
from typing import Any

import pyarrow as pa

from antecede.lab.experiments import experiment
from antecede.lab.results import SCHEMA

ERROR_CHARS_MAX = 500


def measured(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for job in batch.to_pylist():
            yield pa.RecordBatch.from_pylist([_measure(job)], SCHEMA)


def _measure(job: dict[str, Any]) -> dict[str, Any]:
    start = perf_counter()
    found: dict[str, float] = {}
    error = None
    try:
        values = experiment(job["experiment"]).measure(json.loads(job["parameters"]), job["seed"])
        found = {name: float(value) for name, value in sorted(values.items()) if value is not None}
        strange = [name for name, value in found.items() if not isfinite(value)]
        if strange:
            error = f"{strange[0]} is {found[strange[0]]}"
    except Exception as reason:  # whatever it is, it is this row's, and is reported with it
        error = f"{type(reason).__name__}: {reason}"[:ERROR_CHARS_MAX]
    return {
        **{name: job[name] for name in ("experiment", "point", "parameters", "seed")},
        "measurements": list(found.items()),
        "error": error,
        "seconds": perf_counter() - start,
    }
