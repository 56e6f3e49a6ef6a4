"""Check the numbers that a simulation can work with.

Beyond these bounds sums lose their last digits, or a run does not end in practice.
"""

from __future__ import annotations

from antecede.core.errors import Misuse

TIME_MIN_S, TIME_MAX_S = 1e-9, 1e9
"""A nanosecond, and thirty years."""


def check_time(what: str, seconds: float, *, zero: bool = False) -> None:
    """Raise `Misuse` if `seconds` is not a time within the bounds. With `zero`, 0 is allowed too."""
    if not (TIME_MIN_S <= seconds <= TIME_MAX_S or (zero and seconds == 0)):
        least = f"0, or from {TIME_MIN_S:g}" if zero else f"from {TIME_MIN_S:g}"
        raise Misuse(f"{what} of {seconds} s: give {least} to {TIME_MAX_S:g} seconds")


def check_range(what: str, value: float, least: float, most: float) -> None:
    """Raise `Misuse` if `value` is not between `least` and `most`."""
    if not least <= value <= most:
        raise Misuse(f"{what} of {value}: give from {least:g} to {most:g}")
