"""Where paper 001 (Alagar, Venkatesan) is wrong, which is about roaming hosts and in `roaming`, and what it assumes."""

from __future__ import annotations

from functools import cache

from tests.core.mobile.script import order
from tests.errata import notifications, roaming
from tests.errata.erratum import Assumption, Erratum, Quotation
from tests.errata.forms import IDEAL, core
from tests.errata.ordered import asked_of, side_by_side
from tests.errata.printed import rst
from tests.errata.roaming_scenes import dropped_while_asleep
from tests.errata.roaming_search import Stations
from tests.errata.stage import perform


@cache
def counterexamples() -> tuple[Erratum, ...]:
    return (
        notifications.stale_notification(),
        roaming.begin_sent_to_itself(),
        roaming.graceful(),
    )


@cache
def assumptions() -> tuple[Assumption, ...]:
    return (
        roaming.registration_that_is_lost(),
        own_messages(),
        dropped_messages(),
        roaming.known_while_in_the_air(),
        messages_sent_again(),
        notifications.broadcast_as_unicasts(),
        hosts_that_come_back(),
    )


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


def dropped_messages() -> Assumption:
    script = ("P1 sends M1 to P2", "P1 sends M2 to P2", "M2 arrives at P2")
    not_counted, counted = (
        perform(form, "P1 P2", steps) for form, steps in ((rst(), script), (rst(), _with_M1(script)))
    )
    return Assumption(
        "A message that is dropped counts as delivered",
        "§2",
        (
            Quotation(
                "§2",
                "If an MSS receives a message for any of the disconnected mobile hosts, the message can be stored and "
                "delivered to mobile host after it reconnects, or the message can be dropped depending on the "
                "application.",
            ),
        ),
        "The paper does not say what becomes of the arrays when a message is dropped. Here it is counted in MH_DELIV "
        "as if it had been delivered, and not merged into MH_SENT: the host has not seen it. If MH_DELIV did not count "
        "it, all later messages of its sender, and of those who know of it, would wait for ever. The first two answers "
        "are of the RST algorithm of §3, in which M1 is made not to come, or to come and not to be shown; the last is "
        "of a host that disconnects, and of its station.",
        ("P1 sends M1 to P2, who is disconnected, and M1 is dropped", "P2 reconnects", "P1 sends M2 to P2"),
        asked_of("P2"),
        (
            ("M1 is dropped and not counted", not_counted.order("P2") + " (M1 was dropped)"),
            ("M1 is dropped and counted", counted.order("P2").replace("M1, ", "") + " (M1 was dropped)"),
            ("ours (`av1`)", _dropped_by_ours()),
        ),
    )


def _dropped_by_ours() -> str:
    """Return what b, who stands for P2, delivers of the messages of a, who stands for P1."""
    names = {"a:1": "M1", "a:2": "M2"}
    return ", ".join(names[label] for label in order(dropped_while_asleep(Stations("av1")), "b")) + " (M1 was dropped)"


def _with_M1(script: tuple[str, ...]) -> tuple[str, ...]:
    return *script[:2], "M1 arrives at P2", *script[2:]


def messages_sent_again() -> Assumption:
    return Assumption(
        "What is sent again after a hand-off is dropped if it came before",
        "§4.1, §4.2",
        (
            Quotation(
                "§4.2",
                "Also, h_i retransmits the messages (to s_t) for which it did not receive ack from its previous MSS "
                "s_k.",
            ),
            Quotation("§4.2", "On receiving these data structures, s_t first transmits all messages in PEND_ACK_i."),
            Quotation(
                "§4.1",
                "There are several protocols [3, 9] that ensure reliable message delivery to mobile hosts. Any of "
                "these protocols can be used.",
            ),
        ),
        "A host that moves may miss the acknowledgement of a message that its old station has sent on, and a station "
        "may miss the acknowledgement of a message that the host has. Both are sent again. We take it that the "
        "protocol which ensures reliable delivery also drops what comes twice; here messages have numbers for that. "
        "Otherwise a host delivers a message twice, and MH_SENT counts it twice.",
    )


def hosts_that_come_back() -> Assumption:
    return Assumption(
        "A host that comes back waits for its earlier hand-off to end",
        "§5.2",
        (roaming.ANSWERED_LATER,),
        "The paper does not say what a station does if a host registers while the station still waits for the last "
        "messages of its earlier departure. Here, and in the form as printed that is run for this page, the "
        "registration waits until then, as if it had been slow in the air.",
    )
