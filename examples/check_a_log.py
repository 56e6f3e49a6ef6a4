"""Check a log: write the events of a small system, and ask whether its deliveries followed their causes.

Run: python examples/check_a_log.py

The log is JSON Lines, an event a line: which process, its own count of events, what it did, and with which message. In
this one b delivers m3 before m1, although m1 was sent first and m3 was sent because of it. `antecede check --json`
gives one object for a script, and its exit status says the same: 0 holds, 1 violated, 3 undecidable, 2 unreadable.
"""

import io
import json
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

from antecede.cli import main as antecede

EVENTS = [
    {"run": "r", "process": "a", "index": 0, "kind": "send", "message": "m1", "dests": ["b"]},
    {"run": "r", "process": "a", "index": 1, "kind": "send", "message": "m2", "dests": ["c"]},
    {"run": "r", "process": "c", "index": 0, "kind": "deliver", "message": "m2"},
    {"run": "r", "process": "c", "index": 1, "kind": "send", "message": "m3", "dests": ["b"]},
    {"run": "r", "process": "b", "index": 0, "kind": "deliver", "message": "m3"},
    {"run": "r", "process": "b", "index": 1, "kind": "deliver", "message": "m1"},
]


def main(folder: Path) -> None:
    log = folder / "events.jsonl"
    log.write_text("".join(json.dumps(event) + "\n" for event in EVENTS))
    with redirect_stdout(io.StringIO()) as printed:
        status = antecede(["check", str(log), "--json"])  # what the command `antecede` runs
    answer = json.loads(printed.getvalue())
    print(f"exit status {status}: {answer['verdict']}, {answer['violations']} violation")
    print(*answer["worst"], sep="\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary))
