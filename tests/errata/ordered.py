"""Errata about order: one script, run on the printed form, on the oracle's own, and on ours.

What is asked is what one process delivers, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from tests.errata.erratum import Erratum, Frequency
from tests.errata.executions import Traffic, frequency
from tests.errata.forms import IDEAL, Form, Groups
from tests.errata.stage import Stage, diagram, perform


def order_at(
    process: str,
    *,
    title: str,
    section: str,
    says: str,
    names: str,
    script: Sequence[str],
    printed: Form,
    ours: Form,
    traffic: Traffic,
    why: str,
    repair: str,
    groups: Groups | None = None,
) -> Erratum:
    """What `process` delivers, in order: as printed, as the oracle would, and as ours does."""
    shown, truth, mended = (perform(form, names, script, groups) for form in (printed, IDEAL, ours))
    return Erratum(
        title,
        section,
        says,
        tuple(script),
        shown.order(process),
        truth.order(process),
        mended.order(process),
        asked=f"What does {process} deliver, in order?",
        why=why,
        repair=repair,
        diagram=side_by_side(shown, mended),
        often=once(partial(frequency, printed, ours, traffic)),
    )


def side_by_side(printed: Stage, ours: Stage) -> str:
    return f"as printed\n{diagram(printed)}\n\nours\n{diagram(ours)}"


def once(often: Callable[[], Frequency]) -> Callable[[], Frequency]:
    """Searches take seconds, and are asked for by the tests and by the page."""
    return cache(often)
