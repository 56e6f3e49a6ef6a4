"""The words for data that a later release of antecede wrote.

Each format has a version of its own. A reader that finds a later version than it knows refuses the data: it neither
guesses what the data means nor changes it. The data is whole, so the words say what to do.
"""

from __future__ import annotations


def too_new(what: str, found: int, newest: int, *, where: str = "here") -> str:
    """Return the text of the error for `what`, which has version `found` where versions up to `newest` are read."""
    return f"{what} has version {found}, and this release reads versions up to {newest}: upgrade antecede {where}"


def unknown(what: str) -> str:
    """Return the text of the error for `what`, which no release up to this one writes."""
    return f"{what}, which this release does not know: if a later release wrote it, upgrade antecede here"
