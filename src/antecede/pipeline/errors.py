"""Errors for an input that is wrong as a whole. A wrong row is not an error: it is quarantined."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from antecede.core.errors import Misuse


class UnreadableInput(Misuse):
    """The input cannot be read as a trace. The message names the input and says what to do."""


class UnknownFormat(UnreadableInput):
    """There is no format of the given name, or the format of the input was not recognised."""


class BadPattern(UnreadableInput):
    """A regular expression or a mapping cannot be used."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question in brackets with the known name that is most like `name`. It is empty if none is like it."""
    near = get_close_matches(name, list(known), n=1, cutoff=0.7)
    return f" (did you mean {near[0]!r}?)" if near else ""
