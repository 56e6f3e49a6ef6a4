"""Where paper 001 (Alagar, Venkatesan) is wrong, which is about roaming hosts and in `roaming`, and what it assumes."""

from __future__ import annotations

from functools import cache

from tests.errata import roaming
from tests.errata.erratum import Assumption, Erratum, Quotation
from tests.errata.forms import IDEAL, core
from tests.errata.ordered import asked_of, side_by_side
from tests.errata.printed import rst
from tests.errata.stage import perform


@cache
def counterexamples() -> tuple[Erratum, ...]:
    return roaming.not_without_inhibition(), roaming.stale_notification(), roaming.notified_one_by_one()


@cache
def assumptions() -> tuple[Assumption, ...]:
    return (own_messages(),)


def own_messages() -> Assumption:
    script = (
        "P1 sends M1 to P1",
        "P1 sends M2 to P1",
        "M1 arrives at P1",
        "P1 sends M3 to P1",
        "M3 arrives at P1",
        "M2 arrives at P1",
    )
    printed, truth, ours = (perform(form, "P1", script) for form in (rst(), IDEAL, core("rst")))
    return Assumption(
        "A message goes to another host",
        "§2",
        (Quotation("§2", "An event in a host may be a send event (sending a message to another host)"),),
        "With a message to oneself, on the way like any other, the RST algorithm of §3 does not keep order. P1 has "
        "counted two messages to itself when M1 is delivered; the delivery sets the count back to one, and M3 then "
        "waits for one message only. Here the own copy is delivered within the send, and the matrix never counts "
        "messages of a process to itself.",
        script,
        asked_of("P1"),
        (
            ("§3, the own copy on the way", printed.order("P1")),
            ("truth", truth.order("P1")),
            ("ours", ours.order("P1")),
        ),
        side_by_side(printed, ours, "outside the model of §2"),
    )
