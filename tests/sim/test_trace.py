"""The trace as files: what the judge reads is what happened, in each format."""

import gzip
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from antecede.core.errors import Misuse
from antecede.judge.events import Event, parse, read_jsonl, to_json
from antecede.judge.orders import judge_orders
from antecede.judge.trace import arrange
from antecede.sim import Groups, Parameters, ProcessingCost, RunRecorder, Workload, simulate
from antecede.sim.trace import BATCH_ROWS, COLUMNS, TraceRow, open_trace
from tests.sim.runs import recorded

PARAMETERS = Parameters(algorithm="isis", processes=6, messages=100, workload=Workload(groups=Groups(3, 1)))


def write(path: Path, parameters: Parameters = PARAMETERS) -> list[Event]:
    with open_trace(path, 'a "run"') as sink:
        simulate(parameters, RunRecorder(sink))
    return [replace(event, run='a "run"') for event in recorded(parameters)[1]]


@pytest.mark.parametrize("algorithm", ["isis", "mf", "serial-multicast", "none"])
def test_json_lines_are_those_of_the_trace_and_read_back_as_the_events(algorithm: str, tmp_path: Path) -> None:
    parameters = PARAMETERS if algorithm == "isis" else Parameters(algorithm=algorithm, processes=6, messages=100)
    path = tmp_path / "t.jsonl"
    events = write(path, parameters)
    lines = path.read_text().splitlines()
    assert lines == [to_json(event) for event in events]
    assert read_jsonl(lines) == (events, [])


def test_compressed_lines_are_the_same_and_so_are_the_compressed_bytes(tmp_path: Path) -> None:
    plain, one, two = tmp_path / "t.jsonl", tmp_path / "one.jsonl.gz", tmp_path / "two.jsonl.gz"
    write(plain)
    write(one)
    write(two)
    assert gzip.decompress(one.read_bytes()) == plain.read_bytes()
    assert one.read_bytes() == two.read_bytes()


def test_parquet_has_the_columns_of_the_trace_and_the_same_events(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    events = write(path)
    table = pq.read_table(path)
    assert table.column_names == ["run", *COLUMNS, "attributes"]
    assert [str(table.schema.field(name).type) for name in ("index", "time", "control_bytes")] == [
        "int64",
        "double",
        "int64",
    ]
    assert [parse(row) for row in table.to_pylist()] == events
    again = tmp_path / "u.parquet"
    write(again)
    assert path.read_bytes() == again.read_bytes()


def test_every_send_has_its_stamp_even_where_packets_leave_later() -> None:
    for algorithm in ("mf", "serial-broadcast", "serial-multicast"):
        _, events = recorded(Parameters(algorithm=algorithm, processes=6, messages=100))
        stamps = [(event.control_bytes, event.control_entries) for event in events if event.kind == "send"]
        assert all(size is not None and entries is not None for size, entries in stamps)


def judge_synchronous(parameters: Parameters) -> str:
    _, events = recorded(parameters)
    (run,) = arrange(events)
    return judge_orders(run)["synchronous"].verdict


@pytest.mark.parametrize("cost", [ProcessingCost(), ProcessingCost(packet_s=0.1)])
def test_with_rendezvous_a_message_is_sent_when_it_leaves_so_that_the_trace_has_no_crown(cost: ProcessingCost) -> None:
    parameters = Parameters(
        algorithm="rendezvous", processes=6, messages=200, workload=Workload(dests=(1, 1)), cost=cost
    )
    assert judge_synchronous(parameters) == "holds"
    assert judge_synchronous(replace(parameters, algorithm="mf")) == "violated"


def test_a_trace_of_rendezvous_has_every_message_once_and_a_message_to_oneself_at_its_send() -> None:
    workload = Workload(dests=(1, 1), own=True)
    result, events = recorded(Parameters(algorithm="rendezvous", processes=3, messages=60, workload=workload))
    sent = [event for event in events if event.kind == "send"]
    assert (len(sent), len({event.message for event in sent}), result.messages) == (60, 60, 60)
    assert all(event.control_entries == 0 for event in sent)
    assert any(event.dests == (event.process,) for event in sent)


def test_rows_wait_for_a_stamp_and_no_longer() -> None:
    batches: list[list[TraceRow]] = []
    recorder = RunRecorder(lambda rows: batches.append(list(rows)))
    recorder.record_event(0.0, "p1", "receive", "m0")
    unstamped = recorder.record_send(0.5, "p1", "m1", dests=["p2"])
    for number in range(BATCH_ROWS):
        recorder.record_event(1.0, "p2", "receive", f"n{number}")
    assert [len(batch) for batch in batches] == [1]
    recorder.stamp(unstamped, 7, 3)
    recorder.close()
    assert [len(batch) for batch in batches] == [1, BATCH_ROWS + 1]
    assert batches[1][0] == ["p1", 1, "send", 0.5, "m1", ["p2"], None, 0, 7, 3, None]
    assert recorder.events == BATCH_ROWS + 2


def test_a_message_that_never_left_has_no_stamp() -> None:
    rows: list[TraceRow] = []
    recorder = RunRecorder(rows.extend)
    recorder.record_send(0.5, "p1", "m1", dests=["p2"])
    recorder.close()
    assert rows[0][-3:] == [None, None, None]


def test_a_trace_that_was_not_finished_has_no_name(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("what was there before")
    refused = replace(PARAMETERS, workload=Workload(dests=(1, 9)))
    with pytest.raises(Misuse), open_trace(path, "r") as sink:
        simulate(refused, RunRecorder(sink))
    assert path.read_text() == "what was there before"
    assert list(tmp_path.iterdir()) == [path]


def test_names_and_places_that_can_not_be_written_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=r"\.jsonl, \.jsonl\.gz or \.parquet"), open_trace(tmp_path / "t.csv", "r"):
        pass
    with pytest.raises(Misuse, match="cannot be written"), open_trace(tmp_path / "nowhere" / "t.jsonl", "r"):
        pass
