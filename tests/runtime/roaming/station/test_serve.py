"""`antecede station` and `antecede token` as commands: what they refuse, and what they never say."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from antecede.runtime.roaming.beacon import BYTES_MAX, Beacon, read_beacon
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.tokens import Badge, holder, read_token
from tests.paths import ROOT
from tests.runtime.cells import KEY, cells
from tests.runtime.command import main
from tests.runtime.ports import free_port

ARGUMENTS = ["--name", "s1", "--stations", "s1,s2"]


@pytest.fixture
def key(tmp_path: Path) -> str:
    path = tmp_path / "key"
    path.write_bytes(KEY)
    return str(path)


def test_a_token_is_printed(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main("token", ["--key", key, "--host", "ann", "--days", "1"]) == 0
    assert holder(KEY, capsys.readouterr().out.strip()) == "ann"
    assert main("token", ["--key", key, "--host", "ann", "--policy", "drop", "--stored-max", "7"]) == 0
    assert read_token(KEY, capsys.readouterr().out.strip()) == Badge("ann", "drop", 7)
    assert main("token", ["--key", key, "--host", "ann", "--stored-max", "0"]) == 2


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--nats", "nats://127.0.0.1:9", "--listen", "0.0.0.0:7001"], "add --allow-remote"),
        (["--nats", "nats://127.0.0.1:9", "--listen", "7001"], "give HOST:PORT"),
        (["--nats", "nats://127.0.0.1:9"], "give --store"),
        (["--nats", "nats://127.0.0.1:9", "--tls-cert", "x"], "both --tls-cert and --tls-key"),
        (["--nats", "nats://127.0.0.1:9", "--tls-cert", "x", "--tls-key", "y"], "cannot be used"),
        (["--nats", "http://127.0.0.1:9", "--store", "x"], "give nats://"),
        (["--nats", "embedded:///x", "--stored-max", "1000000"], "store fewer"),
        (["--nats", "embedded:///x", "--announce", "192.0.2.255:7007"], "beacons sent to 192.0.2.255: add --allow"),
        (["--nats", "embedded:///x", "--announce", "7007"], "give ADDRESS:PORT"),
        (["--nats", "embedded:///x", "--announce-url", "ws://gate:1"], "give announce, too"),
    ],
)
def test_what_can_not_be_meant_is_refused(
    more: list[str], said: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main("station", [*ARGUMENTS, "--key", key, *more]) == 2
    assert said in capsys.readouterr().err


def test_a_station_on_an_embedded_server_keeps_its_store_in_the_folder_of_the_server(tmp_path: Path, key: str) -> None:
    """It announces itself to those who are not connected, too."""
    arguments = [*ARGUMENTS, "--key", key, "--nats", f"embedded://{tmp_path / 'nats'}"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as air:
        air.settimeout(20)
        air.bind(("127.0.0.1", free_port()))
        to = f"127.0.0.1:{air.getsockname()[1]}"
        announced = ["--announce", to, "--announce-every", "0.25"]
        command = [sys.executable, "-m", "tests.runtime.command", "station", *arguments, *announced]
        paths = {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
        with subprocess.Popen(command, env={**os.environ, **paths}, stdout=subprocess.PIPE, text=True) as station:
            assert station.stdout is not None
            said = station.stdout.readline()
            assert said.startswith("s1 listens at ws://127.0.0.1:")
            url = said.split()[-1]
            assert read_beacon(air.recv(BYTES_MAX)) == Beacon("roam", "s1", url, 0.25)
            station.terminate()
    assert [path.name for path in (tmp_path / "nats" / "stores").glob("*.sqlite")] == ["roam_s1.sqlite"]


def test_a_short_key_is_refused_and_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "key"
    path.write_text("hunter2")
    assert main("station", [*ARGUMENTS, "--key", str(path), "--nats", "embedded:///x"]) == 2
    err = capsys.readouterr().err
    assert "at least 32" in err
    assert "hunter2" not in err


def test_metrics_of_a_station() -> None:
    import asyncio

    async def scenario() -> str:
        async with cells(names=["s1"]) as at:
            server: StationServer = at["s1"]
            return server.metrics.text()

    text = asyncio.run(scenario())
    assert 'antecede_connections{process="s1"} 0.0' in text
    assert 'antecede_handed_over_total{process="s1"} 0.0' in text
