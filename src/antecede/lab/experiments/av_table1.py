"""Declare Table 1 of 001: size of the header, messages of a hand-off and inhibition, by how each grows.

The table is for n_h much larger than n_s: here five to thirty hosts for each station. The experiment counts what our
stations really send: integers that are not zero, after a warm-up that fills the matrices, and packets between cells. A
claim of the form O(n^e) is compared with the exponent e between the smallest and the largest size. The diagonal of a
matrix is zero, because nobody sends to itself. The paper counts the whole matrix, so for a claim about headers the
diagonal is added. Without it, n(n - 1) integers would grow faster than n^2 between small n. Logical stations of
a cell share the packets that go to several of them, so a hand-off of Algorithm 3 grows with less than k, which O(k n_s)
allows. §5.3 also compares the storage and the load of stations, which are measured in the same runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import log

from antecede.lab.claims import Values, at_most, explanation, ratio, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.experiments import av
from antecede.lab.results import MissingResult, Results

HOSTS, STATIONS, KS = (20, 40, 80), (2, 4, 8), (1, 2, 4)
HOSTS_USUAL, STATIONS_USUAL, K_USUAL = 60, 4, 2
SEND_S, MOVE_S = 0.1, 1.0
FILL = 3
"""Messages for each pair of hosts before the window: so all but a twentieth of the pairs have sent."""
NAMES = {"av1": "Algorithm 1", "av2": "Algorithm 2", "av3": "Algorithm 3"}
SWEEPS = (
    ("av1", "hosts"),
    ("av1", "stations"),
    ("av2", "hosts"),
    ("av2", "stations"),
    ("av3", "stations"),
    ("av3", "k"),
)


def _point(protocol: str, over: str, value: int, *, usual_hosts: int, fill: int, per_host: int) -> Point:
    """Return a point at which one of the parameters has this value, and the others have their usual ones.

    Matrices of hosts take a message of each pair to fill, and those of stations far less.
    """
    usual = {"hosts": usual_hosts, "stations": STATIONS_USUAL, "k": K_USUAL if protocol == "av3" else 1, over: value}
    hosts = usual["hosts"]
    point = av.make_point(
        protocol,
        hosts=hosts,
        stations=usual["stations"],
        k=usual["k"],
        send_s=SEND_S,
        move_s=MOVE_S,
        wires="exponential",
        warmup=fill * hosts**2 if protocol == "av1" else 20 * hosts,
        deliveries=per_host * hosts,
    )
    return {**point, "over": over}


def _points(quick: bool) -> Sequence[Point]:
    sizes: dict[str, Sequence[int]] = {"hosts": HOSTS, "stations": STATIONS, "k": KS}
    values = {"hosts": (10, 20), "stations": (2, 4), "k": (1, 2)} if quick else sizes
    make = (
        partial(_point, usual_hosts=20, fill=1, per_host=10)
        if quick
        else partial(_point, usual_hosts=HOSTS_USUAL, fill=FILL, per_host=100)
    )
    return [make(protocol, over, value) for protocol, over in SWEEPS for value in values[over]]


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed. Only integers that are not zero are counted."""
    return av.measure(point, seed, full=False)


def ends(results: Results, number: str, protocol: str, over: str) -> tuple[dict[int, Sequence[float]], int, int]:
    """Return a number by the parameter that is swept, and the smallest and the largest value of that parameter."""
    rows = results.select(protocol=protocol, over=over)
    sizes = sorted(rows.distinct(over))
    if len(sizes) < 2:
        raise MissingResult(f"{protocol} was not measured over {over} with two sizes")
    return {size: rows.values(number, **{over: size}) for size in sizes}, sizes[0], sizes[-1]


def diagonal(protocol: str, over: str, size: int) -> int:
    """Return how many hosts, stations or logical stations a matrix has a row for, if `over` has this size."""
    has = {"hosts": HOSTS_USUAL, "stations": STATIONS_USUAL, "k": K_USUAL if protocol == "av3" else 1, over: size}
    return has["hosts"] if protocol == "av1" else has["stations"] * has["k"]


def _growth_claim(
    of: tuple[str, str, str], power: float, tolerance: float, says: str, *, no_more: bool = False
) -> Claim:
    """Return a claim about how a number grows.

    `of` is the number, the protocol and the parameter over which it grows. If `no_more` is true, the exponent is an
    upper bound.
    """
    number, protocol, over = of
    words = f"exponent of the growth over {over}"

    def exponent(results: Results) -> Sequence[float]:
        values, small, large = ends(results, number, protocol, over)
        more = {size: diagonal(protocol, over, size) if number == "integers" else 0 for size in (small, large)}
        return [
            log((two + more[large]) / (one + more[small])) / log(large / small)
            for one, two in zip(values[small], values[large], strict=True)
        ]

    return Claim(
        f"av-table1-{number.replace('_', '-')}-{protocol}-{over}",
        says,
        "001 Table 1",
        f"exponent {power:g}" + (" at most" if no_more else ""),
        at_most(exponent, power + tolerance, words=words)
        if no_more
        else within(exponent, power, tolerance=tolerance, words=words),
    )


GROWTHS = (
    _growth_claim(("integers", "av1", "hosts"), 2, 0.2, "The header of Algorithm 1 is O(n_h^2) integers."),
    _growth_claim(("integers", "av1", "stations"), 0, 0.1, "The header of Algorithm 1 does not depend on n_s."),
    _growth_claim(("integers", "av2", "stations"), 2, 0.2, "The header of Algorithm 2 is O(n_s^2) integers."),
    _growth_claim(("integers", "av2", "hosts"), 0, 0.1, "The header of Algorithm 2 does not depend on n_h."),
    _growth_claim(("integers", "av3", "stations"), 2, 0.25, "The header of Algorithm 3 is O(k^2 n_s^2) integers: n_s."),
    _growth_claim(("integers", "av3", "k"), 2, 0.25, "The header of Algorithm 3 is O(k^2 n_s^2) integers: k."),
    _growth_claim(("handoff_messages", "av1", "stations"), 0, 0.1, "A hand-off of Algorithm 1 is O(1) messages."),
    _growth_claim(
        ("handoff_messages", "av1", "hosts"), 0, 0.1, "A hand-off of Algorithm 1 is O(1) messages, whatever n_h."
    ),
    _growth_claim(("handoff_messages", "av2", "stations"), 1, 0.15, "A hand-off of Algorithm 2 is O(n_s) messages."),
    _growth_claim(("handoff_messages", "av2", "hosts"), 0, 0.1, "A hand-off of Algorithm 2 does not depend on n_h."),
    _growth_claim(
        ("handoff_messages", "av3", "stations"), 1, 0.15, "A hand-off of Algorithm 3 is O(k n_s) messages: n_s."
    ),
    _growth_claim(
        ("handoff_messages", "av3", "k"), 1, 0.15, "A hand-off of Algorithm 3 is O(k n_s) messages: k.", no_more=True
    ),
)


def decrease_with_k(results: Results) -> Sequence[float]:
    """Return the needless waiting at the smallest k minus that at the largest, seed by seed."""
    values, small, large = ends(results, "needless_ms", "av3", "k")
    return [one - two for one, two in zip(values[small], values[large], strict=True)]


def at_most_hosts(number: str, protocol: str) -> Values:
    """Return a function that selects a number where there are most hosts."""

    def values(results: Results) -> Sequence[float]:
        by_size, _, large = ends(results, number, protocol, "hosts")
        return by_size[large]

    return values


def _less_claim(number: str, what: str) -> Claim:
    """Return the claim that Algorithm 2 asks less of a station than Algorithm 1."""
    return Claim(
        f"av-table1-{number.replace('_', '-')}-less",
        f"{what} of Algorithm 2 is less than that of Algorithm 1.",
        "001 §5.3",
        "less",
        trend(
            ratio(at_most_hosts(number, "av2"), at_most_hosts(number, "av1")),
            below=1.0,
            words="Algorithm 2 as a part of Algorithm 1, with the most hosts",
        ),
    )


INHIBITION = (
    Claim(
        "av-table1-inhibition-av1",
        "Algorithm 1 does not inhibit.",
        "001 Table 1",
        "no",
        explanation(
            at_most_hosts("needless_percent", "av1"),
            0.0,
            words="% that wait needlessly with our Algorithm 1; the paper means messages queued in MSS_PENDING",
        ),
    ),
    Claim(
        "av-table1-inhibition-av2",
        "Algorithm 2 inhibits.",
        "001 Table 1",
        "yes",
        trend(at_most_hosts("needless_percent", "av2"), above=0.0, words="% of deliveries that wait needlessly"),
    ),
    Claim(
        "av-table1-inhibition-av3",
        f"The inhibition of Algorithm 3 decreases with k (wires that reorder, k = {KS[0]} to {KS[-1]}).",
        "001 Table 1",
        "falls",
        trend(
            decrease_with_k,
            above=0.0,
            words="needless waiting at the smallest k less that at the largest, in ms, seed by seed",
        ),
    ),
)


def _chart(over: str, number: str, y_label: str, title: str, *, y_log: bool = True) -> Chart:
    x_labels = {"hosts": "hosts, n_h", "stations": "stations, n_s", "k": "logical stations, k"}
    fixed = {
        "hosts": f"{STATIONS_USUAL} stations",
        "stations": f"{HOSTS_USUAL} hosts",
        "k": f"{HOSTS_USUAL} hosts, {STATIONS_USUAL} stations",
    }
    return Chart(
        title=f"{title}, {fixed[over]}",
        x=over,
        y=number,
        x_label=x_labels[over],
        y_label=y_label,
        series=["protocol"],
        names=NAMES,
        order=list(NAMES.values()),
        where={"over": over},
        x_log=True,
        y_log=y_log,
    )


TABLE1 = Experiment(
    name="av-table1",
    paper="001",
    figure="Table 1",
    title="Header, hand-off and inhibition of the three algorithms",
    about=f"{HOSTS_USUAL} hosts, {STATIONS_USUAL} stations, k = {K_USUAL} unless swept; t_s = {SEND_S:g} s, t_h = "
    f"{MOVE_S:g} s; wires of 7 ms on average, exponential; messages to one host; 0.2 µs for each integer of a header. "
    "Integers are those that are not zero; for the exponents of their growth the diagonal, which is always zero, is "
    "added. Packets are those between cells. The storage is what a station of ours keeps, in bytes; its load is the "
    "share of its time that it works on headers.",
    grid=_points(False),
    quick=_points(True),
    measure=measure,
    charts=[
        *(_chart(over, "integers", "integers of a header", "header") for over in ("hosts", "stations", "k")),
        *(
            _chart(over, "handoff_messages", "packets for a hand-off", "hand-off")
            for over in ("hosts", "stations", "k")
        ),
        *(
            _chart(over, "needless_percent", "deliveries that waited needlessly, %", "inhibition", y_log=False)
            for over in ("hosts", "stations", "k")
        ),
        _chart("hosts", "storage_bytes", "state of a station, bytes", "storage"),
        _chart("hosts", "load_percent", "time on headers, %", "load of a station"),
    ],
    claims=[
        *GROWTHS,
        *INHIBITION,
        _less_claim("storage_bytes", "The storage requirement"),
        _less_claim("load_percent", "The load placed on the stations"),
    ],
    quick_seeds=(1, 2),
    cost=av.cost,
)
