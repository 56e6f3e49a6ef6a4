"""A power cut of the machine of the embedded server: what it has acknowledged is in its files, and flushed.

The folder of JetStream is copied while the server runs, each file up to and with its first page that Linux has not
flushed, and another server is started with the copy. What is shown is that pages are flushed; that a disk keeps what it
says it has flushed, and that names of new files are flushed, is not.
"""

import asyncio
import shutil
from pathlib import Path

import pytest

from antecede.runtime import join
from tests.runtime.nodes import take
from tests.runtime.page_cache import copy_flushed

pytestmark = pytest.mark.slow

MESSAGES = 200
DEADLINE_S = 120


async def fill_inbox(folder: Path, durability: str, copy: Path) -> int:
    """Send to a process that is not running, and copy what is flushed as soon as the server has acknowledged all of it.

    Return the number of pages of messages that are not flushed.
    """
    url = f"embedded://{folder}"
    async with join(url, space="s", process="a", durability=durability) as a:
        async with join(url, space="s", process="b", durability=durability):
            pass  # it has an inbox now, and is not running
        for n in range(MESSAGES):
            await a.send({"b"}, b"%d" % n)
        assert await a.flush(60)
        return copy_flushed(folder / "jetstream", copy / "jetstream")


async def read_inbox(folder: Path, stores: Path) -> list[bytes]:
    """Return what process `b` finds in its inbox."""
    async with join(f"embedded://{folder}", space="s", process="b", store=stores) as b:
        return await take(b, MESSAGES)


def test_with_durability_power_all_that_was_acknowledged_is_flushed(tmp_path: Path) -> None:
    async def scenario() -> None:
        await fill_inbox(tmp_path / "nats", "power", tmp_path / "copy")
        shutil.copytree(tmp_path / "nats" / "stores", tmp_path / "stores")
        assert await read_inbox(tmp_path / "copy", tmp_path / "stores") == [b"%d" % n for n in range(MESSAGES)]

    asyncio.run(asyncio.wait_for(scenario(), DEADLINE_S))
    assert "sync_interval: always" in (tmp_path / "nats" / "nats.conf").read_text()


def test_without_it_what_was_acknowledged_may_be_lost(tmp_path: Path) -> None:
    """The same copy has less than was acknowledged, so the test above sees what it is to see."""

    async def scenario() -> int:
        return await fill_inbox(tmp_path / "nats", "process", tmp_path / "copy")

    assert asyncio.run(asyncio.wait_for(scenario(), DEADLINE_S)) > 0
    inbox = Path("jetstream") / "$G" / "streams" / "antecede_s_b" / "msgs"
    copied, full = (
        sum(path.stat().st_size for path in (tmp_path / at / inbox).glob("*.blk")) for at in ("copy", "nats")
    )
    assert copied < full
    assert "sync_interval" not in (tmp_path / "nats" / "nats.conf").read_text()
