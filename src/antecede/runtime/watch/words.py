"""Words that problems are told in: counts, lists of names, questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from antecede.core.types import ProcessId

NAMES_SHOWN_MAX = 10


def did_you_mean(similar: Sequence[ProcessId]) -> str:
    """Return a question with the names that are similar to an unknown name, or an empty string if there are none."""
    return f" Did you mean {' or '.join(map(repr, similar))}?" if similar else ""


def plural(count: int, noun: str) -> str:
    """Return the count, the noun and the verb, such as "1 message is" or "3 messages are"."""
    return f"1 {noun} is" if count == 1 else f"{count:,} {noun}s are"


def list_names(names: Iterable[ProcessId]) -> str:
    """Return a text with the first `NAMES_SHOWN_MAX` names, and how many more there are."""
    shown = sorted(names)
    more = f" and {len(shown) - NAMES_SHOWN_MAX} more" if len(shown) > NAMES_SHOWN_MAX else ""
    return ", ".join(shown[:NAMES_SHOWN_MAX]) + more
