"""`docs/reference/tables.md`: every table that `antecede check --out` writes, from the schemas of the pipeline."""

from __future__ import annotations

from antecede.pipeline.schema import TABLES, comment

INTRO = """\
# The tables of a check

`antecede check TRACE --out DIR` writes these as Parquet, each in the folder of its name under `DIR`. Seconds are by the
source's own clocks. Null means that the source does not say.
"""

ABOUT = {
    "events": "The trace as it was read: one row per valid event.",
    "quarantine": "The rows of the input that are no valid events. Nothing is dropped in silence.",
    "messages": "One row per send.",
    "deliveries": "One row per deliver; in a run that has no deliver, per receive.",
    "violations": "The deliveries that came before one of their causes. The worst are explained.",
    "links": "The communication graph: one row per run and pair of processes.",
    "processes": "One row per run and process.",
    "summary": "One row per run: its verdict, its counts and its measures.",
}


def page() -> str:
    parts = [INTRO]
    for name, schema in TABLES.items():
        rows = [f"| `{field.name}` | {field.type} | {comment(field)} |" for field in schema]
        parts.append(
            "\n".join([f"## {name}\n", f"{ABOUT[name]}\n", "| column | type | meaning |", "|---|---|---|", *rows, ""])
        )
    return "\n".join(parts)
