"""`check` as a whole: real logs, the known violation with its tables and its report, and what is said where."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from antecede.core.errors import Misuse
from antecede.judge.events import Event
from antecede.judge.trace import arrange
from antecede.pipeline import schema
from antecede.pipeline.check import Checked, check
from antecede.pipeline.errors import UnreadableInput
from antecede.pipeline.limits import Limits
from antecede.pipeline.read.ingest import read
from antecede.pipeline.report.locality_saving import saving
from antecede.pipeline.tables import folder as tables
from antecede.pipeline.tables.clock_edges import edges
from antecede.pipeline.tables.hold_back import hold_backs
from antecede.web.export import otlp, shiviz
from antecede.web.report import render
from tests.marks import slow

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
def known(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Checked:
    folder = tmp_path_factory.mktemp("known")
    trace = folder / "known.jsonl"
    trace.write_text("".join(json.dumps(row) + "\n" for row in KNOWN))
    return check(spark, [str(trace)], out=str(folder / "out"))


def table(spark: SparkSession, checked: Checked, name: str) -> list[Any]:
    assert checked.out is not None
    return tables.read(spark, checked.out, name).collect()


def test_the_known_violation_is_counted_and_explained(known: Checked) -> None:
    assert {name: known.as_dict()[name] for name in COUNTED} == COUNTED
    (one,) = known.explained
    assert (one.words, one.overtaking, one.overtaken) == (CHAIN, "m3", "m1")
    assert one.late_seconds == pytest.approx(0.07)
    assert [(event.process, event.index) for event in one.chain] == [("a", 0), ("a", 1), ("c", 1), ("c", 2)]


def test_the_stages_are_named_as_they_begin(spark: SparkSession, write_lines: WriteLines) -> None:
    stages: list[str] = []
    checked = check(spark, [write_lines("t.jsonl", KNOWN)], progress=stages.append)
    assert stages == ["reading", "verifying", "explaining"]
    assert [name for name, _ in checked.stages] == stages
    assert checked.figures is None


def test_every_table_is_there_with_exactly_its_schema(spark: SparkSession, known: Checked) -> None:
    for name, wanted in schema.TABLES.items():
        found = spark.read.parquet(f"{known.out}/{name}").schema
        assert [(f.name, f.dataType) for f in found] == [(f.name, f.dataType) for f in wanted], name
        assert all(field.metadata.get("comment") for field in wanted), name


def test_the_tables_say_what_happened(spark: SparkSession, known: Checked) -> None:
    (violation,) = table(spark, known, "violations")
    assert (violation.process, violation.message, violation.witness, violation.words) == ("b", "m3", "m1", CHAIN)
    links = {(row.sender, row.process): row for row in table(spark, known, "links")}
    assert {link: (row.sent, row.deliveries, row.lost) for link, row in links.items()} == {
        ("a", "b"): (1, 1, 0),
        ("a", "c"): (1, 1, 0),
        ("c", "b"): (1, 1, 0),
        ("c", "d"): (1, 0, 1),
    }
    assert links["a", "b"].delay_s_mean == pytest.approx(0.12)
    assert (links["a", "c"].held, links["a", "c"].needless) == (1, 1)
    assert links["a", "c"].hold_s_mean == pytest.approx(0.01)
    processes = {row.process: row for row in table(spark, known, "processes")}
    assert (processes["d"].events, processes["d"].lost) == (0, 1)
    assert (processes["a"].stamped, processes["a"].control_bytes) == (2, 20)
    (run,) = table(spark, known, "summary")
    assert (run.verdict, run.violations, run.held, run.needless, run.control_bytes) == ("violated", 1, 1, 1, 20)
    (refused,) = table(spark, known, "quarantine")
    assert (refused.line, refused.reason) == (8, "index is -1; it must be an integer of 0 or more")


def test_the_report_shows_the_verdict_and_the_violation(known: Checked) -> None:
    assert [(v.overtaking, v.overtaken, v.process) for v in known.explained] == [("m3", "m1", "b")]
    assert {arrow.id: arrow.role for arrow in known.explained[0].messages} == {
        "m1": "overtaken",
        "m2": "witness",
        "m3": "overtaking",
    }
    assert known.figures is not None
    assert (known.figures.held, known.figures.histograms["needless_s"].count) == (1, 1)
    page = render(known, written="today")
    assert "Causal order is violated" in page
    assert CHAIN in page
    assert 'class="space-time' in page


def test_an_unsound_output_folder_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    trace = tmp_path / "in" / "t.jsonl"
    trace.parent.mkdir()
    trace.write_text(json.dumps(KNOWN[0]) + "\n")
    for out in (tmp_path / "in", tmp_path, tmp_path / "in" / "out"):
        with pytest.raises(Misuse, match="inside each other"):
            check(spark, [str(trace.parent)], out=str(out))
    (tmp_path / "mine" / "events").mkdir(parents=True)
    with pytest.raises(Misuse, match="no table of a check"):
        check(spark, [str(trace)], out=str(tmp_path / "mine"))
    with pytest.raises(Misuse, match="that is a file"):
        check(spark, [str(trace)], out=str(trace.with_name("t.jsonl")))


def test_a_large_run_is_explained_from_the_events_between_the_two_sends(
    spark: SparkSession, write_lines: WriteLines
) -> None:
    before = [{"process": f"x{n}", "index": 0, "kind": "internal", "time": -1.0} for n in range(20)]
    path = write_lines("t.jsonl", [*before, *KNOWN[:-1]])
    (one,) = check(spark, [path], limits=Limits(explained_events_max=8)).explained
    assert one.words == CHAIN
    assert not any(event.process.startswith("x") for event in one.events)
    (one,) = check(spark, [path], limits=Limits(explained_events_max=3)).explained
    assert one.chain == ()
    assert one.words.endswith("the run has 27 events, and too many of them lie between the two to fetch the chain")


def test_where_clocks_are_skewed_a_large_run_is_not_explained_by_time(
    spark: SparkSession, write_lines: WriteLines
) -> None:
    late = [{**row, "time": row["time"] + (9 if row["process"] == "a" else 0)} for row in KNOWN[:-1]]
    (one,) = check(spark, [write_lines("t.jsonl", late)], limits=Limits(explained_events_max=5)).explained
    assert one.chain == ()
    assert "clocks are too skewed" in one.words


def test_an_empty_trace_is_undecidable(spark: SparkSession, write_lines: WriteLines) -> None:
    checked = check(spark, [write_lines("t.jsonl", [""])])
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
        slow([{"process": "a", "index": 0, "kind": "move"}], "undecidable", "No message was sent or delivered."),
        (KNOWN[:1], "undecidable", "No deliver was recorded, so no message has both a send and a deliver."),
        slow(KNOWN[5:7], "undecidable", "No send was recorded, so no message has both a send and a deliver."),
        ([*PAIRS, "broken"], "holds", "It holds for the 100 of 101 rows that could be read: none of 50 deliveries"),
        slow([*PAIRS, "no", "no"], "undecidable", "2 of 102 rows could not be read as events, more than the 1 % that"),
        ([KNOWN[5], *["broken"] * 7], "undecidable", "7 of 8 rows could not be read as events, more than the 1 %"),
        (
            [*KNOWN[:7], *["broken"] * 7],
            "violated",
            "1 of 3 deliveries came before one of its causes, in 1 of 1 run.",
        ),
    ],
)
def test_the_verdict_says_how_much_of_the_input_it_is_about(
    spark: SparkSession, write_lines: WriteLines, rows: list[object], verdict: str, reason: str
) -> None:
    checked = check(spark, [write_lines("t.jsonl", rows)])
    refused = sum(isinstance(row, str) for row in rows)
    assert (checked.answer.verdict, checked.answer.complete) == (verdict, not refused)
    assert checked.answer.reason.startswith(reason)
    assert (checked.as_dict()["complete"], checked.quarantined) == (not refused, refused)
    if refused and verdict == "violated":
        assert checked.answer.reason.endswith("7 of 14 rows could not be read as events.")


def test_a_note_says_that_spurious_deliveries_were_not_judged(spark: SparkSession, write_lines: WriteLines) -> None:
    rows = [{**row, "dests": ["b.local"]} if row["kind"] == "send" else row for row in PAIRS]
    checked = check(spark, [write_lines("t.jsonl", rows)])
    assert checked.as_dict()["spurious"] == 50
    assert any(note.startswith("50 of 50 deliveries are spurious") for note in checked.notes)


def test_an_empty_file_is_named_as_such(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").touch()
    with pytest.raises(UnreadableInput, match=r"t\.jsonl: the file is empty"):
        check(spark, [str(tmp_path / "t.jsonl")])


def test_more_rows_may_be_refused_if_the_caller_says_so(spark: SparkSession, write_lines: WriteLines) -> None:
    path = write_lines("t.jsonl", [*PAIRS, "no", "no"])
    assert check(spark, [path], quarantine_max=0.02).answer.verdict == "holds"
    with pytest.raises(Misuse, match="a share between 0 and 1"):
        check(spark, [path], quarantine_max=2)


def test_a_file_of_which_nothing_could_be_read_counts_by_its_bytes(
    spark: SparkSession, write_lines: WriteLines, tmp_path: Path
) -> None:
    """Its rows are one row of the quarantine, but nobody knows how many they were."""
    lines = "".join(json.dumps({"run": "cut", **row}) + "\n" for row in PAIRS).encode()
    packed = gzip.compress(lines, compresslevel=0, mtime=0)
    sound = Path(write_lines("sound.jsonl", PAIRS))
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[:-2_000])
    share = (len(packed) - 2_000) / (len(packed) - 2_000 + sound.stat().st_size)
    answer = check(spark, [str(tmp_path)]).answer
    assert (answer.verdict, answer.complete) == ("undecidable", False)
    assert answer.reason.startswith(f"Files that could not be read hold {100 * share:.3g} % of the input's bytes")
    assert check(spark, [str(tmp_path)], quarantine_max=0.7).answer.verdict == "holds"


# Real logs


@pytest.mark.logs
def test_vector_clock_logs_are_undecidable_and_still_show_graph_delays_and_a_picture(
    spark: SparkSession, logs: Path, tmp_path: Path
) -> None:
    log = logs / "shiviz" / "tsviz_shared_var_4_threads.log"
    checked = check(spark, [str(log)], out=str(tmp_path / "out"))
    assert checked.answer.verdict == "undecidable"
    assert checked.answer.reason.startswith("No message identities")
    assert checked.figures is not None
    assert checked.figures.histograms["delay_s"].count == 548
    names = {name for link in checked.figures.links for name in (link.sender, link.process)}
    assert names == {"thread2", "thread3", "thread4", "thread5"}
    assert checked.figures.picture is not None
    assert checked.figures.picture.messages
    page = render(checked)
    assert "Causal order is undecidable" in page
    assert "Start of the trace" in page
    assert checked.figures.locality.startswith("If processes write only along the links of this trace")


@pytest.mark.logs
def test_all_vector_clock_logs_end_undecidable_with_the_edges_their_description_states(
    spark: SparkSession, logs: Path
) -> None:
    checked = check(spark, [str(logs / "shiviz")])
    assert {run.verdict for run in checked.answer.runs} == {"undecidable"}
    assert all(run.reason for run in checked.answer.runs)
    assert checked.as_dict()["events"] == 39 + 116 + 1235 + 509 + 864 + 47 + 41 + 5000
    counted = {row["run"]: row["count"] for row in edges(checked.events).groupBy("run").count().collect()}
    wanted = {"chord.log": 541, "simpledb.log": 95, "voldemort.log": 34, "tsviz_shared_var_4_threads.log": 548}
    assert {run: counted[run] for run in wanted} == wanted


@pytest.mark.logs
@pytest.mark.parametrize(("name", "counts"), [("example1.log", (809, 11, 179)), ("trace_log.txt", (169, 3, 40))])
def test_tracechecker_logs_hold(spark: SparkSession, logs: Path, name: str, counts: tuple[int, int, int]) -> None:
    found = check(spark, [str(logs / "tracechecker" / name)]).as_dict()
    assert (found["verdict"], found["violations"], found["quarantined"]) == ("holds", 0, 0)
    assert (found["events"], found["processes"], found["messages"]) == counts


@pytest.mark.logs
@pytest.mark.parametrize(
    ("folder", "counts"),
    [
        ("zipkin", {"runs": 1, "processes": 4, "events": 36, "quarantined": 0}),
        ("otlp", {"runs": 1, "processes": 3, "events": 3, "quarantined": 0}),
    ],
)
def test_span_files_are_read_and_judged(spark: SparkSession, logs: Path, folder: str, counts: dict[str, int]) -> None:
    found = check(spark, [str(logs / folder)]).as_dict()
    assert {name: found[name] for name in counts} == counts


# The parts


def test_an_export_is_read_back_with_the_same_answer(
    spark: SparkSession, write_lines: WriteLines, tmp_path: Path
) -> None:
    events = [{"run": "r", "attributes": None, **row} for row in KNOWN[:-1] if row["kind"] != "receive"]
    for name, form in (("known.log", shiviz), ("known.json", otlp)):
        (tmp_path / name).write_text("".join(form(events)))
        found = check(spark, [str(tmp_path / name)])
        assert found.as_dict()["violations"] == 1, name
        assert found.explained[0].words == CHAIN


def test_a_hold_back_is_needless_unless_a_cause_is_missing_at_the_receive() -> None:
    def event(process: str, index: int, kind: str, message: str, *dests: str) -> Event:
        return Event("", process, index, kind, message=message, dests=dests if kind == "send" else None)

    (run,) = arrange(
        [
            event("a", 0, "send", "m1", "b"),
            event("a", 1, "send", "m2", "b"),
            event("c", 0, "send", "m3", "b"),
            event("b", 0, "receive", "m2"),  # m1 is missing: needed
            event("b", 1, "receive", "m3"),  # nothing before it: needless
            event("b", 2, "receive", "m1"),
            event("b", 3, "deliver", "m1"),
            event("b", 4, "deliver", "m2"),
            event("b", 5, "deliver", "m3"),
        ]
    )
    assert {event.message: free for event, free in hold_backs(run)} == {"m1": True, "m2": False, "m3": True}


def test_a_cause_that_is_lost_is_still_missing() -> None:
    sends = [Event("", "a", n, "send", message=f"m{n}", dests=("b",)) for n in range(2)]
    got = [Event("", "b", n, kind, message="m1") for n, kind in enumerate(("receive", "deliver"))]
    (run,) = arrange([*sends, *got])
    assert [free for _, free in hold_backs(run)] == [False]


def test_what_locality_saves_is_said_for_graphs_up_to_a_size() -> None:
    hub = [(name, "hub") for name in ("s1", "s2", "s3")]
    assert "less on the wire" in saving([*hub, *((hub, name) for name, hub in hub), ("s1", "s1")])
    assert saving([("a", "a")]) == ""
    assert "antecede locality" in saving(hub, complete=False)


@pytest.mark.logs
def test_times_are_shown_for_edges_alone(spark: SparkSession, logs: Path) -> None:
    """No edge of this log goes back in time: its threads share one clock."""
    found = edges(read(spark, [str(logs / "shiviz" / "tsviz_shared_var_4_threads.log")]).events)
    assert found.where("time < sent_time").count() == 0
