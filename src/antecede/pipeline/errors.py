"""What can be wrong with the input as a whole. A wrong row is no error: it is quarantined."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from antecede.core.errors import Misuse


class UnreadableInput(Misuse):
    """The input cannot be read as a trace; the message names it and says what to do."""


class UnknownFormat(UnreadableInput):
    """No adapter of that name, or nothing by which to recognise one."""


class BadPattern(UnreadableInput):
    """A regular expression, or a mapping, that cannot serve."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like this one as a question in brackets, or nothing if none is like it."""
    near = get_close_matches(name, list(known), n=1, cutoff=0.7)
    return f" (did you mean {near[0]!r}?)" if near else ""
