"""`antecede check -` reads standard input, and `--suggest-mapping` prints a mapping to start from."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from antecede.cli import main
from antecede.cli.standard_input import read_standard_input
from antecede.core.errors import Misuse
from tests.paths import ROOT

LOG = [
    {"ts": "2026-01-02T03:04:05.1Z", "service": "orders", "event": "published", "msg_id": "m1", "to": ["bill", "mail"]},
    {"ts": "2026-01-02T03:04:05.2Z", "service": "bill", "event": "consumed", "msg_id": "m1"},
    {"ts": "2026-01-02T03:04:05.3Z", "service": "bill", "event": "published", "msg_id": "m2", "to": ["mail"]},
    {"ts": "2026-01-02T03:04:05.4Z", "service": "mail", "event": "consumed", "msg_id": "m2"},
    {"ts": "2026-01-02T03:04:05.5Z", "service": "mail", "event": "consumed", "msg_id": "m1"},
]
TEXT = "".join(f"{json.dumps(row)}\n" for row in LOG)


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_a_log_goes_from_its_own_format_to_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "app.log"
    path.write_text(TEXT)
    assert main(["check", str(path), "--master", "in-process"]) == 2
    assert "JSON Lines with the fields ts, service, event, msg_id, to" in capsys.readouterr().err
    assert main(["check", str(path), "--suggest-mapping"]) == 0
    printed = capsys.readouterr()
    assert f"antecede check {path} --mapping mapping.json" in printed.err
    type_in(monkeypatch, TEXT)
    assert main(["check", "-", "--master", "in-process", "--json", "--mapping", printed.out]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["violations"], found["events"]) == ("violated", 1, 5)
    assert any("order of their lines" in note for note in found["notes"])


def test_the_copy_of_standard_input_is_private_and_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(monkeypatch, "hello")
    with read_standard_input(["a", "-"], None) as (first, copy):
        assert (first, Path(copy).read_text()) == ("a", "hello")
        assert Path(copy).parent.stat().st_mode & 0o077 == 0
    assert not Path(copy).exists()


def test_tasks_on_other_machines_cannot_read_standard_input() -> None:
    with (
        pytest.raises(Misuse, match=r"tasks on spark://host:7077 cannot read"),
        read_standard_input(["-"], "spark://host:7077"),
    ):
        pass


def test_empty_standard_input_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    type_in(monkeypatch, "")
    assert main(["check", "-", "--master", "in-process"]) == 2
    assert "antecede: standard input: the file is empty" in capsys.readouterr().err


def test_standard_input_is_never_called_by_its_temporary_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, TEXT)
    assert main(["check", "-", "--suggest-mapping"]) == 0
    printed = capsys.readouterr()
    assert "antecede check - --mapping mapping.json" in printed.err
    said = printed.err
    for options in ([], ["--json"], ["--out", str(tmp_path / "out")], ["--mapping", "tracechecker"]):
        type_in(monkeypatch, TEXT + "odd\n")
        mapping = [] if "--mapping" in options else ["--mapping", printed.out]
        main(["check", "-", "--master", "in-process", *mapping, *options])
        said += "".join(capsys.readouterr())
    type_in(monkeypatch, "text\n")
    assert main(["check", "-"]) == 2
    said += capsys.readouterr().err + (tmp_path / "out" / "report.html").read_text()
    assert "standard input:1" in said
    assert "line 6 of standard input: " in said
    assert "standard-input" not in said


def test_no_mapping_is_suggested_for_what_no_mapping_can_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "app.txt"
    path.write_text("once upon a time\n")
    assert main(["check", str(path), "--suggest-mapping"]) == 2
    said = capsys.readouterr().err
    assert "app.txt: a mapping is for JSON Lines and for CSV with a header, and this is text; text without" in said


def block(form: str, number: int = 0) -> str:
    """Return a block of the guide's section on a log of one's own."""
    page = (ROOT / "docs" / "guide" / "05-checking.md").read_text()
    _, _, section = page.partition("## From a log of your own to a verdict")
    return str(re.findall(rf"```{form}\n(.*?)```", section, re.DOTALL)[number])


def test_what_the_guide_shows_is_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("app.log").write_text(block("json"))
    assert main(["check", "app.log", "--suggest-mapping"]) == 0
    suggested = capsys.readouterr().out
    assert suggested == block("json", 1)
    Path("mapping.json").write_text(suggested)
    assert main(["check", "app.log", "--mapping", "mapping.json", "--master", "in-process"]) == 1
    assert capsys.readouterr().out == block("text")


def test_text_becomes_a_log_as_the_guide_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "to_json.py").write_text(block("py"))
    command = [sys.executable, str(tmp_path / "to_json.py")]
    rows = subprocess.run(command, input=block("log"), capture_output=True, text=True, check=True).stdout
    type_in(monkeypatch, rows)
    assert main(["check", "-", "--suggest-mapping"]) == 0
    mapping = capsys.readouterr().out
    type_in(monkeypatch, rows)
    assert main(["check", "-", "--mapping", mapping, "--master", "in-process", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["messages"], found["deliveries"], found["lost"]) == (1, 1, 1)


def test_standard_input_that_is_closed_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["check", "-", "--master", "in-process"]) == 2
    assert "standard input, which is closed" in capsys.readouterr().err
