"""Where 001 is wrong or contradicts itself about hosts that move, and what it leaves open.

What goes wrong with notify is in `notifications`, and the small executions that show it in `roaming_scenes`. The truth
is the oracle's: what causal order asks of the messages that were sent, and of those that were delivered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from antecede import Packet
from antecede.lab.printed.roaming import SelfAskingStation, leaving_host, printed_station
from tests.core.mobile.script import content, order
from tests.errata.erratum import Assumption, Erratum, Frequency, Further, Quotation
from tests.errata.ordered import asked_of
from tests.errata.roaming_scenes import (
    after_a_move,
    in_the_air,
    integers_about_the_disconnected,
    unheard_in_a_cell,
)
from tests.errata.roaming_search import Search, Stations, as_printed, waits_needlessly
from tests.mobile_worlds import MobileWorld

PRINTED, OURS = as_printed("av2"), Stations("av2")
MODEL = (
    "The model of §2: wires that reorder, air that is FIFO, nothing lost; a host may move at any time, and names the "
    "station of the cell that it left; each message goes to one other host."
)

Scene = Callable[[Stations], MobileWorld]


ANSWERED_LATER = Quotation(
    "§5.2",
    "If s_j receives the message handoff_begin(h_k) from some other MSS before the current handoff terminates (this "
    "can happen if h_k switches its cell), s_j will respond to the message only after the handoff terminates.",
)


def begin_sent_to_itself() -> Erratum:
    literal = as_printed("av2", partial(printed_station, kind=SelfAskingStation))
    return about_order(
        after_a_move,
        literal,
        OURS,
        "h",
        title="A misprint sends handoff_begin to its own sender",
        section="§5.2, the hand-off",
        says=(
            Quotation("§5.2", "On receiving this message, s_j sends the message handoff_begin(h_k) to s_j"),
            Quotation("§5.2", "MSS s_i, after receiving the message handoff_begin(h_k) from s_j, sends"),
        ),
        remark=(
            "The second sentence needs s_i in the first. The slip is of one index, and it may be of our copy of the "
            "paper."
        ),
        assumes=MODEL,
        defence="One may read s_i, as the second sentence does; then nothing is wrong, and all other entries do so.",
        execution=(
            "a, at s1, sends a:1 to h, at s2, who delivers it",
            "h moves from s2 to s3",
            "a sends a:2 to h, and all arrives",
        ),
        why=(
            "s2 is never asked for h, and s3 waits for ever for it. It is so with every hand-off; hence there is no "
            "random search."
        ),
        repair="Read s_i.",
        other_readings=(("read s_i", PRINTED),),
    )


def graceful() -> Erratum:
    before, after = integers_about_the_disconnected(Stations("av1"))
    return Erratum(
        "Is Algorithm 1 graceful to disconnections?",
        "§1.1 against the abstract and §4.3",
        (
            Quotation("§1.1", "Also, the algorithm is graceful to hosts disconnections and connections."),
            Quotation(
                "abstract",
                "But the system is not easily scalable and is not graceful to host disconnections and connections.",
            ),
            Quotation("§4.3", "But factors F3-F4 are not satisfied."),
            Quotation(
                "§4.3",
                "The arrays need not be static, but maintaining dynamic arrays can become complicated if the MH "
                "disconnections and connections are frequent.",
            ),
        ),
        (
            "a, b, c and d have all written to each other, twice",
            "c and d disconnect",
            "a and b go on; a sends a message to b",
        ),
        "yes",
        "no",
        "yes" if after < before else "no",
        asked="Is Algorithm 1 graceful to disconnections?",
        remark=(
            "§1.1 lacks a word: the sentence before it and the one after it speak of problems of Algorithm 1. F4 is "
            "that algorithms handle disconnections easily. The slip may be of our copy of the paper."
        ),
        assumes="The model of §2; everything that was sent is delivered before c and d disconnect.",
        why=(
            "The first and the third answer are sentences of the paper, and it is they that contradict each other. "
            "The others are of the execution, with arrays that are static, as ours are: MH_SENT has an entry for each "
            "of the 12 pairs of a sender and another receiver, of which 10 have c or d. These are counted, as far as "
            "they are not 0, in the header of a message of a to b. With dynamic arrays, of which §4.3 speaks, there "
            "could be fewer."
        ),
        defence="One may read a not into §1.1; then the paper agrees with itself.",
        printed_as="§1.1 says",
        truth_as="the abstract and §4.3 say",
        ours_as="ours (`av1`), with static arrays",
        other_readings=(
            ("integers about c and d in the header, with static arrays", f"{before} before, {after} after"),
        ),
        repair="Read not graceful.",
    )


def registration_that_is_lost() -> Assumption:
    ours, leaving = Stations("av1"), Stations("av1", make_host=leaving_host)
    questions, detour = (unheard_in_a_cell(form).counts["wire Begin"] for form in (ours, leaving))
    return Assumption(
        "A registration arrives, though the host has left the cell",
        "§2",
        (
            Quotation("§2", "MH h_1 informs MSS s_2 of h_1's id and the id of its previous MSS s_1."),
            Quotation("§2", "A mobile host can migrate from one cell to another cell at any time."),
            Quotation(
                "§2",
                "Both wired and wireless channels are reliable and take an arbitrary but finite amount of time to "
                "deliver messages.",
            ),
            Quotation(
                "§2", "An MH can communicate directly with an MSS only if the MH is located in the cell of the MSS."
            ),
            ANSWERED_LATER,
        ),
        "The previous station of a host is that of the cell that it left, and every registration arrives, so that "
        "station is in a hand-off of the host, or has been. If a registration is lost because the host left the cell "
        "before the station heard it, the host names a station that never heard of it. As printed, the next station "
        "asks that one, which has nothing to give away and answers after a hand-off that never begins: the host gets "
        "nothing more. Here a registration names the station that welcomed the host last. That station has had what "
        "is kept for the host, and knows where it gave it. It is the station of the cell that was left, unless the "
        "host left that cell before it was welcomed. Then a registration names the cell that was left as well, which "
        "is asked if the host has to repeat the registration: what is kept may have come there, and the station that "
        "welcomed the host last may have failed since. Our stations also find a host that names the cell that it left, "
        f"by a detour: in this execution with Algorithm 1, {detour} questions between stations instead of "
        f"{questions}, because s3 passes the question on to s1, where h was at first, and s1 to s2.",
        (
            "h moves from s1 to s2, which welcomes it; a, at s1, sends a:1 to h, who delivers it",
            "h moves to s3, and on to s4 before s3 hears it: its registration at s3 is lost",
            "a sends a:2 to h, and everything else arrives",
        ),
        asked_of("h"),
        answers_of(
            unheard_in_a_cell,
            "h",
            (
                ("as printed (Algorithm 2), h names s3", PRINTED),
                ("ours (`av2`), but h names s3", Stations("av2", make_host=leaving_host)),
                ("ours (`av2`), h names s2", OURS),
            ),
        ),
    )


def known_while_in_the_air() -> Assumption:
    printed, ours = as_printed("av1"), Stations("av1")
    search = Search(other=waits_needlessly)
    found = search.compare(printed, ours, other="a message waits although nothing that precedes it is missing")
    return Assumption(
        "What is in the air to a host counts as known to it",
        "§4.1",
        (
            Quotation(
                "§4.1",
                "If so, s_k transmits m to h_i, increments MH_DELIV_i[j], and MH_SENT_i[j, k] is set to "
                "max(ST[j, k], MH_SENT_i[j, k]) for all j, k.",
            ),
            Quotation(
                "§5.3",
                "There is an inhibition in delivering a message to an MH if it is queued in MSS_PENDING even though "
                "the delivery of the message does not violate causal ordering.",
            ),
            Quotation("§1.1", "the algorithm is executed by the MSSs on behalf of the MHs."),
            Quotation("§2", "(i) e and e' are two events in the same host and e occurs before e'"),
        ),
        "Table 1 has for Algorithm 1, in the column of inhibition: No. That is right, because inhibition is defined by "
        "MSS_PENDING, the queue of Algorithm 2, and Algorithm 1 queues messages in MH_PENDING; and no sentence says "
        "that a message never waits needlessly in Algorithm 1. It may: the station of b counts a:2, and with it that "
        "a:1 was sent to c, as known to b while a:2 is in the air. So b:1 says that a:1 precedes it. If the station "
        "stands for the host, as §1.1 may be read and as §4.1 takes what it transmits for delivered, that is so. By "
        "§2, where events are those of hosts, it is not, and b:1 waits for nothing. Order is kept either way. Here "
        "what a host knows is merged when the host acknowledges, or with its next message, which says what it had by "
        f"then. {found.told}",
        (
            "a, at s1, sends a:1 to c, at s3, which is slow, and then a:2 to b, at s2, which is transmitted and still "
            "in the air",
            "b, who does not have a:2, sends b:1 to c",
            "b:1 arrives at s3",
        ),
        asked_of("c"),
        tuple((who, said(order(in_the_air(form), "c"))) for who, form in (("as printed", printed), ("ours", ours))),
    )


def about_order(
    scene: Scene,
    printed_form: Stations,
    our_form: Stations,
    host: str,
    *,
    title: str,
    section: str,
    says: tuple[Quotation, ...],
    execution: tuple[str, ...],
    why: str,
    repair: str,
    assumes: str,
    defence: str,
    often: Callable[[], Frequency] | None = None,
    remark: str = "",
    printed_as: str = "as printed",
    other_readings: tuple[tuple[str, Stations], ...] = (),
    further: Further | None = None,
) -> Erratum:
    """Return an erratum about what `host` delivers, in order, in `scene`.

    `other_readings` has the names of other readings of the paper, each with the form that reads it so. `further` is one
    more execution.
    """
    printed, ours = scene(printed_form), scene(our_form)
    return Erratum(
        title,
        section,
        says,
        execution,
        said(order(printed, host)),
        said(due(ours, host)),
        said(order(ours, host)),
        assumes=assumes,
        defence=defence,
        asked=asked_of(host),
        why=why,
        repair=repair,
        often=often,
        remark=remark,
        printed_as=printed_as,
        other_readings=answers_of(scene, host, other_readings),
        further=further,
    )


def answers_of(scene: Scene, host: str, forms: Iterable[tuple[str, Stations]]) -> tuple[tuple[str, str], ...]:
    """Return what `host` delivers, in order, in `scene` with each of these forms, by their names."""
    return tuple((name, said(order(scene(form), host))) for name, form in forms)


def due(scene: MobileWorld, host: str) -> list[str]:
    """What causal order lets `host` have by now: what has come to its station, or to it, and misses nothing."""
    oracle = scene.oracle
    late = {str(content(packet).message.id) for packet in _in_flight(scene) if content(packet).message is not None}  # type: ignore[union-attr]  # it is there in this scene
    mine = sorted((m for m in oracle.messages if host in oracle.messages[m].dests), key=lambda m: len(oracle.past[m]))
    here: list[str] = []
    for message in mine:
        before = {str(m) for m in oracle.past[message] if host in oracle.messages[m].dests}
        if str(message) not in late and before <= set(here):
            here.append(str(message))
    return here


def _in_flight(scene: MobileWorld) -> list[Packet]:
    return [packet for links in (scene.wires, scene.frames) for queue in links.values() for packet in queue]


def said(names: list[str]) -> str:
    return ", ".join(names) or "nothing"
