"""The judge on other people's logs that carry message identities. The figures are those of the data's README."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from antecede.judge.events import Event
from antecede.judge.judge import judge

KINDS = {"GenerateTokenTrace": "send", "ReceiveTokenTrace": "deliver"}

pytestmark = pytest.mark.logs


def read_events(path: Path) -> list[Event]:
    """A token is a message: made at its sender, and read wherever it was sent to; the index is the own clock entry."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    readers: dict[str, list[str]] = {}
    for row in rows:
        if row["Tag"] == "ReceiveTokenTrace":
            readers.setdefault(row["Body"]["Token"], []).append(row["TracerIdentity"])
    return [
        Event(
            run=path.name,
            process=row["TracerIdentity"],
            index=row["VectorClock"][row["TracerIdentity"]],
            kind=KINDS.get(row["Tag"], "internal"),
            message=row["Body"].get("Token"),
            dests=tuple(readers.get(row["Body"].get("Token"), ())),
        )
        for row in rows
    ]


@pytest.mark.parametrize(
    ("name", "events_count", "hosts", "messages"), [("example1.log", 809, 11, 179), ("trace_log.txt", 169, 3, 40)]
)
def test_logs_of_tracechecker_hold(logs: Path, name: str, events_count: int, hosts: int, messages: int) -> None:
    found = judge(read_events(logs / "tracechecker" / name))
    assert (found.verdict, found.quarantined) == ("holds", 0)
    assert (found.events, found.processes, found.messages, found.deliveries) == (
        events_count,
        hosts,
        messages,
        messages,
    )


def test_the_same_log_with_two_delivers_exchanged_is_violated(logs: Path) -> None:
    """The judge does not say yes to everything: client1 reads these two, one caused by the other, at 17 and 19."""
    rows = read_events(logs / "tracechecker" / "example1.log")
    first, second = (row for row in rows if row.process == "client1" and row.index in (17, 19))
    changed = [row for row in rows if row not in (first, second)]
    changed += [replace(first, message=second.message), replace(second, message=first.message)]
    found = judge(changed)
    assert (found.verdict, found.overtaken, found.lost, found.spurious) == ("violated", 1, 0, 0)
    assert (found.found[0].process, found.found[0].index) == ("client1", 17)
