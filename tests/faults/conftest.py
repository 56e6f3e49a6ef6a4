"""The seed of the suite, and links to the server that can be broken."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from antecede.runtime.transport.nats.embedded import EmbeddedNetwork
from tests.replay import SEED_VARIABLE
from tests.runtime.proxy import Proxy


@pytest.fixture
def seed() -> int:
    """From `ANTECEDE_SEED`, which is part of the command that a failure prints."""
    return int(os.environ.get(SEED_VARIABLE, "1"))


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    """A link to the server of the test, which the other processes reach directly."""
    network = EmbeddedNetwork(tmp_path / "nats")
    asyncio.run(network.start())
    link = Proxy.to(network.url)
    yield link
    link.close()
    asyncio.run(network.stop())
