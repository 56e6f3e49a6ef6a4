"""A test for CI: the log that a system wrote during its tests must show causal order.

    pip install 'antecede[app]' pytest
    pytest examples/test_causal_order.py        or: python examples/test_causal_order.py

The log is written here so that the example is complete. In your project it is the log of your own system.
"""

import json
import tempfile
from pathlib import Path

import antecede

MAPPING = {
    "process": "service",
    "time": "ts",
    "kind": {"field": "event", "send": ["published"], "deliver": ["consumed"]},
    "message": "msg_id",
    "dests": "to",
}
EVENTS: list[dict[str, object]] = [
    {"ts": "2026-01-02T03:04:05.1Z", "service": "orders", "event": "published", "msg_id": "m1", "to": ["bill", "mail"]},
    {"ts": "2026-01-02T03:04:05.2Z", "service": "bill", "event": "consumed", "msg_id": "m1"},
    {"ts": "2026-01-02T03:04:05.3Z", "service": "bill", "event": "published", "msg_id": "m2", "to": ["mail"]},
    {"ts": "2026-01-02T03:04:05.4Z", "service": "mail", "event": "consumed", "msg_id": "m1"},
    {"ts": "2026-01-02T03:04:05.5Z", "service": "mail", "event": "consumed", "msg_id": "m2"},
]


def check(folder: Path, events: list[dict[str, object]]) -> antecede.CheckResult:
    """Write events as a log, check it, and leave the report beside it."""
    log = folder / "app.log"
    log.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    found = antecede.check(log, mapping=MAPPING, master="in-process")
    found.report(folder / "causal-order.html")  # keep it as an artifact of the CI run
    return found


def test_messages_arrive_in_causal_order(tmp_path: Path) -> None:
    check(tmp_path, EVENTS).assert_holds()


def test_this_test_can_fail(tmp_path: Path) -> None:
    swapped = check(tmp_path, [*EVENTS[:3], EVENTS[4], EVENTS[3]])
    assert swapped.verdict == "violated"
    assert swapped.explain() == ["mail delivered m2 before m1: m1 was sent by orders, bill delivered m1 and sent m2"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(check(Path(folder), EVENTS))
