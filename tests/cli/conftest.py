"""The commands run in this process, on the Spark of the pipeline's tests where there is one."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antecede.pipeline.spark.session import session
from tests.paths import ROOT


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    active = SparkSession.getActiveSession()
    made = active or session("local[2]", app="antecede tests")
    yield made
    if active is None:
        made.stop()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    beside = ROOT.parent / "shared"
    folder = Path(os.environ.get("ANTECEDE_SHARED", beside)) / "data"
    if not folder.is_dir():
        pytest.skip(f"no real logs at {folder}")
    return folder
