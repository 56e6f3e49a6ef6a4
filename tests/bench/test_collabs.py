"""The peer is optional: where it can not be had, the measurements go on without it and say why."""

from pathlib import Path

import pytest
from bench.core import collabs
from bench.core.traffic import broadcast_schedule

STEPS = broadcast_schedule(2, 3, 1)


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder that programs are found in."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_without_node_there_is_no_peer(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert collabs.measure(2, STEPS) is None
    assert "Node.js is not installed" in capsys.readouterr().err


def test_without_npm_and_the_package_there_is_no_peer(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program(path, "node", "exit 0")
    assert collabs.measure(2, STEPS, folder=tmp_path) is None
    assert "no `npm` on the path" in capsys.readouterr().err


def test_a_failed_install_is_told_and_is_no_peer(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program(path, "node", "exit 0")
    program(path, "npm", "echo first >&2; echo the network is down >&2; exit 1")
    assert collabs.measure(2, STEPS, folder=tmp_path) is None
    assert "`npm ci` failed: the network is down" in capsys.readouterr().err


def test_a_peer_that_fails_is_an_error(path: Path, tmp_path: Path) -> None:
    program(path, "node", "echo it broke >&2; exit 1")
    program(path, "npm", "exit 0")
    with pytest.raises(RuntimeError, match="it broke"):
        collabs.measure(2, STEPS, folder=tmp_path)


def test_the_version_measured_is_the_version_locked() -> None:
    assert f'"@collabs/collabs": "{collabs.VERSION}"' in (collabs.FOLDER / "package.json").read_text()


def test_the_lock_names_no_registry() -> None:
    assert '"resolved"' not in (collabs.FOLDER / "package-lock.json").read_text()
