"""`antecede status` over a real server: a node, a station, and a process that is not running."""

import asyncio
import io
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from antecede.cli.status import show, summary, table
from antecede.runtime import Limits, MemoryNetwork, NameLost, NatsOptions, NoSuchProcess, join
from antecede.runtime.roaming.station.serve import serve_station
from antecede.runtime.transport.contract import Unreachable
from antecede.runtime.transport.nats.embedded import EmbeddedNetwork
from antecede.runtime.transport.nats.options import NatsLimits
from antecede.runtime.transport.nats.short_connection import CONNECT_S
from antecede.runtime.transport.urls import servers_of
from antecede.runtime.watch.status import gather
from tests.paths import ROOT
from tests.runtime.cells import KEY, host, until
from tests.runtime.nodes import nodes
from tests.runtime.servers import Server, server

NAMES = [f"host{number}" for number in range(12)]
"""The homes of some of them are at s2, which never runs."""


def status_command(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.runtime.command", "status", *options]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


async def scenario(folder: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    network = EmbeddedNetwork(folder)
    await network.start()
    try:
        async with join(network.url, space="orders", process="gone", store=folder / "stores"):
            pass
        async with (
            join(network.url, space="orders", process="billing", store=folder / "stores") as node,
            serve_station(network.url, name="s1", stations=["s1", "s2"], key=KEY, store=None) as server,
        ):
            await node.send({"gone"}, b"are you there?")
            await node.flush()
            people = [host(server, name) for name in NAMES]
            for one in people:
                await one.__aenter__()
            await until(lambda: server.counts()["known"] == 12)
            await until(lambda: server.counts()["awaited"] + server.counts()["hosts"] == 12)
            found = await gather([network.url])
            printed = await asyncio.to_thread(status_command, "--nats", network.url, "--json")
            for one in people:
                await one.close()
    finally:
        await network.stop()
    return found, json.loads(printed.stdout)


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
    (stall,) = station["stalls"]
    assert (stall["from"], stall["what"].endswith(" packets"), stall["since_s"] >= 0) == (["s2"], True, True)
    assert "there is no process 's2' in space 'roam': it was never started there" in stall["text"]
    assert len(station["hand_offs"]) == min(5, station["awaited"])
    assert {move["from"] for move in station["hand_offs"]} == {"s2"}
    assert all(move["host"] in NAMES and move["since_s"] >= 0 for move in station["hand_offs"])
    assert printed["spaces"].keys() == {"orders", "roam"}
    assert (printed["processes"], printed["running"]) == (3, 2)
    assert printed["hand_offs_in_progress"] == station["awaited"]
    assert {(one["space"], one["process"], *one["from"]) for one in printed["stalls"]} == {("roam", "s1", "s2")}
    assert {(one["process"], one["from"]) for one in printed["hand_offs"]} == {("s1", "s2")}
    assert table(found).row_count == 3
    assert summary([])["processes"] == 0


async def held_back(folder: Path) -> tuple[list[dict[str, Any]], str]:
    """What c sends to b depends on a message of a that b does not get: a knows of no way to b."""
    network = EmbeddedNetwork(folder)
    nowhere = NatsOptions(addresses={"b": "nats://127.0.0.1:9"}, limits=NatsLimits(connect_s=0.2))
    await network.start()
    try:
        async with (
            join(network.url, space="ring", process="a", store=None, nats=nowhere) as a,
            join(network.url, space="ring", process="b", store=None) as b,
            join(network.url, space="ring", process="c", store=None) as c,
        ):
            await a.send({"b", "c"}, b"found it")
            await (await anext(c)).ack()
            await c.send({"b"}, b"glad to hear")
            await until(b.pending)
            found = await gather([network.url])
            console = Console(width=200, record=True, file=io.StringIO())
            console.print(show(found))
            return found, console.export_text()
    finally:
        await network.stop()


def test_what_is_held_back_is_shown_with_whom_it_waits_for_and_since_when(tmp_path: Path) -> None:
    found, shown = asyncio.run(held_back(tmp_path / "nats"))
    (stall,) = next(one for one in found if one["process"] == "b")["stalls"]
    assert (stall["what"], stall["from"]) == ("c:1", ["a"])
    assert stall["since_s"] >= 0
    lines = shown.splitlines()
    at = next(at for at, line in enumerate(lines) if "c:1 has waited" in line)
    assert lines[at - 1] == "b in ring:"
    assert "for message 1 of a" in lines[at]


def test_a_station_without_a_broker_has_this_problem_in_its_status_as_a_node_has(tmp_path: Path) -> None:
    async def scenario(running: Server) -> None:
        servers = f"nats://{running}"
        async with (
            join(servers, space="orders", process="billing", store=None) as node,
            serve_station(servers, name="s1", stations=["s1"], key=KEY, store=None) as station,
        ):
            assert (node.status()["problems"], station.status()["problems"]) == ([], [])
            running.kill()
            await until(lambda: node.status()["problems"] and station.status()["problems"])
            for status in (node.status(), station.status()):
                shown = status["problems"]
                assert isinstance(shown, list)
                assert [one["kind"] for one in shown] == ["no broker"]
                assert "nothing is sent and nothing has come for" in shown[0]["text"]

    with server(tmp_path, "n1") as running:
        asyncio.run(scenario(running))


def test_the_status_has_all_problems_up_to_a_limit_and_says_how_many_more_there_are() -> None:
    """As `problems()` has them: those of nodes that wait, and the others first."""

    async def scenario() -> None:
        limits = Limits(stall_after_s=0.05, inbox=1)
        async with nodes(MemoryNetwork(), "a b", limits=limits) as (a, b):
            await b.send({"a"}, b"not acknowledged")
            await a.send({f"nobody{number:02}" for number in range(25)}, b"x")
            await until(lambda: len(a.problems()) == 26)
            status: Any = a.status()
            assert (len(status["problems"]), status["problems_more"]) == (20, 6)
            assert status["problems"][0]["kind"] == "inbox full"
            told = {(one["kind"], *one.get("from", [])) for one in status["problems"]}
            known = {(one.kind, *([one.to] if isinstance(one, NoSuchProcess) else [])) for one in a.problems()}
            assert (len(told), told <= known) == (20, True)
            assert len(status["stalls"]) == 5
            console = Console(width=200, record=True, file=io.StringIO())
            console.print(show([{"space": "s", "process": "a", "kind": "node", "running": True, **status}]))
            lines = console.export_text().splitlines()
            assert lines[-1].strip() == "and 6 more"
            assert sum("there is no process 'nobody" in line for line in lines) == 19, "none is shown twice"
            assert summary([{"space": "s", "process": "a", "running": True, **status}])["problems_more"] == 6

    asyncio.run(scenario())


def test_a_stopped_original_and_its_copy_are_both_shown(tmp_path: Path) -> None:
    async def scenario() -> list[dict[str, Any]]:
        network = EmbeddedNetwork(tmp_path / "nats")
        await network.start()
        try:
            async with join(network.url, space="s", process="a", store=tmp_path / "store") as a:
                shutil.copytree(tmp_path / "store", tmp_path / "clone")
                async with join(network.url, space="s", process="a", store=tmp_path / "clone"):
                    await until(a.problems)
                    found = await gather([network.url])
                with pytest.raises(NameLost):
                    await a.flush()
            return found
        finally:
            await network.stop()

    found = asyncio.run(scenario())
    assert [one["process"] for one in found] == ["a", "a"]
    assert sorted([problem["kind"] for problem in one["problems"]] for one in found) == [[], ["stopped"]]


def test_an_embedded_server_is_found_by_its_folder(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="no server runs in"):
        servers_of(f"embedded://{tmp_path}")
    assert servers_of("nats://n1:4222,nats://n2:4222") == ["nats://n1:4222", "nats://n2:4222"]


@pytest.mark.parametrize("servers", [["nats://127.0.0.1:9"], ["nats://127.0.0.1:9", "nats://127.0.0.1:10"]])
def test_no_server_answers_and_it_is_said_why(servers: list[str]) -> None:
    """Each server is tried once, and the caller does not wait until the time for connecting has passed."""
    began = time.monotonic()
    with pytest.raises(
        Unreachable, match=r"no NATS server answers at nats://127.*: ConnectionRefusedError.*start it with"
    ):
        asyncio.run(gather(servers))
    assert time.monotonic() - began < CONNECT_S / 2


def test_a_server_without_jetstream_is_an_error(tmp_path: Path) -> None:
    with server(tmp_path, "n1") as running:
        running.kill()
        config = running.home / "nats.conf"
        lines = config.read_text().splitlines()
        config.write_text("\n".join(line for line in lines if not line.startswith("jetstream")))
        running.start_again()
        told = status_command("--nats", f"nats://{running}", "--once")
    assert (told.returncode, told.stdout) == (2, "")
    assert "JetStream is not enabled at nats://127.0.0.1" in told.stderr


def test_a_server_where_nobody_is_says_so(tmp_path: Path) -> None:
    with server(tmp_path, "n1") as running:
        told = status_command("--nats", f"nats://{running}", "--once")
    assert (told.returncode, told.stderr) == (0, "")
    assert "Nobody is there: no node and no station answers" in told.stdout
