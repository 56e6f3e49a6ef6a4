"""`antecede.check`: every kind of source gives the same result, and the result serves programs, notebooks and tests."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import antecede
from antecede.pipeline.errors import BadPattern, UnreadableInput
from antecede.pipeline.read.indexes import BY_TIME

LOG: list[dict[str, Any]] = [
    {"ts": "2026-01-02T03:04:05.1Z", "service": "orders", "event": "published", "id": "m1", "to": ["bill", "mail"]},
    {"ts": "2026-01-02T03:04:05.2Z", "service": "bill", "event": "consumed", "id": "m1", "to": None},
    {"ts": "2026-01-02T03:04:05.3Z", "service": "bill", "event": "published", "id": "m2", "to": ["mail"]},
    {"ts": "2026-01-02T03:04:05.4Z", "service": "mail", "event": "consumed", "id": "m2", "to": None},
    {"ts": "2026-01-02T03:04:05.5Z", "service": "mail", "event": "consumed", "id": "m1", "to": None},
]
MAPPING: Mapping[str, object] = {
    "process": "service",
    "time": "ts",
    "kind": {"field": "event", "send": ["published"], "deliver": ["consumed"]},
    "message": "id",
    "dests": "to",
}
WORDS = "mail delivered m2 before m1: m1 was sent by orders, bill delivered m1 and sent m2"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The log as a file."""
    file = tmp_path / "app.log"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in LOG))
    return file


def check(source: Any, **options: Any) -> antecede.CheckResult:
    return antecede.check(source, master="in-process", **{"mapping": MAPPING, **options})


def found(result: antecede.CheckResult) -> tuple[Any, ...]:
    """Return what must be the same for every kind of source."""
    (violation,) = result.violations.select(["process", "message", "witness", "time"]).to_pylist()
    return result.verdict, result.counts, result.explain(), violation


def test_paths_tables_and_frames_give_the_same(path: Path) -> None:
    wanted = found(check(path))
    assert wanted[0] == "violated"
    assert wanted[2] == [WORDS]
    assert found(check([str(path)])) == wanted
    assert found(check(pa.Table.from_pylist(LOG))) == wanted
    frame = pd.DataFrame(LOG)
    assert found(check(frame)) == wanted
    assert found(check(frame.assign(ts=pd.to_datetime(frame["ts"])))) == wanted


def test_a_frame_of_spark_is_checked_on_its_own_session(spark: SparkSession, path: Path) -> None:
    schema = "ts string, service string, event string, id string, `to` array<string>"
    frame = spark.createDataFrame([tuple(row.values()) for row in LOG], schema).repartition(3)
    result = antecede.check(frame, mapping=MAPPING)
    assert found(result) == found(check(path))
    assert BY_TIME in result.notes
    assert result.spark("deliveries").count() == 3
    with pytest.raises(antecede.Misuse, match=r"leave master= out"):
        antecede.check(frame, master="in-process", mapping=MAPPING)
    stamped = frame.selectExpr("to_timestamp(ts) AS ts", "service", "event", "id", "`to`")
    assert found(antecede.check(stamped, mapping=MAPPING)) == found(check(path))
    assert found(antecede.check(pa.Table.from_pylist(LOG), spark=spark, mapping=MAPPING)) == found(check(path))


def test_columns_of_a_trace_need_no_mapping() -> None:
    table = pa.table({"process": ["a", "b"], "index": [1, 1], "kind": ["send", "deliver"], "message": ["m", "m"]})
    result = check(table, mapping=None)
    assert (result.verdict, result.counts["deliveries"], result.counts["lost"]) == ("holds", 1, 0)
    assert any("destinations" in note for note in result.notes)


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(UnreadableInput, match="the table is not a trace: no column process, kind among a"):
        check(pa.table({"a": [1]}), mapping=None)
    with pytest.raises(BadPattern, match=r"'service', which the table does not have; there are kind$"):
        check(pa.table({"kind": ["send"]}), mapping={"process": "service"})
    rows = [{"who": {"id": "p"}, "kind": "s"}]
    with pytest.raises(BadPattern, match=r"the mapping names 'who.name', but 'who' has no such field"):
        check(pa.Table.from_pylist(rows), mapping={"process": "who.name"})


def test_a_misspelt_column_is_refused_with_all_that_there_are(spark: SparkSession) -> None:
    words = r"'iid', which {} does not have \(did you mean 'id'\?\); there are ts, service, event, id, to$"
    mapping = {**MAPPING, "message": "iid"}
    with pytest.raises(BadPattern, match=words.format("the table")):
        check(pa.Table.from_pylist(LOG), mapping=mapping)
    with pytest.raises(BadPattern, match=words.format("the DataFrame")):
        antecede.check(spark.createDataFrame(pa.Table.from_pylist(LOG)), mapping=mapping)


def test_fields_of_structs_numbers_and_attributes_are_mapped() -> None:
    rows = [{"who": {"id": 7}, "kind": "internal", "at": 1.5, "more": 3}, {"who": {"id": 8}, "kind": "x", "at": None}]
    mapping = {"process": "who.id", "time": "at", "kind": {"field": "kind", "send": ["s"]}, "attributes": ["more"]}
    events = check(pa.Table.from_pylist(rows), mapping=mapping).table("events").to_pylist()
    told = [(row["process"], row["kind"], row["time"], dict(row["attributes"])) for row in events]
    assert told == [("7", "internal", 1.5, {"more": "3"}), ("8", "internal", None, {})]


def test_a_result_serves_tests_and_notebooks(path: Path, tmp_path: Path) -> None:
    result = check(path)
    with pytest.raises(AssertionError, match="causal order: violated. 1 of 3 deliveries.*\n" + WORDS):
        result.assert_holds()
    assert repr(result) == "<CheckResult violated: 1 of 3 deliveries came before one of its causes, in 1 of 1 run.>"
    shown = result._repr_html_()
    assert "<b>VIOLATED</b>" in shown
    assert WORDS in shown
    assert result.report(tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert (result.complete, result.quarantine.num_rows, result.deliveries.num_rows) == (True, 0, 3)
    with pytest.raises(antecede.Misuse, match="there is no table 'x'; there are events"):
        result.table("x")
    with pytest.raises(antecede.Misuse, match="ran without Spark"):
        result.spark("events")


@pytest.mark.parametrize("windows", [None, 2])
def test_every_order_that_fails_has_a_witness_whichever_is_required(path: Path, windows: int | None) -> None:
    result = check(path, require="agreed", windows=windows)
    assert result.verdict == "holds"
    assert list(result.witnesses) == ["causal", "synchronous"]
    assert [result.witnesses["causal"], *result.explain()] == [WORDS, WORDS]
    assert result.violations["words"].to_pylist() == [WORDS]
    assert WORDS not in result._repr_html_()
    result.assert_holds()
    with pytest.raises(AssertionError) as failed:
        check(path, require="synchronous").assert_holds()
    assert result.witnesses["synchronous"] in str(failed.value)
    assert WORDS not in str(failed.value)


@pytest.mark.parametrize("windows", [None, 2])
def test_a_check_that_explains_nothing_has_a_witness_of_causal_order_too(path: Path, windows: int | None) -> None:
    result = check(path, worst=0, windows=windows)
    words = "mail delivered m2 before m1, which may have caused it"
    assert (result.explain(), result.witnesses["causal"]) == ([], words)
    assert result.table("summary")["causal_witness"].to_pylist() == [words]
    assert words in result._repr_html_()
    with pytest.raises(AssertionError, match=words):
        result.assert_holds()


def test_hostile_names_are_escaped_in_a_notebook() -> None:
    rows = [{**row, "id": row["id"].replace("m", "<script>")} for row in LOG]
    assert "<script>" not in check(pa.Table.from_pylist(rows))._repr_html_()


def test_a_result_that_holds_says_nothing(path: Path) -> None:
    in_order = pa.Table.from_pylist([*LOG[:3], LOG[4], LOG[3]])
    check(in_order).assert_holds()


def test_tables_go_to_the_folder_that_is_given_or_away_with_the_result(path: Path, tmp_path: Path) -> None:
    check(path, out=tmp_path / "kept")
    assert (tmp_path / "kept" / "violations" / "_SUCCESS").exists()
    result = check(path)
    folder = Path(str(result._checked.out))
    assert folder.exists()
    del result
    assert not folder.exists()


@pytest.mark.parametrize("source", [7, [], [1, 2], None])
def test_what_cannot_be_checked_is_refused(source: Any) -> None:
    with pytest.raises(antecede.Misuse, match="cannot check a value of type"):
        check(source)


NOWHERE = "sc://127.0.0.1:1"
"""A master where nothing answers, so that a check fails in other words as soon as it starts a runner."""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"worst": -1}, "worst=-1: give 0 or more"),
        ({"worst": "x"}, "worst='x': give 0 or more"),
        ({"windows": "x"}, "windows='x': give 1 or more"),
        ({"windows": 0}, "windows=0: give 1 or more"),
        ({"quarantine_max": "5%"}, "quarantine_max='5%': give a share between 0 and 1"),
        ({"quarantine_max": 2}, "quarantine_max is 2.0: give a share between 0 and 1"),
        ({"require": "total"}, "require='total': there is no such order; there are fifo, causal"),
        ({"format": "xml"}, "format='xml': there is no such format; there are auto"),
        ({"regex": 5}, "regex=5: give a regular expression as text"),
        ({"regex": "("}, "in regex=, the regular expression '(' is wrong"),
        ({"delimiter": 5}, "delimiter=5: give a regular expression as text"),
        ({"receives": 5}, "receives=5: give a regular expression as text"),
        ({"mapping": 5}, "mapping=5: give the meaning of each field"),
        ({"mapping": Path("m.json")}, "mapping=PosixPath('m.json'): give the meaning of each field"),
        ({"out": 5}, "out=5: give the path of a folder"),
        ({"out": ""}, "out='': that is not the name of a folder"),
        ({"out": "app.log"}, "out=app.log: that is a file; name a folder"),
        ({"out": Path("app.log/x")}, "app.log is a file; name a folder"),
        ({"master": 5}, "master=5: give the address of a Spark master, or in-process"),
        ({"spark": 5}, "spark=5: give a session of Spark, or leave spark= out"),
        ({"progress": 5}, "progress=5: give a function that takes the name of a stage"),
        ({"out": None}, "the tasks of this session run on other machines; give out=, a folder"),
    ],
)
def test_a_wrong_argument_is_named_before_a_runner_starts(
    path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], words: str
) -> None:
    monkeypatch.chdir(path.parent)
    with pytest.raises(antecede.Misuse) as refusal:
        antecede.check("app.log", **{"master": NOWHERE, "out": "new", **options})
    assert words in str(refusal.value)
    assert "--" not in str(refusal.value)
    assert [one.name for one in path.parent.iterdir()] == ["app.log"]


def test_a_source_that_is_wrong_is_named_before_a_runner_starts(path: Path) -> None:
    with pytest.raises(antecede.Misuse, match="the mapping names the column 'service', which the table does not have"):
        antecede.check(pa.table({"ts": [1]}), master=NOWHERE, mapping=MAPPING, out=path.parent / "new")
    with pytest.raises(antecede.Misuse, match="a path is empty"):
        antecede.check("", master=NOWHERE, out=path.parent / "new")


def test_a_mapping_is_suggested_for_every_kind_of_source(path: Path) -> None:
    for source in (path, str(path), pa.Table.from_pylist(LOG), pd.DataFrame(LOG)):
        assert antecede.suggest_mapping(source) == MAPPING
    frame = pd.DataFrame(LOG)
    assert antecede.suggest_mapping(frame.assign(ts=pd.to_datetime(frame["ts"]))) == MAPPING
    with pytest.raises(antecede.Misuse, match="give one path"):
        antecede.suggest_mapping([str(path)])


def test_errors_speak_of_arguments_and_not_of_options(path: Path, tmp_path: Path) -> None:
    (tmp_path / "clocks.log").write_text('a {"a":1}\nsend\n')
    said = []
    for source, options in (
        (path, {"mapping": None}),
        (path, {"receives": "x"}),
        (path, {"format": "csv", "mapping": None}),
        (path, {"out": path}),
    ):
        with pytest.raises(antecede.Misuse) as refusal:
            check(source, **options)
        said.append(str(refusal.value))
    assert "say which field is what with mapping=; antecede.suggest_mapping(source) returns one" in said[0]
    assert said[1].startswith("receives= is for logs with vector clocks")
    assert "give mapping= with a name" in said[2]
    assert said[3].startswith(f"out={path}")
    said.append(check(tmp_path / "clocks.log", mapping=None).reason)
    with pytest.raises(antecede.Misuse, match="leave master= out") as refusal:
        antecede.check(path, mapping=MAPPING, master="in-proces")
    assert "--" not in "".join([*said, str(refusal.value)])
