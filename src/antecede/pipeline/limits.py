"""The limits of a check: how much one task takes, and how much the driver fetches."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The sizes that decide how runs are judged and how much the driver holds. A test can set every field."""

    block_bytes: int = 16 << 20
    """Bytes of one block of a file of lines."""
    in_place_bytes: int = 8 << 20
    """Bytes of text that one task reads and judges without dealing rows out."""
    row_bytes: int = 150
    """About how many bytes one event takes in a file of lines."""
    span_bytes: int = 500
    """About how many bytes one span takes in a file."""
    gathered_spans: int = 1 << 18
    """About how many spans one task takes. If there are more, they meet in several parts."""
    dealt_rows: int = 1 << 18
    """About how many rows are dealt to one task."""
    run_events_max: int = 1 << 20
    """Events of one run that one task takes. A run of more is cut into windows."""
    order_events_max: int = 1 << 22
    """Events of one run that one task takes to judge other orders than causal order. An event is a few numbers."""
    window_events: int = 250_000
    """About how many events one window has."""
    task_rows_min: int = 1 << 17
    """Rows below which a task that reads whole runs is not worth starting."""
    task_rows_max: int = 1 << 20
    """Rows of whole runs that one task reads."""
    window_processes_max: int = 8_192
    """Processes of a run that is cut into windows. One task judges a run of more, because windows hand on vectors."""
    vector_entries_max: int = 2**26
    """Entries of all vectors in one walk, a quarter of a gigabyte. Bit masks take no more memory than that."""
    explained_events_max: int = 200_000
    """Events that are fetched to explain violations, once for small runs and once for parts of larger ones."""


LIMITS = Limits()
"""The limits of a check whose caller does not set any."""
