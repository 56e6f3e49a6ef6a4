"""`check` as a whole: the known violation with its tables and its report, and what is said where."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from antecede.core.errors import Misuse
from antecede.pipeline import schema
from antecede.pipeline.check import check
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.limits import Limits
from antecede.pipeline.runner import InProcess
from antecede.web.export import otlp, shiviz
from antecede.web.report import render
from tests.pipeline.written_tables import WrittenTables, check_and_write

WriteLines = Callable[[str, Sequence[object]], str]

# a sends m1 to b, then m2 to c; c delivers m2 and sends m3 to b; b delivers m3 before m1
KNOWN: list[dict[str, Any]] = [
    {"process": "a", "index": 0, "kind": "send", "time": 0.0, "message": "m1", "dests": ["b"], "control_bytes": 8},
    {"process": "a", "index": 1, "kind": "send", "time": 0.01, "message": "m2", "dests": ["c"], "control_bytes": 12},
    {"process": "c", "index": 0, "kind": "receive", "time": 0.02, "message": "m2"},
    {"process": "c", "index": 1, "kind": "deliver", "time": 0.03, "message": "m2"},
    {"process": "c", "index": 2, "kind": "send", "time": 0.04, "message": "m3", "dests": ["b", "d"]},
    {"process": "b", "index": 0, "kind": "deliver", "time": 0.05, "message": "m3"},
    {"process": "b", "index": 1, "kind": "deliver", "time": 0.12, "message": "m1"},
    {"process": "b", "index": -1, "kind": "deliver", "time": 0.2, "message": "m1"},
]
CHAIN = "b delivered m3 before m1: m1 was sent by a, then a sent m2 to c, c delivered m2 and sent m3"
COUNTED = {
    "verdict": "violated",
    "complete": False,
    "runs": 1,
    "processes": 3,
    "events": 7,
    "messages": 3,
    "deliveries": 3,
    "violations": 1,
    "overtaken": 1,
    "lost": 1,
    "duplicates": 0,
    "spurious": 0,
    "quarantined": 1,
}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> WrittenTables:
    folder = tmp_path_factory.mktemp("known")
    trace = folder / "known.jsonl"
    trace.write_text("".join(json.dumps(row) + "\n" for row in KNOWN))
    return check_and_write(folder, [trace])


def test_the_known_violation_is_counted_and_explained(known: WrittenTables) -> None:
    assert {name: known.checked.as_dict()[name] for name in COUNTED} == COUNTED
    (one,) = known.checked.explained
    assert (one.words, one.overtaking, one.overtaken) == (CHAIN, "m3", "m1")
    assert one.late_seconds == pytest.approx(0.07)
    assert [(event.process, event.index) for event in one.chain] == [("a", 0), ("a", 1), ("c", 1), ("c", 2)]


def test_the_stages_are_named_as_they_begin(write_lines: WriteLines, tmp_path: Path) -> None:
    stages: list[str] = []
    path = write_lines("t.jsonl", KNOWN)
    checked = check(InProcess(), [path], progress=stages.append)
    assert stages == ["reading", "verifying", "explaining"]
    assert [name for name, _ in checked.stages] == stages
    assert checked.figures is None
    stages = []
    check(InProcess(), [path], out=str(tmp_path / "out"), progress=stages.append)
    assert stages == ["reading", "verifying", "explaining", "summarising", "writing"]


def test_every_table_is_there_with_exactly_its_schema(known: WrittenTables) -> None:
    for name, wanted in schema.TABLES.items():
        found = pq.read_schema(known.folder / name / "part-00000.parquet")
        assert [(field.name, field.type) for field in found] == [(field.name, field.type) for field in wanted], name
        assert all(schema.comment(field) for field in wanted), name
        assert (known.folder / name / "_SUCCESS").exists()
    assert sorted(path.name for path in known.folder.iterdir()) == sorted([*schema.TABLES, ".lock"])


def test_the_tables_say_what_happened(known: WrittenTables) -> None:
    (violation,) = known.rows("violations")
    assert (violation["process"], violation["message"], violation["witness"]) == ("b", "m3", "m1")
    assert (violation["rank"], violation["words"]) == (1, CHAIN)
    assert violation["late_s"] == pytest.approx(0.07)
    links = {(row["sender"], row["process"]): row for row in known.rows("links")}
    assert {link: (row["sent"], row["deliveries"], row["lost"]) for link, row in links.items()} == {
        ("a", "b"): (1, 1, 0),
        ("a", "c"): (1, 1, 0),
        ("c", "b"): (1, 1, 0),
        ("c", "d"): (1, 0, 1),
    }
    assert links["a", "b"]["delay_s_mean"] == pytest.approx(0.12)
    assert (links["a", "c"]["held"], links["a", "c"]["needless"]) == (1, 1)
    assert links["a", "c"]["hold_s_mean"] == pytest.approx(0.01)
    processes = {row["process"]: row for row in known.rows("processes")}
    assert (processes["d"]["events"], processes["d"]["lost"]) == (0, 1)
    assert (processes["a"]["stamped"], processes["a"]["control_bytes"]) == (2, 20)
    (run,) = known.rows("summary")
    assert (run["verdict"], run["violations"], run["held"], run["needless"]) == ("violated", 1, 1, 1)
    assert run["control_bytes"] == 20
    (refused,) = known.rows("quarantine")
    assert (refused["line"], refused["reason"]) == (8, "index is -1; it must be an integer of 0 or more")


def test_the_report_shows_the_verdict_and_the_violation(known: WrittenTables) -> None:
    checked = known.checked
    assert [(v.overtaking, v.overtaken, v.process) for v in checked.explained] == [("m3", "m1", "b")]
    assert {arrow.id: arrow.role for arrow in checked.explained[0].messages} == {
        "m1": "overtaken",
        "m2": "witness",
        "m3": "overtaking",
    }
    assert checked.figures is not None
    assert (checked.figures.held, checked.figures.histograms["needless_s"].count) == (1, 1)
    page = render(checked, written="today")
    assert "Causal order is violated" in page
    assert CHAIN in page
    assert 'class="space-time' in page


def test_an_unsound_output_folder_is_refused(tmp_path: Path) -> None:
    trace = tmp_path / "in" / "t.jsonl"
    trace.parent.mkdir()
    trace.write_text(json.dumps(KNOWN[0]) + "\n")
    for out in (tmp_path / "in", tmp_path, tmp_path / "in" / "out"):
        with pytest.raises(Misuse, match="inside each other"):
            check(InProcess(), [str(trace.parent)], out=str(out))
    (tmp_path / "mine" / "events").mkdir(parents=True)
    with pytest.raises(Misuse, match="no table of a check"):
        check(InProcess(), [str(trace)], out=str(tmp_path / "mine"))
    with pytest.raises(Misuse, match="that is a file"):
        check(InProcess(), [str(trace)], out=str(trace.with_name("t.jsonl")))


def test_a_large_run_is_explained_from_the_events_between_the_two_sends(write_lines: WriteLines) -> None:
    before = [{"process": f"x{n}", "index": 0, "kind": "internal", "time": -1.0} for n in range(20)]
    path = write_lines("t.jsonl", [*before, *KNOWN[:-1]])
    (one,) = check(InProcess(), [path], limits=Limits(explained_events_max=8)).explained
    assert one.words == CHAIN
    assert not any(event.process.startswith("x") for event in one.events)
    (one,) = check(InProcess(), [path], limits=Limits(explained_events_max=3)).explained
    assert one.chain == ()
    assert one.words.endswith("the run has 27 events, and too many of them lie between the two to look for the chain")


def test_where_clocks_are_skewed_a_large_run_is_not_explained_by_time(write_lines: WriteLines) -> None:
    late = [{**row, "time": row["time"] + (9 if row["process"] == "a" else 0)} for row in KNOWN[:-1]]
    (one,) = check(InProcess(), [write_lines("t.jsonl", late)], limits=Limits(explained_events_max=5)).explained
    assert one.chain == ()
    assert "clocks are too skewed" in one.words


def test_an_empty_trace_is_undecidable(write_lines: WriteLines) -> None:
    checked = check(InProcess(), [write_lines("t.jsonl", [""])])
    assert (checked.answer.verdict, checked.answer.run_count) == ("undecidable", 0)
    assert checked.answer.reason == "The input has no events."


PAIRS = [
    row
    for number in range(50)
    for row in (
        {"process": "a", "index": number, "kind": "send", "message": f"m{number}", "dests": ["b"]},
        {"process": "b", "index": number, "kind": "deliver", "message": f"m{number}"},
    )
]


@pytest.mark.parametrize(
    ("rows", "verdict", "reason"),
    [
        ([{"process": "a", "index": 0, "kind": "move"}], "undecidable", "No message was sent or delivered."),
        (KNOWN[:1], "undecidable", "No deliver was recorded, so no message has both a send and a deliver."),
        (KNOWN[5:7], "undecidable", "No send was recorded, so no message has both a send and a deliver."),
        ([*PAIRS, "broken"], "holds", "It holds for the 100 of 101 rows that could be read: none of 50 deliveries"),
        ([*PAIRS, "no", "no"], "undecidable", "2 of 102 rows could not be read as events, more than the 1 % that"),
        ([KNOWN[5], *["broken"] * 7], "undecidable", "7 of 8 rows could not be read as events, more than the 1 %"),
        (
            [*KNOWN[:7], *["broken"] * 7],
            "violated",
            "1 of 3 deliveries came before one of its causes, in 1 of 1 run.",
        ),
    ],
)
def test_the_verdict_says_how_much_of_the_input_it_is_about(
    write_lines: WriteLines, rows: list[object], verdict: str, reason: str
) -> None:
    checked = check(InProcess(), [write_lines("t.jsonl", rows)])
    refused = sum(isinstance(row, str) for row in rows)
    assert (checked.answer.verdict, checked.answer.complete) == (verdict, not refused)
    assert checked.answer.reason.startswith(reason)
    assert (checked.as_dict()["complete"], checked.quarantined) == (not refused, refused)
    if refused and verdict == "violated":
        assert checked.answer.reason.endswith("7 of 14 rows could not be read as events.")


def test_a_note_says_that_spurious_deliveries_were_not_judged(write_lines: WriteLines) -> None:
    rows = [{**row, "dests": ["b.local"]} if row["kind"] == "send" else row for row in PAIRS]
    checked = check(InProcess(), [write_lines("t.jsonl", rows)])
    assert checked.as_dict()["spurious"] == 50
    assert any(note.startswith("50 of 50 deliveries are spurious") for note in checked.notes)


def test_an_empty_file_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").touch()
    with pytest.raises(UnreadableInput, match=r"t\.jsonl: the file is empty"):
        check(InProcess(), [str(tmp_path / "t.jsonl")])


def test_more_rows_may_be_refused_if_the_caller_says_so(write_lines: WriteLines) -> None:
    path = write_lines("t.jsonl", [*PAIRS, "no", "no"])
    assert check(InProcess(), [path], quarantine_max=0.02).answer.verdict == "holds"
    with pytest.raises(Misuse, match="a share between 0 and 1"):
        check(InProcess(), [path], quarantine_max=2)


def test_a_file_of_which_nothing_could_be_read_counts_by_its_bytes(write_lines: WriteLines, tmp_path: Path) -> None:
    """Its rows are one row of the quarantine, but nobody knows how many they were."""
    lines = "".join(json.dumps({"run": "cut", **row}) + "\n" for row in PAIRS).encode()
    packed = gzip.compress(lines, compresslevel=0, mtime=0)
    sound = Path(write_lines("sound.jsonl", PAIRS))
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[:-2_000])
    share = (len(packed) - 2_000) / (len(packed) - 2_000 + sound.stat().st_size)
    answer = check(InProcess(), [str(tmp_path)]).answer
    assert (answer.verdict, answer.complete) == ("undecidable", False)
    assert answer.reason.startswith(f"Files that could not be read hold {100 * share:.3g} % of the input's bytes")
    assert check(InProcess(), [str(tmp_path)], quarantine_max=0.7).answer.verdict == "holds"


def test_an_export_is_read_back_with_the_same_answer(write_lines: WriteLines, tmp_path: Path) -> None:
    events = [{"run": "r", "attributes": None, **row} for row in KNOWN[:-1] if row["kind"] != "receive"]
    for name, form in (("known.log", shiviz), ("known.json", otlp)):
        (tmp_path / name).write_text("".join(form(events)))
        found = check(InProcess(), [str(tmp_path / name)])
        assert found.as_dict()["violations"] == 1, name
        assert found.explained[0].words == CHAIN


def test_if_the_order_of_all_events_is_unknown_the_answer_says_so(write_lines: WriteLines, tmp_path: Path) -> None:
    for name in ("d/a.jsonl", "d/b.jsonl"):  # the same events twice, so neither lines nor times tell their order
        write_lines(name, [{"who": "p", "what": "send", "id": "m"}])
    mapping = {"process": "who", "kind": {"field": "what", "send": ["send"]}, "message": "id"}
    checked = check(InProcess(), [str(tmp_path / "d")], mapping=mapping, out=str(tmp_path / "out"))
    assert (checked.answer.verdict, checked.quarantined) == ("undecidable", 2)
    assert any("neither lines nor times tell the order" in note for note in checked.notes)
    assert "2 rows" in render(checked, written="today")


@pytest.mark.parametrize(("arrivals", "is_noted"), [(["came", "done"], True), (["done"], False)])
def test_many_repeated_deliveries_are_asked_about(
    write_lines: WriteLines, arrivals: list[str], *, is_noted: bool
) -> None:
    rows = [{"who": "p" if what == "sent" else "q", "what": what, "id": "m"} for what in ("sent", "came", "done")]
    mapping = {"process": "who", "kind": {"field": "what", "send": ["sent"], "deliver": arrivals}, "message": "id"}
    notes = check(InProcess(), [write_lines("a.jsonl", rows)], mapping=mapping).notes
    asked = [note for note in notes if "are two of your kinds steps of one delivery?" in note]
    assert [note[:37] for note in asked] == (["1 of 2 deliveries is repeated: the pr"] if is_noted else [])


@pytest.mark.parametrize("size", [1.7e308, 1e300, 1e-300, 5e-324])
@pytest.mark.parametrize("windows", [None, 3])
def test_times_of_any_size_do_not_stop_a_check(
    write_lines: WriteLines, tmp_path: Path, size: float, windows: int | None
) -> None:
    odd = [{"process": "a", "index": 5, "kind": "receive", "message": "m2", "time": time} for time in (size, -size)]
    rows = [*KNOWN[:6], {**KNOWN[6], "time": size}, odd[0], {**odd[1], "index": 6}]
    checked = check(InProcess(), [write_lines("t.jsonl", rows)], windows=windows, out=str(tmp_path / "out"))
    wanted = ("undecidable", 3) if size > 1e300 else ("violated", 0)
    assert (checked.answer.verdict, checked.quarantined) == wanted
    json.dumps(checked.as_dict(), allow_nan=False)
    assert render(checked, written="today")
