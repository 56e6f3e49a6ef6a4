"""Numbers that a simulation can work with: beyond them sums lose their digits, or a run has no end in practice."""

from __future__ import annotations

from antecede.core.errors import Misuse

TIME_MIN_S, TIME_MAX_S = 1e-9, 1e9
"""A nanosecond, and thirty years."""


def checked_s(what: str, seconds: float, *, zero: bool = False) -> None:
    """`Misuse` unless it is a time within bounds, or 0 where that is allowed."""
    if not (TIME_MIN_S <= seconds <= TIME_MAX_S or (zero and seconds == 0)):
        least = f"0, or from {TIME_MIN_S:g}" if zero else f"from {TIME_MIN_S:g}"
        raise Misuse(f"{what} of {seconds} s: give {least} to {TIME_MAX_S:g} seconds")


def checked(what: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise Misuse(f"{what} of {value}: give from {least:g} to {most:g}")
