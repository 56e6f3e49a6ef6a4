"""Search for regular expressions that somebody else wrote, in a bounded time.

A log may bring its own expression, and a caller may give one. With Python's engine, an expression of 28 characters can
run for days. RE2 needs time in proportion to the text, but has no lookaheads, no lookbehinds and no references to
groups: expressions with these are refused. Three more limits make the bound hold for a whole file:

* A match has at most `MATCH_BYTES_MAX` bytes, so each search looks at no more than twice as many.
* An expression has at most `PROGRAM_SIZE_MAX` instructions, because each may cost time at every byte.
* The searches in one file have a `SearchBudget`, because each of many matches may look far ahead.

Expressions are written as in JavaScript, `(?<name>...)`, and have the flag m. They are searched in UTF-8.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

import re2

from antecede.pipeline.errors import BadPattern

EXPRESSION_CHARS_MAX = 10_000
PROGRAM_SIZE_MAX = 2_000
MATCH_BYTES_MAX = 1 << 20
SEARCH_SECONDS_MAX = 10.0
SEARCH_SECONDS_PER_BYTE = 0.5e-6
"""The additional time for each byte of the text. An ordinary search takes less than a fifth of this."""
PATTERN_CHARS_SHOWN_MAX = 200
MULTILINE = "(?m)"
UNICODE_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u([0-9a-fA-F]{4})")
LOOKAROUND = re.compile(r"\(\?<?[=!]")
REFERENCE = re.compile(r"\\[1-9k]|\(\?P")
UNBOUNDED = "{} are not supported, because a search for them can take for ever"


class SearchStopped(Exception):
    """The searches in a file have used all the time that they may take."""


class SearchBudget:
    """The processor time that the searches in one file may take."""

    __slots__ = ("_left_s",)

    def __init__(self, seconds_max: float = SEARCH_SECONDS_MAX) -> None:
        self._left_s = seconds_max

    @classmethod
    def for_text(cls, size: int) -> SearchBudget:
        """Return the budget for a text of `size` bytes."""
        return cls(SEARCH_SECONDS_MAX + size * SEARCH_SECONDS_PER_BYTE)

    def search(self, pattern: Any, data: bytes, start: int, end: int) -> Any:
        """Return the first match between `start` and `end`, or None. Raise `SearchStopped` if no time is left."""
        if self._left_s <= 0:
            raise SearchStopped
        begin = time.thread_time()
        match = pattern.search(data, start, end)
        self._left_s -= time.thread_time() - begin
        return match


def compile_expression(expression: str, required_groups: Sequence[str] = ()) -> Any:
    """Return a compiled expression, which has the required groups.

    Raise `BadPattern`, which says what is wrong, if the expression cannot be used.
    """
    if len(expression) > EXPRESSION_CHARS_MAX:
        raise _wrong(expression, f": it has {len(expression):,} characters, and the limit is {EXPRESSION_CHARS_MAX:,}")
    options = re2.Options()
    options.log_errors = False
    try:
        pattern = re2.compile(MULTILINE + UNICODE_ESCAPE.sub(r"\1\\x{\2}", expression), options)
    except re2.error as error:
        raise _wrong(expression, _describe(expression, error)) from None
    except UnicodeEncodeError as error:
        raise _wrong(expression, f" at character {error.start + 1 - len(MULTILINE)}: it is not UTF-8") from None
    if pattern.programsize > PROGRAM_SIZE_MAX:
        raise _wrong(
            expression,
            f": it stands for {pattern.programsize:,} steps at each character, and the limit is {PROGRAM_SIZE_MAX:,}; "
            "repeat less of it with {n}",
        )
    missing = [f"(?<{name}>...)" for name in required_groups if name not in pattern.groupindex]
    if missing:
        raise BadPattern(
            f"the regular expression {_show(expression)} has no group {', '.join(missing)}; "
            f"it needs {', '.join(required_groups)}, and may have message, kind, dests, timestamp, date"
        )
    return pattern


def find_matches(pattern: Any, data: bytes, start: int, end: int, budget: SearchBudget) -> Iterator[Any]:
    """Yield the matches between `start` and `end` from left to right.

    A search looks at `2 * MATCH_BYTES_MAX` bytes. If it finds nothing in the first half of them, the next search begins
    with the last line of that half. An empty match is ignored, with the rest of its line.
    """
    at = start
    while at < end:
        stop = min(at + 2 * MATCH_BYTES_MAX, end)
        match = budget.search(pattern, data, at, stop)
        if stop < end and (match is None or match.start() > stop - MATCH_BYTES_MAX):
            at = _line_at(data, stop - MATCH_BYTES_MAX, at)
        elif match is None:
            return
        elif match.end() > match.start():
            yield match
            at = match.end()
        else:
            at = data.find(b"\n", match.start()) + 1 or end


def _line_at(data: bytes, place: int, after: int) -> int:
    """Return the beginning of the line that holds `place`, or of the next line if that one begins before `after`."""
    start = data.rfind(b"\n", after, place) + 1
    return start if start > after else data.find(b"\n", place) + 1 or len(data)


def _describe(expression: str, error: Exception) -> str:
    """Return what RE2 says is wrong with an expression, and where."""
    said = error.args[0]
    problem, _, part = (said.decode(errors="replace") if isinstance(said, bytes) else str(said)).partition(": ")
    part = part.removeprefix(MULTILINE)
    place = len(expression) if part == expression != "" and problem.startswith("missing") else expression.find(part) + 1
    where = f" at character {place}" if place else ""
    if LOOKAROUND.match(part):
        return f"{where}: {UNBOUNDED.format('lookaheads and lookbehinds')}"
    if REFERENCE.match(part):
        return f"{where}: {UNBOUNDED.format('references to a group')}"
    return f"{where}: {problem} ({part[:PATTERN_CHARS_SHOWN_MAX]})"


def _wrong(expression: str, problem: str) -> BadPattern:
    return BadPattern(f"the regular expression {_show(expression)} is wrong{problem}; correct it")


def _show(expression: str) -> str:
    return repr(expression[:PATTERN_CHARS_SHOWN_MAX] + ("…" if len(expression) > PATTERN_CHARS_SHOWN_MAX else ""))
