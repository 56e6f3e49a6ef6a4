"""Measure what 002 says about the worst case: n² facts in a message (Corollary 2), and the time of a step (§6.2).

Everybody but one sends to all others, and only that one has these messages. So its log holds a fact for each of the
others as a sender and as a destination: (n - 1)(n - 2) of them, none of which can be left out. Then it sends to all
others, with a packet for each, or one for all as with hardware multicast; and a process whose log is as large receives
a message from it. Times are processor times of our code, which computes the packets for all destinations in one pass
(§4.5), so that a send is expected to take less than the O(n³) of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from math import log
from statistics import median
from time import process_time

from antecede.core.ordering.ks import Ks, KsStamp
from antecede.core.types import Message, MessageId, ProcessId
from antecede.lab.claims import Values, at, at_most, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.results import MissingResult, Results

SIZES, QUICK_SIZES = (10, 20, 40, 80), (10, 20)
REPEATS = 15
TIMED = ("send_us", "multicast_us", "receive_us")


def full_log(n: int, me: ProcessId, names: Sequence[ProcessId], *, multicast: bool = False) -> Ks:
    """Return the state of `me`, which has a message of everybody else to all others, and knows of no other delivery."""
    state = Ks(me, multicast=multicast)
    for sender in names:
        if sender != me:
            message = Message(MessageId(sender, 1), frozenset(names) - {sender}, b"")
            state.deliver(message, KsStamp({}, {}, {}))
    assert sum(len(dests) for entries in state.log.values() for dests in entries.values()) == (n - 1) * (n - 2)
    return state


def measure(point: Point, seed: int) -> dict[str, float | None]:  # noqa: ARG001
    """Return the size of a message in the worst case, and the times of a send and of a reception."""
    n = int(point["n"])
    names = [f"p{number:03}" for number in range(n)]
    me, others = names[0], names[1:]
    one, all_ = (full_log(n, me, names, multicast=multicast) for multicast in (False, True))
    single = Message(MessageId(me, 1), frozenset(others[:1]), b"")
    stamp = deepcopy(one).stamps(single, others[:1])[0]
    everybody = Message(MessageId(me, 1), frozenset(others), b"")
    receiver = full_log(n, others[0], names)
    return {
        "entries": float(stamp.entries),
        "entries_of_n_squared": stamp.entries / n**2,
        "send_us": _time_us(one, lambda state: state.stamps(everybody, others)),
        "multicast_us": _time_us(all_, lambda state: state.stamps(everybody, others)),
        "receive_us": _time_us(receiver, lambda state: state.learn(single, stamp)),
    }


def _time_us(state: Ks, step: Callable[[Ks], object]) -> float:
    """Return the median time of a step from this state, in microseconds."""
    spent = []
    for _ in range(REPEATS):
        fresh = deepcopy(state)
        start = process_time()
        step(fresh)
        spent.append(process_time() - start)
    return 1e6 * max(median(spent), 1e-7)


def exponent(results: Results, number: str) -> list[float]:
    """Return the exponent with which a number grows between the smallest and the largest n, seed by seed."""
    sizes = sorted(results.distinct("n"))
    if len(sizes) < 2:
        raise MissingResult("fewer than two sizes were measured")
    small, large = (results.values(number, n=size) for size in (sizes[0], sizes[-1]))
    return [log(two / one) / log(sizes[-1] / sizes[0]) for one, two in zip(small, large, strict=True)]


def _time_claim(number: str, power: int, says: str) -> Claim:
    return Claim(
        f"ks-cost-{number.partition('_')[0]}",
        says,
        "002 §6.2",
        f"exponent {power} at most",
        at_most(partial(exponent, number=number), power + 0.2, words="exponent of the growth over n"),
    )


def _share(results: Results) -> Sequence[float]:
    values: Values = at("entries_of_n_squared", n=max(results.distinct("n"), default=0))
    return values(results)


COST = Experiment(
    name="ks-cost",
    paper="002",
    figure="§6.2, Corollary 2",
    title="The worst case of ks: the size of a message, and the time of a step",
    about=f"n = {SIZES[0]} to {SIZES[-1]}; a log with a fact for each sender and destination. Times are medians of "
    f"{REPEATS}.",
    grid=[{"n": n} for n in SIZES],
    quick=[{"n": n} for n in QUICK_SIZES],
    measure=measure,
    charts=[
        Chart("the largest message", "n", "entries", "processes", "control entries", x_log=True, y_log=True),
        *(
            Chart(title, "n", number, "processes", "µs", x_log=True, y_log=True)
            for title, number in (
                ("a send to all, a packet for each", "send_us"),
                ("a send to all, one packet", "multicast_us"),
                ("a reception", "receive_us"),
            )
        ),
    ],
    claims=[
        Claim(
            "ks-cost-family",
            "In general a message has to carry n² facts: here is a family in which it does.",
            "002 Theorem 8, Corollary 2",
            "exponent 2",
            within(partial(exponent, number="entries"), 2.0, tolerance=0.15, words="exponent of the growth over n"),
        ),
        Claim(
            "ks-cost-bound",
            "n² is the upper bound of the control information of a message.",
            "002 §6.2",
            "at most 1 n²",
            at_most(_share, 1.0, words="entries divided by n², at the largest n"),
        ),
        _time_claim("receive_us", 2, "The processing overhead of a reception is O(n²)."),
        _time_claim("send_us", 3, "The processing overhead of a send is O(n³)."),
        _time_claim("multicast_us", 2, "With hardware multicast the processing overhead of a send is O(n²)."),
    ],
    timed=TIMED,
    cost=lambda point: float(point["n"]) ** 3,
)
