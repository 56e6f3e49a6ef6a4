"""The printed forms of `antecede.lab.printed`, to be put on a stage.

prs(...)           000 §5.2; or §8.2, where a message carries one row of the barrier and the receiver takes all to be so
rst()              001 §3
look_ahead()       002 §4.5
learn_ahead()      002 §4.5, with RCV(3) ahead too
rcv4()             002 §4.3
inferred_phases()  003 §3.3
by_the_rules()     003 §3.4
phases(...)        003 §4.1; or §4.3, where timestamps have entries for the groups of their sender only
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from antecede.lab.printed import ks, mr
from antecede.lab.printed.ordering import Bare, PrintedPrs, PrintedRst
from tests.errata.forms import Form, Groups, Party


def prs(
    row: Callable[[str, Sequence[str]], str] | None = None, *, skip_own: bool = False, at_once: bool = False
) -> Form:
    """Return 000 §5.2. `row` picks the row that is sent; with `at_once` the sender gets its own copy as it sends."""

    def make(name: str, names: Sequence[str]) -> Party:
        return Bare(name, PrintedPrs(name, names=names, row=row, skip_own=skip_own), at_once)

    return _form("000 as printed", make)


def rst() -> Form:
    return _form("001 §3 as printed", lambda name, _: Bare(name, PrintedRst(name)))


def look_ahead() -> Form:
    return _form("002 §4.5 as printed", ks.look_ahead_ks)


def learn_ahead() -> Form:
    return _form("002 §4.5 with RCV(3)", ks.learn_ahead_ks)


def rcv4() -> Form:
    return _form("002 §4.3 as printed", ks.rcv4_ks)


def inferred_phases() -> Form:
    return _form("003 §3.3 as printed", mr.inferred_phases)


def by_the_rules() -> Form:
    def make(names: Sequence[str], groups: Groups) -> dict[str, Party]:
        return {name: mr.ByTheRules(mr.PrintedPhases(name, groups)) for name in names}

    return Form("003 §3.4 as printed", make, by_group=True)


def phases(*, own_groups: bool = False) -> Form:
    def make(names: Sequence[str], groups: Groups) -> dict[str, Party]:
        return {name: mr.PrintedPhases(name, groups, own_groups) for name in names}

    return Form("003 §4.1 as printed", make, by_group=True)


def _form(name: str, make_party: Callable[[str, Sequence[str]], Party]) -> Form:
    """Return a form without groups; `make_party` makes a party from its name and the names of all."""

    def make(names: Sequence[str], groups: Groups) -> dict[str, Party]:
        return {each: make_party(each, names) for each in names}

    return Form(name, make)
