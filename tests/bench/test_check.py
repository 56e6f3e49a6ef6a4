"""The measurements of a check: what they are made on, what they count, and that the command works, without Spark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.check import process_tree
from bench.check.cases import COUNT, IN_PROCESS, OUT, SPARK_PEERS, VERDICT, choose_works, list_inputs
from bench.check.files import WRITERS, prepare_files
from bench.check.measure import main
from bench.check.peers import judge_files
from bench.check.process_tree import measure_command
from bench.check.statements import count_statements
from bench.check.targets import AS_EXPECTED, TARGETS, Summary, Target
from bench.check.workload import Workload, make_tables

from antecede import cli

EVENTS = 3_000
SHAPES = [Workload(EVENTS), Workload(EVENTS, runs=1), Workload(EVENTS, processes=500, runs=1)]


def check(capsys: pytest.CaptureFixture[str], folder: Path) -> dict[str, object]:
    cli.main(["check", str(folder), "--master", IN_PROCESS, "--json"])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_causal_order_holds_by_construction(tmp_path: Path, shape: Workload, form: str) -> None:
    assert judge_files(prepare_files(tmp_path, form, shape)) == "holds"


def test_it_holds_across_the_pieces_that_a_long_trace_is_made_in(tmp_path: Path) -> None:
    files = prepare_files(tmp_path, "jsonl", replace(SHAPES[1], chunk_messages=100))
    assert len(list(files.iterdir())) > 5
    assert judge_files(files) == "holds"


def test_it_is_violated_if_some_messages_are_not_waited_for(tmp_path: Path) -> None:
    assert judge_files(prepare_files(tmp_path, "jsonl", Workload(EVENTS, late_share=0.02))) == "violated"


def test_a_seed_gives_the_same_rows_each_time_and_another_seed_others() -> None:
    first, again, other = (next(make_tables(Workload(EVENTS, seed=seed))) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_the_number_of_runs_changes_nothing_but_their_names() -> None:
    one, twenty = (next(make_tables(Workload(EVENTS, runs=runs))) for runs in (1, 20))
    assert one.drop_columns("run").equals(twenty.drop_columns("run"))
    assert len(set(one["run"].to_pylist())) == 1
    assert len(set(twenty["run"].to_pylist())) == 20


def test_all_forms_have_the_same_events(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shape = Workload(EVENTS, runs=1)
    names = ("verdict", "processes", "events", "messages", "deliveries", "duplicates", "quarantined")
    found = {}
    for form in WRITERS:
        answer = check(capsys, prepare_files(tmp_path, form, shape))
        found[form] = {name: answer[name] for name in names}
    assert found["parquet"]["verdict"] == "holds"
    assert found["parquet"]["quarantined"] == 0
    assert found["parquet"] == found["jsonl"] == found["otlp"]


def test_files_are_made_once(tmp_path: Path) -> None:
    files = prepare_files(tmp_path, "jsonl", SHAPES[0])
    (files / "part-00000.jsonl").write_text("kept")
    assert prepare_files(tmp_path, "jsonl", SHAPES[0]) == files
    assert (files / "part-00000.jsonl").read_text() == "kept"


BURN = "import time; held = b'x' * (150 << 20)\nwhile time.process_time() < 3: pass"  # long enough to be looked at


def test_what_outlives_a_command_counts_too(tmp_path: Path) -> None:
    script = f'"$1" -c "{BURN}" & echo said; echo wrong >&2; exit 3'
    command = ["/bin/sh", "-c", script, "sh", sys.executable]
    usage, output, errors = measure_command(command, env=dict(os.environ), folder=tmp_path, seconds_max=600)
    assert (usage.status, output, errors) == (3, "said\n", "wrong\n")
    assert usage.cpu_s >= 3  # what the child itself says that it used
    assert usage.peak_bytes > 150 << 20


def test_a_command_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    usage, _, _ = measure_command(["sleep", "3600"], env=dict(os.environ), folder=tmp_path, seconds_max=0.2)
    assert usage.status is None


def test_a_command_ends_with_who_measures_it(tmp_path: Path) -> None:
    command = ["/bin/sh", "-c", "echo begun >&2; exec sleep 3600"]
    meter = [sys.executable, process_tree.__file__, "3600", str(tmp_path / "output"), *command]
    with subprocess.Popen(meter, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        assert running.stderr.readline() == b"begun\n"
        running.kill()
        running.communicate(timeout=60)  # returns when the command, too, has closed its standard error


FIGURES = {
    ("a", VERDICT): Summary(30.0, 50.0, 2.0, AS_EXPECTED),
    ("a", COUNT): Summary(20.0, 30.0, 1.0, AS_EXPECTED),
    ("a", OUT): Summary(1.0, 1.0, 1.0, "status 2: no such file"),
}


@pytest.mark.parametrize(
    ("target", "figure"),
    [
        (Target("ratio", 2, ("a", VERDICT), ("a", COUNT)), 1.5),
        (Target("difference", 5, ("a", VERDICT), ("a", COUNT), "s"), 10.0),
        (Target("memory", 6, ("a", VERDICT), unit="GB"), 2.0),
        (Target("failed", 6, ("a", OUT), ("a", COUNT)), None),
        (Target("peer failed", 6, ("a", VERDICT), ("a", OUT)), None),
        (Target("not measured", 6, ("b", VERDICT), ("a", COUNT)), None),
        (Target("peer not measured", 6, ("a", VERDICT), ("b", COUNT)), None),
    ],
    ids=lambda value: value.text if isinstance(value, Target) else "",
)
def test_a_target_is_a_ratio_of_what_was_measured(target: Target, figure: float | None) -> None:
    assert target.measure(FIGURES, FIGURES) == figure


def test_an_old_tree_is_held_to_the_peers_of_the_same_run() -> None:
    old = {("a", VERDICT): Summary(60.0, 50.0, 2.0, AS_EXPECTED)}
    assert Target("ratio", 2, ("a", VERDICT), ("a", COUNT)).measure(old, FIGURES) == 3.0


def test_every_target_is_measured_by_some_case() -> None:
    keys = {(one.name, work) for one in list_inputs() for work in one.works}
    assert {key for target in TARGETS for key in (target.own, target.peer) if key} <= keys


def test_a_check_is_held_to_a_peer_on_the_same_files() -> None:
    assert all(
        target.peer[0] == target.own[0] for target in TARGETS if target.peer and target.peer[1] not in (VERDICT, OUT)
    )


def test_without_spark_there_are_no_peers_on_spark() -> None:
    works = {work for one in list_inputs() for work in choose_works(one.works, IN_PROCESS)}
    assert works.isdisjoint(SPARK_PEERS)
    assert {VERDICT, OUT} <= works


def test_statements_are_counted_without_docstrings_and_formats(tmp_path: Path) -> None:
    pipeline = tmp_path / "src" / "antecede" / "pipeline"
    text = '"""Say something."""\n\n\ndef double(x):\n    """Return it twice."""\n    return 2 * x  # twice\n'
    for place in ("check.py", "read/files.py", "read/formats/csv.py", "kernel/walk.py"):
        (pipeline / place).parent.mkdir(parents=True, exist_ok=True)
        (pipeline / place).write_text(text)
    assert {name: count for name, count in count_statements(tmp_path).items() if count} == {"": 2, "read": 2}


def test_the_command_measures_and_keeps_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "results.jsonl"
    options = ["--scale", "0.001", "--master", IN_PROCESS, "--only", "log", "--repeat-small", "1"]
    assert main([*options, "--data", str(tmp_path / "data"), "--results", str(results)]) == 0
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    measured = [line for line in lines if line["what"] == "measured"]
    assert [(line["input"], line["work"]) for line in measured] == [("log", "judge"), ("log", VERDICT), ("log", OUT)]
    assert {line["ended"] for line in measured} == {AS_EXPECTED}
    assert np.all([line["wall_s"] > 0 for line in measured])
    assert [line["met"] for line in lines if line["what"] == "target"] == ["not measured"] * len(TARGETS)
    assert "log: verdict" in capsys.readouterr().out
