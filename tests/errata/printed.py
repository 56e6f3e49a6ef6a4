"""The printed forms of `antecede.lab.printed.ordering`, to be put on a stage.

prs(...)       000 §5.2; or §8.2, where a message carries one row of the barrier and the receiver takes all to be so
rst()          001 §3
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from antecede.lab.printed.ordering import Bare, PrintedPrs, PrintedRst
from tests.errata.forms import Form, Groups, Party


def prs(
    row: Callable[[str, Sequence[str]], str] | None = None, *, skip_own: bool = False, at_once: bool = False
) -> Form:
    """000 §5.2. `row` picks the one row that is sent; with `at_once` the sender receives its own copy in the send."""

    def make(names: Sequence[str], groups: Groups) -> dict[str, Party]:
        return {name: Bare(name, PrintedPrs(name, names, row, skip_own), at_once) for name in names}

    return Form("000 as printed", make)


def rst() -> Form:
    def make(names: Sequence[str], groups: Groups) -> dict[str, Party]:
        return {name: Bare(name, PrintedRst(name)) for name in names}

    return Form("001 §3 as printed", make)
