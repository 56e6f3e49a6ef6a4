"""Declare what 001 and 000 say about the factors that matter to mobile hosts, beyond Table 1.

001 §1.1 names four: F1, little work at a host; F2, little in the air; F3, many hosts; F4, hosts that disconnect. All
four are measured of every roaming protocol. §4.3 and §5.3 say which algorithm satisfies which. 000 §9.3 says that
barriers go along wires alone, and that the memory of a host is not burdened. The work and the memory of a host are
measured by its state, which is all that it looks at, and the air by the bytes that a message takes there, with all that
is sent for it. 000 §9 also says that the energy of a host is conserved: it is counted as bytes received, and a byte
that is sent costs as much as two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

from antecede.core.mobile.protocols import protocols
from antecede.lab.claims import Values, at, in_all, ratio, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.experiments import av
from antecede.lab.experiments.av_table1 import ends
from antecede.lab.results import Results
from antecede.sim.mobile import MobileWorld

HOSTS, QUICK_HOSTS = (20, 40, 80), (10, 20)
STATIONS = 10
LOGICAL = 2
"""The logical stations of a station in Algorithm 3."""
LABELS = {
    "av1": "Algorithm 1",
    "av2": "Algorithm 2",
    "av2-ks": "Algorithm 2 with KS",
    "av3": f"Algorithm 3, k = {LOGICAL}",
    "prs-mobile": "Prakash, Raynal, Singhal §9",
}
PROTOCOLS = {name: LABELS.get(name, name) for name in sorted(protocols())}
"""Every roaming protocol, with its name in the charts."""
SEND_S, MOVE_S, AWAY_S = 0.1, 1.0, 0.5
FLAT = 0.1
"""The exponent of the growth of a number that does not depend on the number of hosts is smaller than this."""
COMPARABLE = {"less than twice": 2.0, "less than ten times": 10.0}
"""How many times as large a header may be that is called comparable, in two readings. The paper does not say."""


def _points(quick: bool) -> Sequence[Point]:
    hosts, per_host = (QUICK_HOSTS, 8) if quick else (HOSTS, 50)
    found: list[Point] = []
    for protocol in PROTOCOLS:
        for count in hosts:
            point = _point(protocol, count, per_host)
            found.append({**point, "over": "hosts", "away_s": 0.0})
            if count == hosts[0]:
                found.append({**point, "over": "away", "away_s": 0.0})
                found.append({**point, "over": "away", "away_s": AWAY_S})
    return found


def _point(protocol: str, hosts: int, per_host: int) -> Point:
    return av.make_point(
        protocol,
        hosts=hosts,
        stations=STATIONS,
        k=LOGICAL if protocol == "av3" else 1,
        send_s=SEND_S,
        move_s=MOVE_S,
        wires="exponential",
        warmup=2 * hosts**2 if protocol == "av1" else 20 * hosts,
        deliveries=per_host * hosts,
    )


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed. Only integers that are not zero are counted; `matrix` counts the zeros too.

    The energy is what all hosts spend on the air, for each message.
    """
    stations = int(point["stations"])
    sides = {"av1": int(point["hosts"]), "av2": stations, "av3": stations * int(point["k"])}
    across = sides.get(str(point["protocol"]))
    world = MobileWorld(av.parameters(point, seed, full=False))
    found = world.run()
    return {
        **av.read_numbers(point, world, found),
        "matrix": None if across is None else float(across**2),
        "energy": found.host_energy_mean * int(point["hosts"]) / found.messages,
    }


def exponent(number: str, protocol: str) -> Values:
    """Return a function that computes how a number grows with the number of hosts, seed by seed."""

    def values(results: Results) -> Sequence[float]:
        by_size, small, large = ends(results, number, protocol, "hosts")
        return [log(two / one) / log(large / small) for one, two in zip(by_size[small], by_size[large], strict=True)]

    return values


def _flat_claim(number: str, protocol: str, says: str, where: str, *, ours: bool = False) -> Claim:
    """Return the claim that a host or the air is spared. The paper has no number: here it must not grow with hosts."""
    return Claim(
        f"av-factors-{number.replace('_', '-')}-{protocol}",
        says,
        where,
        "little",
        trend(
            exponent(number, protocol), below=FLAT, words="exponent of the growth over hosts; little: it does not grow"
        ),
        ours=ours,
    )


def _claims_about_hosts() -> Iterator[Claim]:
    """Yield the claims about F1 and F2: what a host keeps, and what goes through the air."""
    for protocol, name, where in (("av1", "Algorithm 1", "001 §4.3"), ("av2", "Algorithm 2", "001 §5.3")):
        yield _flat_claim("host_bytes", protocol, f"{name} satisfies F1: a host keeps and does little.", where)
        yield _flat_claim("air_bytes", protocol, f"{name} satisfies F2: the overhead in the air is minimal.", where)
    yield _flat_claim(
        "air_bytes", "prs-mobile", "Causal barriers go along wires alone, not through the air.", "000 §9.3"
    )
    yield _flat_claim("host_bytes", "prs-mobile", "The memory of a host is not burdened.", "000 §9.3")
    yield _flat_claim("energy", "prs-mobile", "The limited energy of a host is conserved.", "000 §9")
    for protocol in PROTOCOLS:
        if protocol not in ("av1", "av2", "prs-mobile"):
            yield _flat_claim("host_bytes", protocol, f"Ours: {protocol} satisfies F1.", "ours", ours=True)
            yield _flat_claim("air_bytes", protocol, f"Ours: {protocol} satisfies F2.", "ours", ours=True)


def _claims_about_headers() -> Iterator[Claim]:
    """Yield the claims about F3 and F4: how headers grow with hosts, and what disconnections leave in them."""
    yield Claim(
        "av-factors-scalable-av1",
        "Algorithm 1 does not satisfy F3: its overhead grows with the hosts.",
        "001 §4.3",
        "grows",
        trend(exponent("integers", "av1"), above=1.0, words="exponent of the growth of a header over hosts"),
    )
    yield Claim(
        "av-factors-integers-av2",
        "Algorithm 2 satisfies F3: its overhead does not depend on n_h.",
        "001 §5.3",
        "exponent 0",
        within(exponent("integers", "av2"), 0.0, tolerance=FLAT, words="exponent of the growth over hosts"),
    )
    kept = {
        protocol: ratio(*(at("integers", protocol=protocol, over="away", away_s=away_s) for away_s in (AWAY_S, 0.0)))
        for protocol in ("av1", "av2", "roam")
    }
    words = "header with half of the hosts disconnected, divided by that with none"
    yield Claim(
        "av-factors-away-av1",
        "Algorithm 1 does not satisfy F4: entries of disconnected hosts stay in the arrays.",
        "001 §4.3",
        "stay",
        trend(kept["av1"], above=0.9, words=words),
    )
    yield Claim(
        "av-factors-away-av2",
        "Algorithm 2 satisfies F4: disconnections do not affect the size of the arrays.",
        "001 §5.3",
        "1",
        within(kept["av2"], 1.0, tolerance=0.1, words=words),
    )
    yield Claim(
        "av-factors-away-roam",
        "Ours: roam does not satisfy F4: what waits for disconnected hosts stays in its headers.",
        "ours",
        "larger",
        trend(kept["roam"], above=1.0, words=words),
        ours=True,
    )
    sizes = [at("matrix", protocol=one, over="hosts", hosts=20) for one in ("av1", "av2")]
    yield Claim(
        "av-factors-comparable",
        "Below 30 hosts the headers of Algorithms 1 and 2 are comparable in size (20 hosts, 10 stations).",
        "001 §5.3",
        "comparable",
        in_all({f"{name} (n_h² / n_s² = 4)": trend(ratio(*sizes), below=most) for name, most in COMPARABLE.items()}),
    )


def _chart(number: str, y_label: str, title: str, *, over: str = "hosts", y_log: bool = False) -> Chart:
    is_over_hosts = over == "hosts"
    return Chart(
        title=f"{title}, {STATIONS} stations",
        x="hosts" if is_over_hosts else "away_s",
        y=number,
        x_label="hosts, n_h" if is_over_hosts else f"time for which each of {HOSTS[0]} hosts disconnects, s",
        y_label=y_label,
        series=["protocol"],
        names=PROTOCOLS,
        where={"over": over},
        y_log=y_log,
    )


FACTORS = Experiment(
    name="av-factors",
    paper="001",
    figure="§1.1, §4.3, §5.3",
    title="What the algorithms ask of hosts, of the air and of disconnections",
    about=f"Every roaming protocol; {STATIONS} stations, {LOGICAL} logical stations in each of Algorithm 3; "
    f"t_s = {SEND_S:g} s, t_h = {MOVE_S:g} s; wires of 7 ms on average, exponential; "
    f"messages of 100 bytes to one host. Hosts that disconnect are away for {AWAY_S:g} s, and there for as long. "
    "Integers are those that are not zero.",
    grid=_points(False),
    quick=_points(True),
    measure=measure,
    charts=[
        _chart("host_bytes", "state of a host, bytes", "F1, memory of a host"),
        _chart("air_bytes", "bytes in the air for a message", "F2, air"),
        _chart("energy", "energy of all hosts for a message, bytes received", "F2, energy on the air"),
        _chart("integers", "integers of a header", "F3, header", y_log=True),
        _chart("integers", "integers of a header", "F4, header", over="away", y_log=True),
    ],
    claims=[*_claims_about_hosts(), *_claims_about_headers()],
    quick_seeds=(1, 2),
    cost=av.cost,
)
