"""Parse the texts of options: partitions, pairs, numbers and options of algorithms. Raise `Misuse` with an example."""

from __future__ import annotations

import re

from antecede.core.errors import Misuse
from antecede.sim import Distribution, Partition


def partition(text: str) -> Partition:
    """Return the partition that `text` describes."""
    times, _, sides = text.partition(":")
    start, end = (*re.split(r"(?<![eE])-", times, maxsplit=1), "")[:2]
    side, _, other = sides.partition("/")
    example = "10-20:p1,p2 or 10-20:p1,p2/p3"
    names = [frozenset(filter(None, half.split(","))) for half in (side, other)]
    return Partition(number(start, "--partition", example), number(end, "--partition", example), *names)


def option(text: str) -> tuple[str, object]:
    """Return the name and the value of an option of the algorithm. The value is true, false, a number, or text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise Misuse(f"--option {text!r}: write NAME=VALUE, such as multicast=true")
    if name in ("process", "processes", "groups"):
        raise Misuse(f"--option {name}: this option is set by --processes and --groups")
    if value in ("true", "false"):
        return name, value == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def number(text: str, flag: str, example: str) -> float:
    """Return the number that the text of an option gives."""
    try:
        return float(text)
    except ValueError:
        raise Misuse(f"{flag}: {text!r} is not a number of seconds; write it like {example}") from None


def pair(text: str, between: str, flag: str, example: str) -> tuple[int, int]:
    """Return the two integers that the text of an option gives."""
    first, found, second = text.partition(between)
    try:
        return int(first), int(second if found else first)
    except ValueError:
        raise Misuse(f"{flag}: {text!r} is not valid; write it like {example}") from None


def times(text: str) -> Distribution | None:
    """Return a distribution of times, or None if the text says never."""
    return None if text == "never" else Distribution.parse(text)
