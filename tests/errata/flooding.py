"""Where 000 §9, causal multicast with mobile nodes, is wrong or contradicts itself, and what it leaves open."""

from __future__ import annotations

from functools import partial

from antecede.core.mobile.flood import Flood
from antecede.core.mobile.protocols import station
from antecede.core.mobile.station import Station
from antecede.lab.printed.roaming import ForgettingFlood, printed_station
from tests.core.mobile.script import order
from tests.errata.erratum import Assumption, Erratum, Quotation
from tests.errata.ordered import asked_of, once
from tests.errata.roaming import about_order, said
from tests.errata.roaming_scenes import after_a_move, for_somebody_else, overtaken_by_its_delete, two_of_one_cell
from tests.errata.roaming_search import Multicasts, Search, Stations, as_printed, waits_needlessly
from tests.mobile_worlds import MobileWorld

OURS, PRINTED = Stations("prs-mobile"), as_printed("prs-mobile")
FIRST_CONDITION = Quotation(
    "§9.1",
    "When an MSS receives the message, it sends the message over a wireless channel to an MH, say h, in its cell "
    "provided all of the following conditions are satisfied: 1. h_RECD_h[M_init] = M_seq",
)
ASSUMED = (
    "Nothing is lost; no host sends to itself (§5.1). The paper does not say whether messages between stations, or in "
    "the air, are FIFO: this execution is, and in the random worlds wires reorder and the air does not."
)


def counter_that_stands() -> Erratum:
    return about_order(
        for_somebody_else,
        PRINTED,
        OURS,
        "c",
        title="The counters of a host stop at the first message for somebody else",
        section="§9.1",
        says=(
            Quotation(
                "§9.1",
                "For an MH, say h, any message sent by MSS_j with sequence number less than h_RECD[j] has been "
                "delivered to h if h is a destination of the message.",
            ),
            FIRST_CONDITION,
            Quotation(
                "§9.1",
                "The mobile host h notifies the MSS on the delivery of M. At this point of time the MSS increments "
                "h_RECD_h[M_init] by 1 and sends an Acknowledge(h) message to M_init.",
            ),
            Quotation("§9.1", "The following additional data structures, presented in [1], need to be maintained:"),
        ),
        assumes=ASSUMED,
        defence=(
            "One may read the first sentence as the definition of h_RECD, by which a station passes over messages that "
            "are not for h; then everything is delivered, and that is our repair. But nothing in the text increments "
            "h_RECD except a delivery to h. One may also read §9.1 as an overview, which it is by its title, of "
            "structures that are taken from [1], Acharya and Badrinath, which we do not have, and expect the missing "
            "step there; then this entry is about the text of this paper alone. That a Delete may overtake its message "
            "is not an entry, though it too is taken from [1], because it depends on what the text leaves open, "
            "whether channels are FIFO. That the text has one increment, and that the increment is not enough for its "
            "own first condition, does not."
        ),
        execution=("a, at s1, sends a:1 to b, at s2", "a sends a:2 to c, at s3", "everything arrives"),
        why=(
            "In the text, h_RECD is incremented by a delivery to h, and by nothing else. a:1 is not for c, so c's "
            "counter of that station never passes it, and c waits for a:1 for ever."
        ),
        repair=(
            "While the next message of a station is known here and not for the host, or was deleted, step over it."
        ),
        often=once(lambda: Search(Multicasts).compare(PRINTED, OURS)),
    )


def order_of_a_station() -> Assumption:
    roam, free = Stations("roam"), Stations("prs-mobile", partial(station, any_order=True))
    search = Search(Multicasts, other=waits_needlessly)
    ours, freed, others = (search.failures(form).other for form in (OURS, free, roam))
    return Assumption(
        "Messages of one station come in the order of their numbers",
        "§9.1",
        (
            FIRST_CONDITION,
            Quotation(
                "§9.1",
                "If multiple messages arrive at an MSS for delivery to a mobile host h in its cell, and the messages "
                "are mutually concurrent with respect to delivery at h, they can be delivered by the MSS to h over "
                "wireless channels in any order.",
            ),
        ),
        "The second sentence is about messages that meet the conditions of the first, of which a station can have one "
        "from each station at a time. So a message may wait for another that has nothing to do with it, if two "
        "hosts of one cell sent them: here b:1 has number 1, and the counter of c for s1 stands at 0 until a:1 has "
        "been delivered. Our `prs-mobile` keeps the order of a station, as the first sentence asks, and with "
        "`any_order=True` it does not: then the station of a host also notes what the host has beyond its counter. "
        "`roam` numbers the messages of hosts, and not those of stations. "
        f"Of {search.worlds} random worlds ({search}), a message waits although nothing that precedes it is missing "
        f"in {ours} with `prs-mobile`, in {freed} with `any_order=True`, and in {others} with `roam`.",
        (
            "a and b are in the cell of s1, c in that of s2. a sends a:1 to c, which is slow",
            "b, who knows nothing of a, sends b:1 to c",
            "b:1 arrives at s2",
        ),
        asked_of("c"),
        (
            ("in the order of the station (`prs-mobile`)", said(order(two_of_one_cell(OURS), "c"))),
            ("in any order (`prs-mobile`, `any_order=True`)", said(order(two_of_one_cell(free), "c"))),
            ("in any order (`roam`)", said(order(two_of_one_cell(roam), "c"))),
        ),
    )


def delete_that_overtakes() -> Assumption:
    printed, ours = overtaken_by_its_delete(PRINTED), overtaken_by_its_delete(OURS)
    search = Search(Multicasts, other=keeps_what_all_have)
    found, mended = (search.failures(form).other for form in (PRINTED, OURS))
    return Assumption(
        "Delete comes after its message",
        "§9.1",
        (
            Quotation(
                "§9.1",
                "M_init sends a Delete(M) message to all MSSs after receiving acknowledgments corresponding to all the "
                "destinations of M. On receiving Delete(M), an MSS deletes message M from its memory.",
            ),
        ),
        "The paper does not say whether messages between stations are FIFO, and takes this part from another paper. "
        "If they are, Delete comes last. If they are not, s3 has nothing to delete when it is told to, and nobody "
        "tells it again: the message is delivered to nobody, and only memory is lost. Here a station remembers what "
        f"was deleted before it came; one number is enough as soon as all before it are deleted. Of {search.worlds} "
        f"random worlds ({search}) with wires that reorder, a station keeps for ever what all destinations have in "
        f"{found} as printed, and in {mended} with ours.",
        (
            "a, at s1, sends a:1 to b, at s2. It reaches s2, and is slow on its way to s3",
            "b has a:1; s2 acknowledges, and s1 sends Delete to all",
            "Delete arrives at s3, and then a:1",
        ),
        "What does s3 keep for ever?",
        (("as printed, if Delete may overtake", said(kept(printed, "s3"))), ("ours", said(kept(ours, "s3")))),
    )


def kept(scene: MobileWorld, station: str) -> list[str]:
    """Return the messages that a station keeps although all their destinations have them."""
    made = scene.stations[station]
    assert isinstance(made, Station)
    assert isinstance(made.scheme, Flood)
    stored = [message for casts in made.scheme.casts.values() for message, _ in casts.store.values()]
    lost = {message for message, _ in scene.oracle.lost()}
    return sorted(str(message.id) for message in stored if message.id not in lost)


def keeps_what_all_have(made: MobileWorld) -> bool:
    return any(kept(made, station) for station in made.stations)


def numbered_before_it_is_counted() -> Assumption:
    return Assumption(
        "The first message of a station has number 0",
        "§9.1",
        (
            Quotation(
                "§9.1",
                "M_seq is an integer initialized to zero. Each time a message is sent by an MSS, M_seq is incremented "
                "by one.",
            ),
            Quotation("§9.1", "All the components are initialized to zero."),
        ),
        "The paper does not say whether a message has the number from before the increment or from after it. We take "
        "it from before. With the other, the first message of a station has number 1, h_RECD is 0, and by condition 1 "
        "nothing is ever delivered.",
    )


def hand_off_moves_everything() -> Assumption:
    forgetting = Stations("prs-mobile", partial(printed_station, make_scheme=lambda _: ForgettingFlood()))
    literal, ours = after_a_move(forgetting), after_a_move(OURS)
    return Assumption(
        "A hand-off moves all that the old station keeps for a host",
        "§9.2",
        (
            Quotation(
                "§9.2", "In such a situation h_RECD_h[1 ... n] is migrated from the corresponding MSS_i to MSS_j."
            ),
            Quotation("§9.2", "then the migration of h_RECD_h and CB_h is delayed until the update is done."),
        ),
        "The paper names h_RECD and CB_h. By §5.1 a process also has sent and Delivered, and we take for granted that "
        "these move too. If Delivered_h began anew, h would wait for what it had in the old cell.",
        (
            "a, at s1, sends a:1 to h, at s2, who delivers it",
            "h moves from s2 to s3",
            "a sends a:2 to h, and everything arrives",
        ),
        asked_of("h"),
        (
            ("h_RECD and CB_h move", said(order(literal, "h"))),
            ("everything moves", said(order(ours, "h"))),
        ),
    )
