"""What is refused before Spark starts, and what is left to the tasks."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antecede.core.errors import AntecedeError, Misuse
from antecede.pipeline import arguments

EVENT = '{"process":"a","index":1,"kind":"internal"}\n'


@pytest.mark.parametrize(
    ("path", "given", "words"),
    [
        ("nothing.jsonl", {}, "no such file or folder"),
        ("nothing*.jsonl", {}, "no such file or folder"),
        ("{nothing,none}.jsonl", {}, "no such file or folder"),
        ("empty", {}, "the folder has no files"),
        ("empty.jsonl", {}, "the file is empty"),
        ("pipe", {}, "this is a FIFO"),
        ("app.log", {}, "not recognised as any of .*; it is text"),
        ("app.log", {"mapping": {"process": "p"}}, "it is text"),
        ("here.jsonl", {"format": "xml"}, "^--format 'xml': there is no such format; there are auto, antecede"),
        ("here.jsonl", {"regex": "(?<host>"}, "^in --regex, the regular expression"),
        ("here.jsonl", {"regex": "(?<host>a)"}, r"no group \(\?<clock>...\), \(\?<event>...\)"),
        ("a\0b", {}, "a path cannot have a zero byte"),
        ("here.jsonl", {"delimiter": "("}, "^in --delimiter, the regular expression"),
        ("here.jsonl", {"receives": "x"}, "^--receives is for logs with vector clocks; this one is read as antecede"),
        ("here.jsonl", {"receives": "*"}, r"the regular expression .* is wrong .*; correct it$"),
        ("here.jsonl", {"receives": "(?=x)"}, "lookaheads and lookbehinds are not supported"),
        ("here.jsonl", {"mapping": "{"}, "the mapping is not JSON"),
        ("here.jsonl", {"mapping": "{}"}, "needs"),
        ("here.jsonl", {"mapping": "m.json"}, "^mapping file m.json: no such file; "),
        ("here.jsonl", {"mapping": {"process": "p", "colour": "c"}}, "unknown 'colour'"),
    ],
)
def test_a_mistake_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, given: dict[str, Any], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.jsonl").touch()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "app.log").write_text("once upon a time\n")
    (tmp_path / "here.jsonl").write_text(EVENT)
    for master in (None, "local[2]", "in-process"):
        with pytest.raises(AntecedeError, match=words):
            arguments.check_arguments([str(tmp_path / path)], master, **given)


def test_what_may_not_be_read_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the answer of the system is put in its mouth."""
    (tmp_path / "secret.jsonl").write_text(EVENT)
    monkeypatch.setattr(os, "access", lambda path, _mode: path.name != "secret.jsonl")
    with pytest.raises(AntecedeError, match="permission denied"):
        arguments.check_arguments([str(tmp_path / "secret.jsonl")], None)


@pytest.mark.parametrize(
    ("path", "master"),
    [
        ("hdfs://host/trace", None),
        ("/not/here", "spark://host:7077"),
        ("/not/here", "sc://host"),
    ],
)
def test_what_only_the_tasks_can_see_is_left_to_them(path: str, master: str | None) -> None:
    arguments.check_arguments([path], master)


def test_a_trace_is_let_through(tmp_path: Path) -> None:
    (tmp_path / "a[1].jsonl").write_text(EVENT)
    (tmp_path / "m.json").write_text('{"process": "p"}')
    loaded = arguments.check_arguments([str(tmp_path / "a[1].jsonl")], None, mapping=str(tmp_path / "m.json"))
    assert loaded == {"process": "p"}
    arguments.check_arguments([str(tmp_path)], None, mapping="tracechecker")
    arguments.check_arguments([str(tmp_path / "*.jsonl")], "local[1]", mapping={"process": "p"})
    given: dict[str, Any] = {"regex": "(?<host>a)(?<clock>b)(?<event>c)", "delimiter": "^-$", "receives": "^Received"}
    arguments.check_arguments([str(tmp_path / "{a,b}*.jsonl")], None, **given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"worst": -1}, "--worst -1: give 0 or more, and at most 1,000,000, as a whole number"),
        ({"worst": 1.5}, "--worst 1.5: give 0 or more"),
        ({"worst": None}, "--worst None: give 0 or more"),
        ({"worst": True}, "--worst True: give 0 or more"),
        ({"worst": 10**30}, "--worst 1000000000000000000000000000000: give 0 or more, and at most 1,000,000"),
        ({"windows": 0}, "--windows 0: give 1 or more"),
        ({"windows": "x"}, "--windows 'x': give 1 or more"),
        ({"windows": 10**30}, "and at most 1,000,000"),
        ({"quarantine_max": 1.5}, "quarantine_max is 1.5: give a share between 0 and 1"),
        ({"quarantine_max": float("nan")}, "quarantine_max is nan: give a share between 0 and 1"),
        ({"quarantine_max": "5%"}, "--quarantine-max '5%': give a share between 0 and 1, such as 0.05 for 5 %"),
        ({"quarantine_max": None}, "--quarantine-max None: give a share"),
        (
            {"require": "total"},
            "--require 'total': there is no such order; there are fifo, causal, agreed, synchronous",
        ),
        ({"require": ["fifo"]}, "--require ['fifo']: there is no such order"),
        ({"format": 5}, "--format 5: there is no such format"),
        ({"regex": 5}, "--regex 5: give a regular expression as text"),
        ({"regex": b"x"}, "--regex b'x': give a regular expression as text"),
        ({"delimiter": 5}, "--delimiter 5: give a regular expression as text"),
        ({"receives": 5}, "--receives 5: give a regular expression as text"),
        ({"mapping": 5}, "--mapping 5: give the meaning of each field, JSON, the path of a file as text"),
        ({"mapping": ["a"] * 99}, "…: give the meaning of each field"),
        ({"mapping": {1: "a", "x": "b"}}, "the mapping has the unknown '1', 'x'"),
        ({"mapping": {"process": "p", "kind": {1: [], "x": []}}}, "the mapping names the field None"),
        (
            {"mapping": {"process": "p", "kind": {"field": "k", 1: [], "x": []}}},
            "kind in the mapping: a field, and a list",
        ),
        ({"mapping": {"process": "p", "kind": {"field": "k", "send": [b"x"]}}}, "kind in the mapping names b'x'"),
        ({"out": 5}, "--out 5: give the path of a folder"),
        ({"out": ""}, "--out '': that is not the name of a folder"),
        ({"out": "a\0b"}, "that is not the name of a folder"),
        ({"out": "a\udc80b"}, "--out a?b: the name is not UTF-8"),
        ({"out": "here.jsonl"}, "--out here.jsonl: that is a file; name a folder"),
        ({"out": "here.jsonl/out"}, "here.jsonl is a file; name a folder"),
        ({"out": "."}, "--out . and the input here.jsonl are inside each other; choose another folder"),
        (
            {"out": "ftp://host/out"},
            "--out ftp://host/out: tables are written with Arrow, which has no ftp: file system",
        ),
    ],
)
def test_a_wrong_value_is_told_with_its_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.jsonl").write_text(EVENT)
    for master in (None, "spark://host:7077"):
        with pytest.raises(Misuse, match=re.escape(words)):
            arguments.check_arguments(["here.jsonl"], master, **given)
    with pytest.raises(Misuse, match=re.escape(words)):
        arguments.check_values(["here.jsonl"], **given)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here.jsonl"]


def test_a_folder_that_may_not_be_written_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write everywhere, so the answer of the system is put in its mouth."""
    monkeypatch.setattr(os, "access", lambda _path, mode: not mode & os.W_OK)
    with pytest.raises(Misuse, match=f"permission denied in {tmp_path}; name a folder that you can write to"):
        arguments.check_values([], out=str(tmp_path / "new" / "out"))


def test_a_table_without_a_column_that_is_needed_is_told_at_once() -> None:
    table = pa.table({"p": ["a"]})
    with pytest.raises(Misuse, match="the mapping names the column 'q', which the table does not have"):
        arguments.check_arguments(table, None, mapping={"process": "q", "kind": "p"})
    with pytest.raises(Misuse, match="the table is not a trace: no column process"):
        arguments.check_arguments(table, None)


def test_a_master_that_is_not_text_is_told_at_once() -> None:
    with pytest.raises(Misuse, match="--master 5: give the address of a Spark master, or in-process"):
        arguments.check_arguments([], 5)


def test_values_of_numpy_are_let_through() -> None:
    arguments.check_values([], worst=np.int64(3), windows=np.int32(2), quarantine_max=np.float64(0.5))
