"""An archive of Spark's classes is used only if it is whole and nobody else can write to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from antecede.cli import main
from antecede.cli.prepare import LINES
from antecede.pipeline.spark import class_archive, java

JAVA = java.Java("/usr/bin/true", 17)
WHICH_FILES = (
    "from pathlib import Path\n"
    "from antecede.pipeline.spark.session import session\n"
    "spark = session('local[1]')\n"
    "mapped = Path(f'/proc/{spark.sparkContext._gateway.proc.pid}/maps').read_text()\n"
    "print(spark.range(7).count(), sorted({line.split('/')[-1] for line in mapped.splitlines() if '.jsa' in line}))\n"
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the archives be in a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "antecede"


def made(monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Write two files as if they were the archive of `JAVA`."""
    both = class_archive.layers(JAVA)
    monkeypatch.setattr(class_archive, "_write_base", lambda _, base: base.write_bytes(b"classes"))
    with class_archive.record(JAVA):
        both[1].write_bytes(b"classes")
    return both


def test_there_are_no_flags_until_an_archive_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    assert class_archive.use(JAVA) == ()
    base, top = made(monkeypatch)
    assert class_archive.use(JAVA)[0] == f"-XX:SharedArchiveFile={base}:{top}"
    assert class_archive.use(java.Java(JAVA.executable, 21)) == (), "that is another Java"
    assert class_archive.remove() > len(b"classes" * 2)
    assert list(base.parent.iterdir()) == []
    assert class_archive.use(JAVA) == ()


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
@pytest.mark.parametrize("layer", [0, 1])
def test_an_archive_that_others_can_write_to_is_not_used(
    layer: int, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(monkeypatch)[layer].chmod(mode)
    assert class_archive.use(JAVA) == ()


@pytest.mark.parametrize("content", [b"", b"class", b"other", None])
@pytest.mark.parametrize("layer", [0, 1])
def test_an_archive_that_was_changed_is_not_used(
    layer: int, content: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(monkeypatch)[layer]
    path.unlink() if content is None else path.write_bytes(content)
    assert class_archive.use(JAVA) == ()


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"7"])
def test_an_archive_whose_state_cannot_be_read_is_not_used(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    made(monkeypatch)[1].with_suffix(".json").write_bytes(content)
    assert class_archive.use(JAVA) == ()


def test_an_archive_of_another_user_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    made(monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert class_archive.use(JAVA) == ()


@pytest.mark.parametrize("folder", ["relative", "/with:colon"])
def test_a_folder_that_java_cannot_be_told_of_has_no_archive(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", folder)
    assert class_archive.use(JAVA) == ()
    with (
        pytest.raises(class_archive.ArchiveNotMade, match="set XDG_CACHE_HOME to an absolute path without colons"),
        class_archive.record(JAVA),
    ):
        pass
    assert not Path(folder).exists()


def test_a_java_that_writes_no_archive_is_named_and_nothing_is_left(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "home" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho 'version \"17.0.1\"' >&2\necho 'no sharing here' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert main(["prepare"]) == 2
    assert f"{program} cannot write an archive of its classes: no sharing here" in capsys.readouterr().err
    assert list(cache.iterdir()) == []


def fail_if_there(path: Path) -> None:
    if path.exists():
        raise ZeroDivisionError


def test_what_a_block_that_fails_has_written_is_removed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_archive, "_write_base", lambda _, base: base.write_bytes(b"classes"))
    with pytest.raises(ZeroDivisionError), class_archive.record(JAVA):
        fail_if_there(class_archive.layers(JAVA)[0])
    with pytest.raises(class_archive.ArchiveNotMade, match="wrote no archive"), class_archive.record(JAVA):
        pass
    assert list(cache.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cache").touch()
    assert main(["prepare"]) == 2
    assert f"no archive was written to {tmp_path / 'cache' / 'antecede'}: " in capsys.readouterr().err


def run(environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if java.LAUNCHER_HOME_MARK not in value}
    changed = {**kept, **environment, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, *arguments], env=changed, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_spark_starts_from_the_archive_that_prepare_makes_and_without_it_if_it_is_damaged(
    cache: Path, tmp_path: Path
) -> None:
    trace = tmp_path / "trace.jsonl"
    trace.write_text("".join(f"{json.dumps(line)}\n" for line in LINES))
    check = ("-m", "antecede", "check", str(trace), "--master", "local[1]", "--json")
    before = run({}, *check)
    done = run({}, "-m", "antecede", "prepare")
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in cache.iterdir())
    assert len(names) == 3
    assert f"MB to {cache}" in done.stdout
    assert {path.stat().st_mode & 0o777 for path in cache.iterdir()} == {0o600}
    assert run({}, "-c", WHICH_FILES).stdout.strip() == f"7 {[name for name in names if name.endswith('.jsa')]}"
    after = run({}, *check)
    assert (after.returncode, after.stdout) == (0, before.stdout)
    (top,) = cache.glob("*-spark.jsa")
    whole = top.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2]):
        top.write_bytes(damaged)
        found = run({}, *check)
        assert (found.returncode, found.stdout == after.stdout, found.stderr) == (0, True, after.stderr), len(damaged)
    assert run({}, "-m", "antecede", "prepare", "--remove").returncode == 0
    assert list(cache.iterdir()) == []
