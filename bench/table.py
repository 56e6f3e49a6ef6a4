"""Tables and JSON: how every measurement shows itself and is kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

RESULTS = Path(__file__).parent.parent / "out" / "bench"


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a plain table, numbers to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(text) for text in column) for column in zip(columns, *cells, strict=True)]
    print(f"\n{title}")
    print(
        "  ".join(
            name.ljust(width) if at == 0 else name.rjust(width)
            for at, (name, width) in enumerate(zip(columns, widths, strict=True))
        )
    )
    for row in cells:
        print(
            "  ".join(
                text.ljust(width) if at == 0 else text.rjust(width)
                for at, (text, width) in enumerate(zip(row, widths, strict=True))
            )
        )


def keep(name: str, results: Mapping[str, object]) -> Path:
    """Write `results` as JSON and return where."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    return path


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
