"""Windows of a trace, as rows, for the exports."""

from __future__ import annotations

from typing import Any

from tests.web.samples import KNOWN_EVENTS

Row = dict[str, Any]
DESTS = {"m1": ["b"], "m2": ["c"], "m3": ["b"]}


def row(process: str, index: int, kind: str, message: str | None = None, **more: Any) -> Row:
    """Return one row of a window. What is not given is null."""
    return {"run": "r1", "process": process, "index": index, "kind": kind, "message": message, "time": None, **more}


def known_window() -> list[Row]:
    """Return the events of the known violation of `tests.web.samples`."""
    return [
        row(
            e.process,
            e.index,
            e.kind,
            e.message,
            time=e.time,
            dests=DESTS[str(e.message)] if e.kind == "send" else None,
        )
        for e in KNOWN_EVENTS
    ]
