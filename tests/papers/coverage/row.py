"""One item of a paper: what the paper describes, the modules that implement it, the tests that show it, and its state.

Modules are named below `antecede`, tests below `tests`: `core.process`, `papers/test_000_prs.py::test_2_...`. Several
are separated by blanks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What became of an item.

    WORKS         it is implemented, and a test shows it
    PARTIAL       a part of it is; the note says what is lacking
    MISSING       nothing of it is; the note says what would be needed
    DIFFERS       what the paper says is not so, or is done otherwise here; the link leads to why
    OUT_OF_SCOPE  the paper itself leaves it to future work, or its text does not have it
    """

    WORKS = "works"
    PARTIAL = "partial"
    MISSING = "missing"
    DIFFERS = "differs"
    OUT_OF_SCOPE = "out of scope"


@dataclass(frozen=True, slots=True)
class Row:
    """An item. `section` is where the paper has it, and `says` what it describes, in a sentence of ours.

    `note` says what is lacking, or why the item is out of scope. `link` is the title of an entry of the errata page, or
    the name of an experiment, for an item that differs.
    """

    number: str
    section: str
    says: str
    state: State
    modules: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    note: str = ""
    link: str = ""


def works(number: str, section: str, says: str, modules: str, tests: str) -> Row:
    """Return an item that is implemented and tested."""
    return Row(number, section, says, State.WORKS, tuple(modules.split()), tuple(tests.split()))


def partial(number: str, section: str, says: str, modules: str, tests: str, *, lacks: str) -> Row:
    """Return an item of which a part is implemented. `lacks` says what is not."""
    return Row(number, section, says, State.PARTIAL, tuple(modules.split()), tuple(tests.split()), lacks)


def missing(number: str, section: str, says: str, *, lacks: str) -> Row:
    """Return an item that is not implemented. `lacks` says what would be needed."""
    return Row(number, section, says, State.MISSING, note=lacks)


def differs(number: str, section: str, says: str, modules: str, tests: str, *, link: str, why: str) -> Row:
    """Return an item that is not as the paper says. `link` is the title of an entry, or an experiment."""
    return Row(number, section, says, State.DIFFERS, tuple(modules.split()), tuple(tests.split()), why, link)


def out_of_scope(number: str, section: str, says: str, *, reason: str) -> Row:
    """Return an item that the paper leaves to future work, or that is not in its text."""
    return Row(number, section, says, State.OUT_OF_SCOPE, note=reason)
