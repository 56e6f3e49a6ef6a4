"""`antecede station` ends when it is told to, whatever it waits for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.runtime.ports import free_port


@pytest.mark.parametrize("signaled", [signal.SIGINT, signal.SIGTERM])
def test_a_station_that_waits_for_nats_ends_at_once(tmp_path: Path, signaled: signal.Signals) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"k" * 32)
    key.chmod(0o600)
    station = ["station", "--name", "s1", "--stations", "s1", "--key", str(key), "--store", str(tmp_path / "stores")]
    process = subprocess.Popen(
        [sys.executable, "-m", "antecede", *station, "--nats", f"nats://127.0.0.1:{free_port()}"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    try:
        assert process.stderr is not None
        assert "no NATS server answers" in process.stderr.readline()
        process.send_signal(signaled)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        assert said == "antecede: stopped before the station was open\n"
    finally:
        process.kill()
        process.communicate()
