"""The real logs of other people's systems are checked, with the counts that their description states."""

from collections import Counter
from pathlib import Path

import pytest

from tests.pipeline.written_tables import CheckFiles, WrittenTables

pytestmark = pytest.mark.logs


def counts(found: WrittenTables) -> dict[str, tuple[int, int]]:
    """Return the number of events and of processes of each run."""
    rows = [(row["run"], row["process"]) for row in found.rows("events")]
    hosts = Counter(run for run, _ in set(rows))
    return {run: (number, hosts[run]) for run, number in Counter(run for run, _ in rows).items()}


def kinds(found: WrittenTables) -> dict[str, int]:
    return dict(Counter(row["kind"] for row in found.rows("events")))


def test_zipkin_spans(check_files: CheckFiles, logs: Path) -> None:
    found = check_files(logs / "zipkin" / "messaging-kafka.json")
    # 9 producers; of the 7 consumers one has no parent that sent
    assert kinds(found) == {"send": 9, "deliver": 6, "internal": 28 - 15}
    dests = {row["message"].split("/")[1]: row["dests"] for row in found.rows("events") if row["kind"] == "send"}
    assert dests["2e22a0564764943a"] == ["servicea", "serviceb"]
    assert dests["26bd982d53f50d1f"] == []
    every = check_files(logs / "zipkin")
    assert counts(every) == {"": (28 + 4 + 4, 4)}
    assert every.rows("quarantine") == []
    skewed = [row for row in every.rows("events") if (row["message"] or "").endswith("74280ae0c10d8062")]
    by_time = sorted(skewed, key=lambda row: row["time"])
    assert [(row["kind"], row["process"]) for row in by_time] == [("deliver", "serviceb"), ("send", "servicea")]


def test_otlp_spans(check_files: CheckFiles, logs: Path) -> None:
    found = check_files(logs / "otlp")
    assert counts(found) == {"": (3, 3)}
    assert found.rows("quarantine") == []
    by_process = {row["process"]: row for row in found.rows("events")}
    assert set(by_process) == {"query25-service", "otlp-link-test-service", "my.service"}
    server = by_process["my.service"]
    assert dict(server["attributes"])["my.span.attr"] == "some value"
    assert server["time"] == 1544712660.0


def test_shiviz_logs(check_files: CheckFiles, logs: Path) -> None:
    found = check_files(logs / "shiviz")
    assert sum(events for events, _ in counts(found).values()) == 39 + 116 + 1235 + 509 + 864 + 47 + 41 + 5000
    assert found.checked.answer.verdict == "undecidable"
    assert found.rows("quarantine") == []
