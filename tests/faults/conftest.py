"""The seed of the suite, and links to the server that can be broken."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from antecede.runtime.transport.nats.embedded import EmbeddedNetwork
from tests.runtime.proxy import Proxy


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """From `ANTECEDE_SEED`; printed, so that a failure shows how to run the test again."""
    chosen = int(os.environ.get("ANTECEDE_SEED", "1"))
    print(f"again: ANTECEDE_SEED={chosen} python -m pytest '{request.node.nodeid}'")
    return chosen


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    """A link to the server of the test, which the other processes reach directly."""
    network = EmbeddedNetwork(tmp_path / "nats")
    asyncio.run(network.start())
    link = Proxy.to(network.url)
    yield link
    link.close()
    asyncio.run(network.stop())
