"""What `antecede status` prints, for answers that are given."""

import io
from typing import Any

from rich.console import Console

from antecede.cli.status import NOBODY, show

NODE: dict[str, Any] = {
    "space": "orders",
    "process": "billing",
    "kind": "node",
    "running": True,
    "queued": 0,
    "held_back": 12,
    "inbox": 3,
    "outbox": 1,
}
STATION: dict[str, Any] = {
    "space": "roam",
    "process": "s1",
    "kind": "station",
    "running": True,
    "queued": 0,
    "held_back": 0,
    "outbox": 4,
    "connections": 12,
    "hosts": 7,
    "stored": 1234,
    "awaited": 5,
}
TEXT = (
    "there is no process 's2' in space 'roam': it was never started there, or has left. 15 packets wait for it. "
    "Did you mean 's3'?"
)


def printed(found: list[dict[str, Any]]) -> list[str]:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(show(found))
    return [line.rstrip() for line in console.export_text().splitlines()]


def test_all_columns_and_what_waits_can_be_read_at_80_columns() -> None:
    lines = printed([NODE, {**STATION, "stalls": [{"text": TEXT}]}])
    assert lines[1].split() == [
        "space",
        "process",
        "kind",
        "queued",
        "back",
        "inbox",
        "outbox",
        "connected",
        "hosts",
        "stored",
        "moving",
    ]
    assert lines[2].split() == ["orders", "billing", "node", "0", "12", "3", "1"]
    assert lines[3].split() == ["roam", "s1", "station", "0", "0", "4", "12", "7", "1234", "5"]
    assert lines[4:] == [
        "",
        "s1 in roam:",
        "  there is no process 's2' in space 'roam': it was never started there, or has",
        "  left. 15 packets wait for it. Did you mean 's3'?",
    ]


def test_long_names_leave_the_counts_readable() -> None:
    lines = printed([{**STATION, "process": "a-station-with-a-very-long-name"}])
    assert any(line.split()[-8:] == ["station", "0", "0", "4", "12", "7", "1234", "5"] for line in lines)


def test_columns_of_stations_are_left_out_if_there_are_none() -> None:
    lines = printed([{**NODE, "running": False}])
    assert lines[1].split() == ["space", "process", "kind", "queued", "back", "inbox", "outbox"]
    assert lines[-2:] == ["billing in orders:", "  not running"]


def test_that_nobody_is_there_is_said() -> None:
    assert " ".join(printed([])) == NOBODY
