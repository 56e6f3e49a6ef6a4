"""`antecede status` over a real server: a node, a station, and a process that is not running."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from antecede.cli.status import summary, table
from antecede.runtime import join
from antecede.runtime.embedded import EmbeddedNetwork
from antecede.runtime.serving import serve_station
from antecede.runtime.status import gather
from antecede.runtime.transport import Unreachable
from tests.runtime.cells import KEY, host, until
from tests.runtime.town import ROOT


async def scenario(folder: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    network = EmbeddedNetwork(folder)
    await network.start()
    try:
        async with join(network.url, space="orders", process="gone", store=folder / "stores"):
            pass
        async with (
            join(network.url, space="orders", process="billing", store=folder / "stores") as node,
            serve_station(network.url, name="s1", stations=["s1", "s2"], key=KEY) as server,
        ):
            await node.send({"gone"}, b"are you there?")
            await node.flush()
            names = [f"host{number}" for number in range(12)]  # the homes of some of them are at s2, which never runs
            people = [host(server, name) for name in names]
            for one in people:
                await one.__aenter__()
            await until(lambda: server.counts()["known"] == 12)
            await until(lambda: server.counts()["awaited"] + server.counts()["hosts"] == 12)
            found = await gather([network.url])
            command = [sys.executable, "-m", "tests.runtime.command", "status", "--nats", network.url, "--json"]
            environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
            printed = await asyncio.to_thread(subprocess.check_output, command, cwd=ROOT, env=environment)
            for one in people:
                await one.close()
    finally:
        await network.stop()
    return found, json.loads(printed)


def test_everybody_is_shown(tmp_path: Path) -> None:
    found, printed = asyncio.run(scenario(tmp_path / "nats"))
    by_name = {one["process"]: one for one in found}
    assert sorted(by_name) == ["billing", "gone", "s1"]
    assert not by_name["gone"]["running"]
    assert by_name["gone"]["queued"] > 0
    assert (by_name["billing"]["kind"], by_name["billing"]["running"]) == ("node", True)
    station = by_name["s1"]
    assert (station["kind"], station["connections"], station["known"]) == ("station", 12, 12)
    assert station["awaited"] + station["hosts"] == 12
    assert station["awaited"] > 0
    assert station["blocked"]
    assert printed["spaces"].keys() == {"orders", "roam"}
    assert (printed["processes"], printed["running"], printed["hand_offs"]) == (3, 2, station["awaited"])
    assert any("to s2" in text for text in printed["stalled"])
    assert table(found).row_count == 3
    assert summary([])["processes"] == 0


def test_no_server() -> None:
    with pytest.raises(Unreachable, match="no NATS server answers"):
        asyncio.run(gather(["nats://127.0.0.1:9"]))
