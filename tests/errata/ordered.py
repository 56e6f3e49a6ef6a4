"""Errata about order: one script, run on the printed form, on the oracle's own, and on ours.

What is asked is what one process delivers, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from tests.errata.erratum import Erratum, Frequency, Quotation
from tests.errata.executions import Traffic, frequency
from tests.errata.forms import IDEAL, Form, Groups
from tests.errata.stage import Stage, diagram, perform


def order_at(
    process: str,
    *,
    title: str,
    section: str,
    says: tuple[Quotation, ...],
    names: str,
    script: Sequence[str],
    printed: Form,
    ours: Form,
    traffic: Traffic,
    why: str,
    repair: str,
    assumes: str,
    defence: str,
    remark: str = "",
    groups: Groups | None = None,
) -> Erratum:
    """Return an erratum about what `process` delivers, in order: as printed, as the oracle would, and as ours does."""
    shown, truth, mended = (perform(form, names, script, groups) for form in (printed, IDEAL, ours))
    return Erratum(
        title,
        section,
        says,
        tuple(script),
        shown.order(process),
        truth.order(process),
        mended.order(process),
        assumes=assumes,
        defence=defence,
        asked=asked_of(process),
        why=why,
        repair=repair,
        remark=remark,
        diagram=side_by_side(shown, mended),
        often=once(partial(frequency, printed, ours, traffic)),
    )


def asked_of(process: str) -> str:
    return f"What does {process} deliver, in order?"


def side_by_side(printed: Stage, ours: Stage, printed_as: str = "as printed") -> str:
    return f"{printed_as}\n{diagram(printed)}\n\nours\n{diagram(ours)}"


def once(often: Callable[[], Frequency]) -> Callable[[], Frequency]:
    """Searches take seconds, and are asked for by the tests and by the page."""
    return cache(often)
