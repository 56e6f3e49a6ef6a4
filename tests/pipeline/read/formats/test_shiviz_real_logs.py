"""The real ShiViz and tracechecker logs of other people's systems, with the counts that their description states."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from antecede.judge.events import Event
from antecede.judge.judge import judge
from antecede.pipeline import schema
from antecede.pipeline.kernel.clock_receives import judge_receives
from antecede.pipeline.read.blocks import whole_file
from antecede.pipeline.read.detection.detect_format import detect_format, read_heads
from antecede.pipeline.read.files import list_files
from antecede.pipeline.read.formats import mapped, shiviz
from antecede.pipeline.read.formats.shiviz_runs import (
    clock_events,
    find_clock_gaps,
    name_runs_after_files,
    shares_events,
)
from antecede.pipeline.read.rows import ReadRows, Wanted

pytestmark = pytest.mark.logs
WANTED = Wanted(all_columns=True)

# run -> (events, hosts); the file name is part of the run because the two akka logs share events
SHIVIZ = {
    "simple-reliable-broadcast.log": (39, 3),
    "reliable-broadcast.log": (116, 4),
    "chord.log": (1235, 8),
    "simpledb.log": (509, 5),
    "voldemort.log": (864, 20),
    "facebook-multiple.log Execution #1": (47, 4),
    "facebook-multiple.log Execution #2": (41, 4),
    "tsviz_shared_var_4_threads.log": (5000, 4),
}
EXPRESSIONS = {
    "simple-reliable-broadcast.log": "akka",
    "reliable-broadcast.log": "akka",
    "chord.log": "GoVector",
    "simpledb.log": "default",
    "voldemort.log": "voldemort",
    "facebook-multiple.log": "facebook",
    "tsviz_shared_var_4_threads.log": "TSViz",
}


def join(parts: list[ReadRows]) -> ReadRows:
    events, refused = (pa.concat_tables([getattr(part, name) for part in parts]) for name in ("events", "refused"))
    return ReadRows(events, refused, tuple(note for part in parts for note in part.notes))


def read_shiviz(folder: Path) -> ReadRows:
    files = list_files([str(folder)])
    assert detect_format(files, read_heads(files)).reader == "shiviz"
    found = join([part for file in files for part in shiviz.read(whole_file(file), WANTED)])
    assert shares_events(found.events)
    return ReadRows(name_runs_after_files(found.events, [file.name for file in files]), found.refused, found.notes)


def counts(events: pa.Table) -> dict[str, tuple[int, int]]:
    rows = [(row["run"], row["process"]) for row in events.select(["run", "process"]).to_pylist()]
    hosts = Counter(run for run, _ in set(rows))
    return {run: (number, hosts[run]) for run, number in Counter(run for run, _ in rows).items()}


def test_shiviz_logs(logs: Path) -> None:
    found = read_shiviz(logs / "shiviz")
    assert counts(found.events) == SHIVIZ
    assert found.refused.num_rows == 0
    assert find_clock_gaps(found.events)[1].num_rows == 0
    assert set(found.events["kind"].to_pylist()) == {"internal"}
    said = {Path(note.split(":")[0]).name: note for note in found.notes}
    assert {name: f"by the {kind} expression" in said[name] for name, kind in EXPRESSIONS.items()} == dict.fromkeys(
        EXPRESSIONS, True
    )
    assert said["reliable-broadcast.log"].endswith("lines skipped because the expression does not match them: 1")
    assert all("clock" in dict(pairs) for pairs in found.events["attributes"].to_pylist())


def test_the_clocks_of_the_broadcasts_show_that_they_hold(logs: Path) -> None:
    found = read_shiviz(logs / "shiviz")
    judged = judge_receives(clock_events(found.events, "(?i)^(received|receiving)"))
    verdicts = {one.run: (one.verdict, one.receives) for one in judged.runs}
    assert verdicts["simple-reliable-broadcast.log"] == ("holds", 16)
    assert verdicts["reliable-broadcast.log"] == ("holds", 48)
    reasons = {one.run: str(one.reason) for one in judged.runs}
    assert "has no entry of another host" in reasons["chord.log"]  # a host that sends to itself
    assert reasons["voldemort.log"] == "no event is marked as a receive"
    assert judged.late.num_rows == 0


@pytest.mark.parametrize(
    ("name", "count", "hosts", "messages"), [("example1.log", 809, 11, 179), ("trace_log.txt", 169, 3, 40)]
)
def test_tracechecker_logs_by_the_built_in_mapping(
    logs: Path, name: str, count: int, hosts: int, messages: int
) -> None:
    files = list_files([str(logs / "tracechecker" / name)])
    found = detect_format(files, read_heads(files))
    assert found.mapping is not None
    (rows,) = mapped.read(whole_file(files[0]), WANTED, found.mapping)
    assert counts(rows.events) == {"": (count, hosts)}
    assert rows.refused.num_rows == 0
    kinds = Counter(rows.events["kind"].to_pylist())
    assert kinds == {"send": messages, "deliver": messages, "internal": count - 2 * messages}
    check_clocks(rows.events, messages)


def check_clocks(events: pa.Table, messages: int) -> None:
    """The logs have message ids too, so the clocks and the judge must say the same."""
    rows = events.to_pylist()
    arrived = {row["message"]: (row["process"],) for row in rows if row["kind"] == "deliver"}
    trace = [
        Event("", row["process"], row["index"], row["kind"], message=row["message"], dests=arrived.get(row["message"]))
        for row in rows
    ]
    kinds = ["receive" if row["kind"] == "deliver" else row["kind"] for row in rows]
    clocks = [list(json.loads(dict(row["attributes"])["VectorClock"]).items()) for row in rows]
    names = events.select(["run", "process", "index"]).to_pydict()
    judged = judge_receives(pa.table({**names, "kind": kinds, "clock": clocks}, schema=schema.CLOCK_EVENTS))
    assert [(one.verdict, one.receives, one.late) for one in judged.runs] == [("holds", messages, 0)]
    assert judge(trace).verdict == "holds"
