"""`antecede check` and `antecede demo`: exit status, what goes to which stream, and errors that say what to do."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from antecede.cli import main, screen
from antecede.judge.judge import COUNTS
from antecede.judge.orders import ORDERS
from antecede.pipeline.report.model import ExplainedViolation, LoggedEvent
from tests.marks import slow

SENT = {"process": "a", "index": 0, "kind": "send", "time": 0.0, "message": "m1", "dests": ["b"]}
AGAIN = {"process": "a", "index": 1, "kind": "send", "time": 0.1, "message": "m2", "dests": ["b"]}
GOT_1 = {"process": "b", "index": 0, "kind": "deliver", "time": 0.2, "message": "m1"}
GOT_2 = {"process": "b", "index": 1, "kind": "deliver", "time": 0.3, "message": "m2"}
TRACES = {
    "holds": [SENT, AGAIN, GOT_1, GOT_2],
    "violated": [SENT, AGAIN, {**GOT_1, "message": "m2"}, {**GOT_2, "message": "m1"}],
    "undecidable": [{"process": "a", "index": 0, "kind": "internal"}],
}
STATUS = {"holds": 0, "violated": 1, "undecidable": 3}


def _pair(number: int) -> list[dict[str, object]]:
    """Return a send and its deliver."""
    return [
        {"process": "a", "index": number, "kind": "send", "message": f"m{number}", "dests": ["b"]},
        {"process": "b", "index": number, "kind": "deliver", "message": f"m{number}"},
    ]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return write(tmp_path / "trace.jsonl", "violated")


WORST = "b delivered m2 before m1: m1 was sent by a, then a sent m2"
CROWN = "m1 and m2 cannot both be instantaneous: each has an event before an event of the other"


def write(path: Path, verdict: str) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in TRACES[verdict]))
    return path


@pytest.mark.parametrize("verdict", TRACES)
def test_json_is_one_object_and_the_status_is_the_verdict(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], verdict: str
) -> None:
    assert main(["check", str(write(tmp_path / "t.jsonl", verdict)), "--json"]) == STATUS[verdict]
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == verdict
    assert {"verdict", *COUNTS} <= set(said)
    assert said["events"] == len(TRACES[verdict])


def test_without_json_one_screen_and_the_worst_in_words(
    spark: SparkSession, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(trace)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("VIOLATED: 1 of 2 deliveries came before one of its causes")
    assert "The worst violation: b delivered m2 before m1: m1 was sent by a, then a sent m2." in out
    assert "Add --out DIR" in out
    assert len(out.splitlines()) < 25


def test_the_worst_violation_comes_before_the_counts_with_files_and_lines(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(trace), "--master", "in-process"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:8] == [
        f"The worst violation: {WORST}.",
        f"  a sends m1     {trace}:1",
        f"  a sends m2     {trace}:2",
        f"  b delivers m2  {trace}:3",
        f"  b delivers m1  {trace}:4",
        "",
    ]
    assert lines[8:13] == [
        "  fifo        violated      b delivered m2 before m1, which the same sender had sent earlier",
        "  causal      violated",
        "  agreed      holds",
        f"  synchronous violated      {CROWN}",
        "",
    ]
    assert lines[13].split()[:2] == ["runs", "1"]


@pytest.mark.parametrize(
    ("order", "status", "reason"),
    [
        ("fifo", 1, "FIFO order is violated in 1 of 1 run: b delivered m2 before m1, which the same sender"),
        ("causal", 1, "1 of 2 deliveries came before one of its causes"),
        ("agreed", 0, "2 deliveries keep agreed order."),
        ("synchronous", 1, "Synchronous order is violated in 1 of 1 run: m1 and m2 cannot both be instantaneous"),
    ],
)
def test_the_verdict_and_the_status_are_about_the_order_that_is_required(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], order: str, status: int, reason: str
) -> None:
    trace = str(write(tmp_path / "trace.jsonl", "violated"))
    command = ["check", trace, "--master", "in-process", "--require", order, "--out", str(tmp_path / "out")]
    assert main([*command, "--json"]) == status
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["required"]) == ("violated" if status else "holds", order)
    assert said["reason"].startswith(reason)
    assert [said[one] for one in ORDERS] == ["violated", "violated", "holds", "violated"]
    assert said["fifo_witness"] == "b delivered m2 before m1, which the same sender had sent earlier"
    assert said["causal_witness"] == WORST
    assert said["worst"] == [WORST]
    assert [step["line"] for step in said["worst_steps"][0]] == [1, 2, 3, 4]
    page = (tmp_path / "out" / "report.html").read_text()
    assert WORST in page
    title = {"fifo": "FIFO order is violated", "agreed": "Agreed order holds"}
    assert title.get(order, f"{order.title()} order is violated") in page
    assert "b delivered m2 before m1, which the same sender had sent earlier" in page


@pytest.mark.parametrize("order", [order for order in ORDERS if order != "causal"])
def test_every_order_that_fails_has_its_witness_on_the_screen(
    trace: Path, capsys: pytest.CaptureFixture[str], order: str
) -> None:
    main(["check", str(trace), "--master", "in-process", "--require", order])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:6] == [
        "  fifo        violated      b delivered m2 before m1, which the same sender had sent earlier",
        f"  causal      violated      {WORST}",
        "  agreed      holds",
        f"  synchronous violated      {CROWN}",
    ]


@pytest.mark.parametrize("order", ORDERS)
def test_if_nothing_is_explained_causal_order_has_the_witness_of_the_summary(
    trace: Path, capsys: pytest.CaptureFixture[str], order: str
) -> None:
    command = ["check", str(trace), "--master", "in-process", "--require", order, "--worst", "0"]
    words = "b delivered m2 before m1, which may have caused it"
    main(command)
    assert f"  causal      violated      {words}" in capsys.readouterr().out.splitlines()
    main([*command, "--json"])
    said = json.loads(capsys.readouterr().out)
    assert (said["causal_witness"], said["worst"]) == (words, [])


def test_an_order_that_is_none_is_refused(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", str(trace), "--require", "total"])
    assert ended.value.code == 2
    assert "fifo" in capsys.readouterr().err


def test_json_has_the_places_of_the_worst_violation(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(trace), "--master", "in-process", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["worst"] == ["b delivered m2 before m1: m1 was sent by a, then a sent m2"]
    (steps,) = said["worst_steps"]
    assert [(one["process"], one["kind"], one["message"], one["file"], one["line"]) for one in steps] == [
        *(("a", "send", "m1", str(trace), 1), ("a", "send", "m2", str(trace), 2)),
        *(("b", "deliver", "m2", str(trace), 3), ("b", "deliver", "m1", str(trace), 4)),
    ]


def test_of_a_long_chain_both_ends_are_printed() -> None:
    chain = tuple(LoggedEvent("r", f"p{number}", 0, "send", message=f"m{number}") for number in range(20))
    long = ExplainedViolation("r", "x\x1b", 0, "m19", "m0", 1, "words\x1b[2J", chain, titles={"m1": "orders\x07"})
    lines = list(screen.violation_lines(long))
    assert lines[0] == "The worst violation: words\ufffd[2J."
    assert lines[1:4] == ["  p0 sends m0", "  p1 sends orders\ufffd (m1)", "  p2 sends m2"]
    assert lines[5:7] == ["  … 12 more steps", "  p16 sends m16"]
    assert len(lines) == 10


def test_links_are_made_in_the_report(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--out", str(tmp_path / "out"), "--link", "https://logs.example/{message}?line={line}"]
    assert main(["check", str(trace), "--master", "in-process", *asked]) == 1
    page = (tmp_path / "out" / "report.html").read_text()
    assert re.findall(r'href="(https:[^"]*)"', page) == [
        f"https://logs.example/{message}?line={line}" for message, line in (("m1", 1), ("m2", 2), ("m2", 3), ("m1", 4))
    ]


def test_a_link_that_no_step_can_have_is_noted(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--out", str(tmp_path / "out"), "--link", "https://logs.example/{trace_id}"]
    assert main(["check", str(trace), "--master", "in-process", *asked]) == 1
    note = "Note: no step has a link, because none has a value for {trace_id} of --link; there are process, message, "
    assert note in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--link", "javascript:alert({line})", "--out", "out"], "does not begin with http:// or https://"),
        (["--link", "https://x.example/{line}"], "add --out DIR"),
    ],
)
def test_a_bad_link_is_refused_before_spark_starts(
    trace: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["check", str(trace), "--master", "local[1]", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "starting Spark" not in said


PAIRS = [row for number in range(500) for row in _pair(number)][:999]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([GOT_1, *["broken"] * 7], "UNDECIDABLE (incomplete): 7 of 8 rows could not be read as events"),
        ([*PAIRS, "broken"], "HOLDS (incomplete): It holds for the 999 of 1,000 rows that could be read"),
        slow([*PAIRS, PAIRS[-1]], "HOLDS (incomplete): It holds for the 999 of 1,000 rows that could be read"),
        (PAIRS, "HOLDS: None of 499 deliveries came before one of its causes"),
    ],
)
def test_a_log_that_was_not_read_does_not_hold(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[object], said: str
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    assert main(["check", str(path)]) == (0 if said.startswith("HOLDS") else 3)
    assert capsys.readouterr().out.startswith(said)


@pytest.mark.parametrize(("share", "status"), [("90%", 0), slow("0.9", 0), slow("5%", 3)])
def test_the_share_of_unreadable_rows_is_an_option(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], share: str, status: int
) -> None:
    path = write(tmp_path / "t.jsonl", "holds")
    path.write_text(path.read_text() + "broken\n" * 4)
    assert main(["check", str(path), "--json", "--quarantine-max", share]) == status
    said = json.loads(capsys.readouterr().out)
    assert (said["complete"], said["quarantined"], said["events"]) == (False, 4, 4)


@pytest.mark.parametrize("share", ["5", "-1%", "101%", "some", "nan", ""])
def test_a_share_that_is_none_is_refused(trace: Path, capsys: pytest.CaptureFixture[str], share: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", str(trace), f"--quarantine-max={share}"])
    assert ended.value.code == 2
    assert "write 5% or 0.05" in capsys.readouterr().err


def test_with_out_the_report_is_named_and_an_export_written(
    spark: SparkSession, trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, log = tmp_path / "checked", tmp_path / "part.log"
    asked = ["--out", str(out), "--export-shiviz", str(log), "--to", "0.15", "--json"]
    assert main(["check", str(trace), *asked]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["violations"] == 1
    assert f"Report: {out / 'report.html'}" in said.err
    assert "Causal order is violated" in (out / "report.html").read_text()
    assert re.findall(r"^(?:send|deliver) \S+", log.read_text(), re.MULTILINE) == ["send m1", "send m2"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{here}/nothing.jsonl"], "no such file or folder; check the path"),
        (["{here}/empty"], "the folder has no files"),
        (["{here}/noise.bin"], "it is a binary file"),
        (["{here}/trace.jsonl", "--format", "xml"], "there are auto, antecede, shiviz, otlp, zipkin"),
        (["{here}/trace.jsonl", "--regex", "(?<host>"], "regular expression"),
        (["{here}/trace.jsonl", "--windows", "0"], "give 1 or more"),
        (["{here}/trace.jsonl", "--worst", "-1"], "give 0 or more"),
        (["{here}/trace.jsonl", "--run", "r"], "add --export-shiviz or --export-otlp"),
        (["{here}/trace.jsonl", "--out", "{here}"], "choose another folder"),
        (["{here}/trace.jsonl", "--export-otlp", "{here}/x.json", "--run", "r"], "no events to export"),
        (["{here}/trace.jsonl", "--export-otlp", "{here}/no/x.json"], "cannot write"),
    ],
)
def test_an_error_says_what_to_do(
    spark: SparkSession,
    trace: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    (trace.parent / "empty").mkdir()
    (trace.parent / "noise.bin").write_bytes(bytes(range(1, 200)) * 3)
    assert main(["check", *(argument.format(here=trace.parent) for argument in arguments)]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.splitlines()[-1].startswith("antecede: ")
    assert said.out == ""


def test_help_teaches_by_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "examples:" in said
    assert "exit status: 0 the required order holds, 1 it is violated, 3 undecidable" in said
    assert "with kind (send, deliver, receive or internal)" in said
    assert "those of an earlier check there are replaced" in re.sub(r"\s+", " ", said)


def test_a_misspelt_in_process_is_told_with_what_was_meant(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(trace), "--master", "in-proces"]) == 2
    assert "'in-proces' (did you mean 'in-process'?); write in-process, local[2], " in capsys.readouterr().err


def test_what_a_terminal_would_obey_is_taken_out() -> None:
    assert screen.plain("a\x1b[2Jb\nc") == "a\ufffd[2Jb\ufffdc"
    assert screen.plain("x" * 20, 10) == "x" * 10 + "…"


def test_a_report_that_cannot_be_finished_does_not_spoil_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, out = tmp_path / "t.jsonl", tmp_path / "out"
    log.write_text(json.dumps(SENT))
    asked = ["check", str(log), "--out", str(out), "--master", "in-process"]
    main(asked)
    before = (out / "report.html").read_text()

    def write_half(path: str, pieces: object) -> None:
        Path(path).write_text("half")
        raise OSError("no space left")

    monkeypatch.setattr(screen, "write", write_half)
    assert main(asked) == 2
    assert (out / "report.html").read_text() == before


@pytest.mark.parametrize("option", ["--json", "--suggest-mapping"])
def test_names_in_a_log_do_not_reach_the_terminal_as_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    log = tmp_path / "evil\x1b[31m.log"
    log.write_text(json.dumps({"\x1bc": 1, "a\x9b1m": 2, "b\r\nantecede: HOLDS": 3}))
    main(["check", str(log), option, "--master", "in-process"])
    told = capsys.readouterr()
    assert not [char for char in told.out + told.err if not char.isprintable() and char != "\n"]
    assert "\nantecede: HOLDS" not in told.err


def test_the_demo_shows_both_verdicts_and_its_report(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--processes", "5", "--messages", "80", "--out", str(tmp_path)]
    assert main(["demo", *asked]) == 0
    out = capsys.readouterr().out
    assert re.search(r"verdict +VIOLATED +HOLDS", out)
    assert f"Report: {tmp_path / 'checked' / 'report.html'}" in out
    assert "Causal order is violated" in (tmp_path / "checked" / "report.html").read_text()


def test_the_command_itself(trace: Path) -> None:
    """A process of its own: nothing but the object on standard output, whatever Spark says while it starts."""
    command = [sys.executable, "-m", "antecede", "check", str(trace), "--json", "--master", "local[1]"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["overtaken"] == 1
