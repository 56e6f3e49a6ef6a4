"""One Spark for the tests of the lab, that of other tests where there is one."""

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
