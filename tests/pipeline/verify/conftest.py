"""One embedded Spark for all tests of this folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from antecede.pipeline.spark.session import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    active = SparkSession.getActiveSession()
    started = active or session("local[2]", options={"spark.ui.showConsoleProgress": "false"})
    yield started
    if active is None:
        started.stop()
