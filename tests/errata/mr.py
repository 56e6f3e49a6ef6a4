"""Where paper 003 (Mostefaoui, Raynal) is wrong, each shown by running its printed form beside ours."""

from __future__ import annotations

import random
from functools import cache

from tests.errata.erratum import Erratum
from tests.errata.executions import SEEDS, Traffic, broken, everyone
from tests.errata.forms import Groups, core
from tests.errata.ordered import order_at
from tests.errata.printed_mr import by_the_rules, phases

THREE = {"all": ["P1", "P2", "P3"]}
FELL_BEHIND = (
    "P1 sends m0 to all",
    "P1 sends m1 to all",
    "P2 hears P1",
    "P2 sends m2 to all",
    "P3 hears P2",
    "the rest arrives",
)


@cache
def counterexamples() -> tuple[Erratum, ...]:
    return inferred_timestamps(), simulated_fifo(), order_of_candidates(), acyclic_groups()


def inferred_timestamps() -> Erratum:
    return order_at(
        "P1",
        title="Timestamps can not be inferred",
        section="§3.3",
        says=(
            "On FIFO channels neither messages nor resynchs carry a timestamp: it grows by one between messages, by "
            "two from a message to a resynch, by one between resynchs, and not at all from a resynch to a message."
        ),
        names="P1 P2 P3",
        groups=THREE,
        script=FELL_BEHIND,
        printed=core("mr-broadcast", printed="3.3"),
        ours=core("mr-broadcast"),
        traffic=Traffic(fifo=True, groups=everyone),
        why=(
            "P3 hears P2 before P1. Its first packet to anybody is resynch(3), for m2 has timestamp 2; the rule makes "
            "it resynch(1). P1 then waits for ever for P3 to reach phase 2. A process may fall behind by any number of "
            "phases at once, not by one."
        ),
        repair=(
            "A resynch carries its timestamp; messages still carry none. (One resynch for each phase skipped would do "
            "too, on channels that never duplicate.)"
        ),
    )


def simulated_fifo() -> Erratum:
    return order_at(
        "P1",
        title="Nor can the order of arrival be inferred from timestamps",
        section="§3.4",
        says=(
            "On channels that are not FIFO, messages and resynchs carry their timestamps, and arrivals are put into "
            "the order that the rules of §3.3 ask for."
        ),
        names="P1 P2 P3",
        groups=THREE,
        script=FELL_BEHIND,
        printed=by_the_rules(),
        ours=core("mr-broadcast", numbered=True),
        traffic=Traffic(groups=everyone),
        why=(
            "The same execution. resynch(3) of P3 is set aside until a message with timestamp 0 or a resynch(1) of P3 "
            "has come, and there is none."
        ),
        repair="Number the packets of each channel, which is one count as well, and process them in that order.",
    )


def order_of_candidates() -> Erratum:
    return order_at(
        "P3",
        title="The comment is part of the algorithm",
        section="§3.2, BS4; §4.1, GS4",
        says=(
            "A message is delivered as soon as its delivery condition is true. That of several such messages those "
            "with lower timestamps go first is a comment beside GS4, and is missing from BS4."
        ),
        names="P1 P2 P3",
        groups=THREE,
        script=(
            "P1 sends m0 to all",
            "P2 hears P1",
            "P2 sends m1 to all",
            "P3 hears P2",
            "P3 hears P1",
            "the rest arrives",
        ),
        printed=phases(in_order=False),
        ours=core("mr"),
        traffic=Traffic(fifo=True, groups=everyone),
        why=(
            "m0 is what m1 has been waiting for, and its arrival makes both deliverable at the same moment. Taken in "
            "the order of arrival, m1 goes first."
        ),
        repair="Deliver in the order of timestamps; any order that extends it will do, such as that of their sums.",
    )


def acyclic_groups() -> Erratum:
    only_one = broken(phases(own_groups=True), Traffic(fifo=True, groups=sharing_one))
    return order_at(
        "B",
        title="No cycle of groups is not enough",
        section="§4.3",
        says=(
            "If the graph of groups has no cycle, a timestamp needs entries only for the groups its sender belongs to."
        ),
        names="A B C D",
        groups={"g1": ["A", "B", "C"], "g2": ["A", "B", "D"]},
        script=(
            "D sends m0 to g2",
            "A hears D",
            "A sends m1 to g1",
            "C hears A",
            "C sends m2 to g1",
            "B hears C",
            "the rest arrives",
        ),
        printed=phases(own_groups=True),
        ours=core("mr"),
        traffic=Traffic(fifo=True, processes_min=4, groups=sharing_two),
        why=(
            "g1 = {A, B, C} and g2 = {A, B, D} share two processes. m1 says that g2 is in phase 1, and waits at B for "
            "m0. C is not in g2: its m2 has no entry for g2, does not wait, and overtakes m1 and m0. The two groups "
            "are no cycle, but between A and B there are two ways. Where groups share one process at most, the claim "
            f"was not broken: {only_one} of {len(SEEDS)} random executions failed, comparing timestamps on the entries "
            "both have."
        ),
        repair="Carry the entries of all groups, unless no two groups share more than one process.",
    )


def sharing_two(chance: random.Random, names: list[str]) -> Groups:
    """Two groups that share two or more, and of which neither is all."""
    shared = chance.sample(names, chance.randint(2, len(names) - 2))
    rest = [name for name in names if name not in shared]
    cut = chance.randint(1, len(rest) - 1)
    return {"g1": sorted(shared + rest[:cut]), "g2": sorted(shared + rest[cut:])}


def sharing_one(chance: random.Random, names: list[str]) -> Groups:
    """Two groups that share one process."""
    cut = chance.randint(1, len(names) - 2)
    return {"g1": names[: cut + 1], "g2": names[cut:]}
