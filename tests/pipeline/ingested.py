"""What became of the lines of an input: events, or refusals."""

from __future__ import annotations

from antecede.pipeline.read.ingest import Ingested


def event_lines(found: Ingested) -> list[int]:
    """Return the numbers of the lines that became events."""
    return sorted(row.line for row in found.events.select("line").collect())


def refusal_reasons(found: Ingested) -> dict[int, str]:
    """Return why each line that became no event was refused."""
    return {row.line: row.reason for row in found.quarantine.collect()}
