"""What `antecede check` refuses before Spark is started: options that cannot be used, files that cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from antecede.cli import main


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A trace of one event."""
    path = tmp_path / "trace.jsonl"
    path.write_text('{"process": "a", "index": 1, "kind": "internal"}\n')
    return path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--out", "{here}/trace.jsonl"], "--out {here}/trace.jsonl: that is a file; name a folder"),
        (["--out", "{here}/trace.jsonl/x"], "{here}/trace.jsonl is a file; name a folder"),
        (["--out", "{here}"], "are inside each other; choose another folder"),
        (["--out", ""], "--out '': that is not the name of a folder"),
        (["--out", "ftp://host/x"], "which has no ftp: file system"),
        (["--format", "xml"], "--format 'xml': there is no such format"),
        (["--worst", "-1"], "--worst -1: give 0 or more"),
        (["--windows", "0"], "--windows 0: give 1 or more"),
        (["--regex", "("], "in --regex, the regular expression '(' is wrong"),
        (["--delimiter", "("], "in --delimiter, the regular expression '(' is wrong"),
        (["--receives", "("], "in --receives, the regular expression '(' is wrong"),
        (["--receives", "x"], "--receives is for logs with vector clocks; this one is read as antecede"),
        (["--mapping", "{{"], "the mapping is not JSON"),
        (["--export-otlp", "{here}/no/x"], "--export-otlp {here}/no/x: cannot write: {here}/no is not a folder"),
        (["--export-otlp", "{here}"], "that is not a file; give the name of a file"),
        (["--export-shiviz", "{here}/./trace.jsonl"], "is the input, which would be replaced; give another file"),
        (["--export-shiviz", "{here}/x", "--export-otlp", "{here}/x"], "are both {here}/x; give each a file of its"),
        (["--export-shiviz", "{here}/x", "--from", "nan"], "--from nan: give a time in seconds"),
        (["--export-shiviz", "{here}/x", "--from", "2", "--to", "1"], "--from 2.0 is later than --to 1.0; exchange"),
        (["--run", "r"], "add --export-shiviz or --export-otlp"),
    ],
)
def test_a_bad_option_is_refused_before_spark_starts(
    trace: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    before = trace.read_bytes()
    options = [argument.format(here=trace.parent) for argument in arguments]
    assert main(["check", str(trace), "--master", "local[1]", *options]) == 2
    said = capsys.readouterr().err
    assert words.format(here=trace.parent) in said
    assert "starting Spark" not in said
    assert [path.name for path in trace.parent.iterdir()] == [trace.name]
    assert trace.read_bytes() == before
