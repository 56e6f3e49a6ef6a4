"""What is refused before Spark starts, and what is left to Spark."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from antecede.core.errors import AntecedeError
from antecede.pipeline.read import arguments


def refuse(path: str, master: str | None = None, **given: str | None) -> None:
    arguments.refuse([path], master, **{"regex": None, "delimiter": None, "mapping": None, **given})


@pytest.mark.parametrize(
    ("path", "given", "words"),
    [
        ("nothing.jsonl", {}, "no such file or folder"),
        ("nothing*.jsonl", {}, "no such file or folder"),
        ("empty", {}, "the folder has no files"),
        ("here.jsonl", {"regex": "(?<host>"}, "regular expression"),
        ("here.jsonl", {"delimiter": "("}, "regular expression"),
        ("here.jsonl", {"mapping": "{"}, "not JSON"),
        ("here.jsonl", {"mapping": "{}"}, "needs"),
    ],
)
def test_a_mistake_is_told_at_once(tmp_path: Path, path: str, given: dict[str, str], words: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "here.jsonl").touch()
    with pytest.raises(AntecedeError, match=words):
        refuse(str(tmp_path / path), **given)


def test_what_may_not_be_read_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the answer of the system is put in its mouth."""
    (tmp_path / "secret.jsonl").touch(mode=0)
    monkeypatch.setattr(os, "access", lambda path, _mode: path.name != "secret.jsonl")
    with pytest.raises(AntecedeError, match="permission denied"):
        refuse(str(tmp_path / "secret.jsonl"))


@pytest.mark.parametrize(
    ("path", "master"),
    [
        ("hdfs://host/trace", None),
        ("/not/here", "spark://host:7077"),
        ("/not/here", "sc://host"),
        ("/not/{here,there}", None),
    ],
)
def test_what_only_spark_can_see_is_left_to_it(path: str, master: str | None) -> None:
    refuse(path, master)


def test_a_trace_is_let_through(tmp_path: Path) -> None:
    (tmp_path / "a[1].jsonl").touch()
    refuse(str(tmp_path / "a[1].jsonl"))
    refuse(str(tmp_path))
    refuse(str(tmp_path / "*.jsonl"))
