"""Format numbers for the summary."""

from __future__ import annotations


def amount(value: float | None) -> str:
    """Return a number in a short form."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return "-" if share is None else f"{100 * share:.1f} %"
