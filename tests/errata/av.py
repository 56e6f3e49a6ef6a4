"""Where paper 001 (Alagar, Venkatesan) is wrong or must be read with care: the static algorithm it builds on, §3.

What it does with hosts that move is in `roaming`.
"""

from __future__ import annotations

from functools import cache

from tests.errata import roaming
from tests.errata.erratum import Erratum
from tests.errata.executions import Traffic
from tests.errata.forms import core
from tests.errata.ordered import order_at
from tests.errata.printed import rst

ONE_BY_ONE = Traffic(own=True, unicast=True, processes_min=1, processes_max=3)
REPAIR = "Deliver the own copy within the send; the matrix never counts messages of a process to itself."


@cache
def counterexamples() -> tuple[Erratum, ...]:
    return (
        own_messages_set(),
        own_messages_counted(),
        roaming.not_without_inhibition(),
        roaming.stale_notification(),
        roaming.notified_one_by_one(),
    )


def own_messages_set() -> Erratum:
    return order_at(
        "P1",
        title="Messages to oneself fall out of order",
        section="§3, the RST algorithm",
        says=(
            "On delivery of a message of P_j with the matrix ST, SENT[j, i] is set to ST[j, i] + 1. That P_j is not "
            "P_i is not said."
        ),
        names="P1",
        script=(
            "P1 sends M1 to P1",
            "P1 sends M2 to P1",
            "M1 arrives at P1",
            "P1 sends M3 to P1",
            "M3 arrives at P1",
            "M2 arrives at P1",
        ),
        printed=rst(),
        ours=core("rst"),
        traffic=ONE_BY_ONE,
        why=(
            "P1 has counted two messages to itself when M1 is delivered; the delivery sets the count back to one. M3 "
            "then waits for one message only."
        ),
        repair=REPAIR,
    )


def own_messages_counted() -> Erratum:
    return order_at(
        "P1",
        title="Messages to oneself are counted twice",
        section="§3, the RST algorithm",
        says=(
            "The same step, read as counting: one is added to SENT[j, i] as to DELIV[j]. Between two different "
            "processes this comes to the same."
        ),
        names="P1",
        script=("P1 sends M1 to P1", "M1 arrives at P1", "P1 sends M2 to P1", "the rest arrives"),
        printed=rst(counting=True),
        ours=core("rst"),
        traffic=ONE_BY_ONE,
        why="P1 counts M1 when it sends it and again when it delivers it, and waits for a second message for ever.",
        repair=REPAIR,
    )
