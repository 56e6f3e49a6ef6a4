"""What a host tells its station of its problems, so that `antecede status`, which asks stations, can show them.

    {"problems": [{"kind": "move failed", "text": "move('ws://...') failed: ...", "since_s": 3.1}], "more": 0}

This is a notice in text. A host sends it only to a station whose answer to the hello `takes` it: stations of earlier
releases refuse text. Each notice replaces the one before, and an empty one says that nothing is wrong any more. A
station believes nothing in it, keeps it for as long as the connection lasts, and ignores what it cannot read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from antecede.core.errors import WireError
from antecede.runtime.roaming.websocket import read_text, write_text
from antecede.runtime.watch.problems import Problem

TOLD_MAX = 5
"""How many problems of one host are told; of the others, the number is."""
KIND_CHARS_MAX = 40
TOLD_CHARS_MAX = 300
MORE_MAX = 1_000
"""A host that tells of more problems is believed this many: it remembers 1,000 refused messages."""
SINCE_S_MAX = 1e10


class ToldProblem(NamedTuple):
    """A problem of a host, as the host tells it: its kind, in words, and for how long it has lasted."""

    kind: str
    text: str
    since_s: float


class ToldProblems(NamedTuple):
    """The problems of a host, and how many more there are."""

    problems: tuple[ToldProblem, ...] = ()
    more: int = 0


def write_notice(problems: Sequence[Problem], bytes_max: int) -> str:
    """Return the notice of these problems: as many of the first `TOLD_MAX` as fit into `bytes_max`.

    Return an empty string if not even the number of problems fits, which is so at no correct station.
    """
    for count in range(min(TOLD_MAX, len(problems)), -1, -1):
        told = [
            {
                "kind": problem.kind[:KIND_CHARS_MAX],
                "text": str(problem)[:TOLD_CHARS_MAX],
                "since_s": round(min(max(problem.since_s, 0.0), SINCE_S_MAX), 1),  # clocks can jump
            }
            for problem in problems[:count]
        ]
        notice = write_text({"problems": told, "more": min(len(problems) - count, MORE_MAX)})
        if len(notice) <= bytes_max:  # it is in ASCII
            return notice
    return ""


def read_notice(said: str) -> ToldProblems:
    """Return what a host tells. Raise `WireError` for what no correct host sends."""
    found = read_text(said)
    problems, more = found.get("problems"), found.get("more")
    if found.keys() != {"problems", "more"} or not isinstance(problems, list) or len(problems) > TOLD_MAX:
        raise WireError(f"text that is not a notice of at most {TOLD_MAX} problems")
    if type(more) is not int or more < 0:
        raise WireError("a notice with a number of further problems that is not 0 or more")
    return ToldProblems(tuple(map(_read_problem, problems)), min(more, MORE_MAX))


def _read_problem(found: object) -> ToldProblem:
    if not isinstance(found, dict) or found.keys() != {"kind", "text", "since_s"}:
        raise WireError("a problem without a kind, a text or a time, or with more than these")
    since_s = found["since_s"]
    if type(since_s) not in (int, float) or not 0 <= since_s <= SINCE_S_MAX:
        raise WireError(f"a problem that has not lasted for 0 to {SINCE_S_MAX:g} s")
    return ToldProblem(_read_line(found["kind"], KIND_CHARS_MAX), _read_line(found["text"], TOLD_CHARS_MAX), since_s)


def _read_line(found: object, chars_max: int) -> str:
    """Return a text without characters that a terminal obeys or that cannot be printed."""
    if not isinstance(found, str) or len(found) > chars_max:
        raise WireError(f"a problem in words that are not a text of at most {chars_max} characters")
    return "".join(char if char.isprintable() else "?" for char in found)
