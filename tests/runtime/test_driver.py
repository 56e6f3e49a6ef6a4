"""A failure that nobody asked about is raised at the end of the block."""

from pathlib import Path

import pytest

from antecede.runtime import MemoryNetwork, StoreError, join
from tests.runtime.logged import said
from tests.runtime.nodes import run


def test_a_failure_at_the_very_end_is_raised(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing was wrong until the block ended, and what it had to write could not be written."""

    async def test() -> None:
        async with join(MemoryNetwork(), space="s", process="a", store=tmp_path) as a:
            store = a._durable.store
            store._database.execute("PRAGMA query_only = 1")
            store.put("clock", b"1.0")
            a._commits.soon()

    with pytest.raises(StoreError):
        run(test)
    assert said(caplog, "^a stops: ") == 1
