"""What can be wrong with the input as a whole. A wrong row is no error: it is quarantined."""

from __future__ import annotations

from antecede.core.errors import Misuse


class UnreadableInput(Misuse):
    """The input cannot be read as a trace; the message names it and says what to do."""


class UnknownFormat(UnreadableInput):
    """No adapter of that name, or nothing by which to recognise one."""


class BadPattern(UnreadableInput):
    """A regular expression, or a mapping, that cannot serve."""
