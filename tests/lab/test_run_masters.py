"""The same results, byte for byte, on every kind of Spark."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = pytest.mark.slow

MASTERS = ("local[1]", "local[2]", "local-cluster[2,1,1024]", "connect")
LASTING = ("results.parquet", "claims.json", "figure.svg", "figure.png")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folders = {}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    for master in MASTERS:
        folders[master] = tmp_path_factory.mktemp("master")
        command = [sys.executable, "-m", "tests.lab.tiny", master, str(folders[master])]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
    return folders


@pytest.mark.parametrize("name", LASTING)
@pytest.mark.parametrize("master", MASTERS[1:])
def test_what_lasts_is_the_same_on_every_kind_of_spark(made: dict[str, Path], master: str, name: str) -> None:
    assert (made[master] / name).read_bytes() == (made[MASTERS[0]] / name).read_bytes()
