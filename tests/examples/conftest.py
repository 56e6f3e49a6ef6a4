"""Examples that check a trace run on the Spark of the other tests, if there is one."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from antecede.pipeline.spark.session import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    active = SparkSession.getActiveSession()
    made = active or session("local[2]", app="antecede tests")
    yield made
    if active is None:
        made.stop()
