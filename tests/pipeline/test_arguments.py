"""What is refused before Spark starts, and what is left to the tasks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from antecede.core.errors import AntecedeError
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
        ("here.jsonl", {"format": "xml"}, "there is no format 'xml'"),
        ("here.jsonl", {"regex": "(?<host>"}, "regular expression"),
        ("here.jsonl", {"regex": "(?<host>a)"}, r"no group \(\?<clock>...\), \(\?<event>...\)"),
        ("here.jsonl", {"delimiter": "("}, "regular expression"),
        ("here.jsonl", {"receives": "*"}, r"the regular expression .* is wrong .*; correct it$"),
        ("here.jsonl", {"receives": "(?=x)"}, "lookaheads and lookbehinds are not supported"),
        ("here.jsonl", {"mapping": "{"}, "the mapping is not JSON"),
        ("here.jsonl", {"mapping": "{}"}, "needs"),
        ("here.jsonl", {"mapping": "m.json"}, "^mapping file m.json: no such file; "),
        ("here.jsonl", {"mapping": {"process": "p", "colour": "c"}}, "unknown 'colour'"),
    ],
)
def test_a_mistake_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, given: dict[str, str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.jsonl").touch()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "app.log").write_text("once upon a time\n")
    (tmp_path / "here.jsonl").write_text(EVENT)
    for master in (None, "local[2]", "in-process"):
        with pytest.raises(AntecedeError, match=words):
            arguments.refuse([str(tmp_path / path)], master, **given)


def test_what_may_not_be_read_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the answer of the system is put in its mouth."""
    (tmp_path / "secret.jsonl").write_text(EVENT)
    monkeypatch.setattr(os, "access", lambda path, _mode: path.name != "secret.jsonl")
    with pytest.raises(AntecedeError, match="permission denied"):
        arguments.refuse([str(tmp_path / "secret.jsonl")], None)


@pytest.mark.parametrize(
    ("path", "master"),
    [
        ("hdfs://host/trace", None),
        ("/not/here", "spark://host:7077"),
        ("/not/here", "sc://host"),
    ],
)
def test_what_only_the_tasks_can_see_is_left_to_them(path: str, master: str | None) -> None:
    arguments.refuse([path], master)


def test_a_trace_is_let_through(tmp_path: Path) -> None:
    (tmp_path / "a[1].jsonl").write_text(EVENT)
    (tmp_path / "m.json").write_text('{"process": "p"}')
    arguments.refuse([str(tmp_path / "a[1].jsonl")], None, mapping=str(tmp_path / "m.json"), receives="^Received")
    arguments.refuse([str(tmp_path)], None, mapping="tracechecker")
    arguments.refuse([str(tmp_path / "*.jsonl")], "local[1]", mapping={"process": "p"})
    arguments.refuse([str(tmp_path / "{a,b}*.jsonl")], None, regex="(?<host>a)(?<clock>b)(?<event>c)", delimiter="^-$")
