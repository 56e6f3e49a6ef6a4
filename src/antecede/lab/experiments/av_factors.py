"""Declare what 001 and 000 say about the factors that matter to mobile hosts, beyond Table 1.

001 §1.1 names four: F1, "the amount of computation performed by a mobile host should be low"; F2, little in the air;
F3, many hosts; F4, hosts that disconnect. All four are measured of every roaming protocol. §4.3 and §5.3 say which
algorithm satisfies which. 000 §9.3 says that stations do the computation, that barriers go along wires alone, and that
the memory of a host is not burdened.

The computation of a host is counted in steps (`sim.mobile.host_work`), its memory is the size of its state, and the air
is measured by the bytes that a message takes there, with all that is sent for it. 000 §9 also says that the energy of a
host is conserved: it is counted as bytes received, and a byte that is sent costs as much as two. §1.1 says what hosts
would do without all this: "execute the traditional causal ordering algorithms". So hosts that run RST themselves, which
is what stations run for them in Algorithm 1, are measured beside the protocols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import log

from antecede.core.algorithm import Algorithm
from antecede.core.effects import Effect, Transmit
from antecede.core.mobile.protocols import protocols
from antecede.core.registry import create
from antecede.core.types import GroupId, Packet, ProcessId
from antecede.lab.claims import Judge, Values, at, in_all, ratio, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.experiments import av
from antecede.lab.experiments.av_table1 import ends
from antecede.lab.results import Results
from antecede.sim import Parameters
from antecede.sim.mobile import MobileWorld
from antecede.sim.mobile.host_work import HostWork
from antecede.sim.world import World

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
AT_HOSTS = "rst"
"""The algorithm of hosts that order messages themselves: the traditional one of 001 §3."""
ALL_PROTOCOLS = {**PROTOCOLS, AT_HOSTS: ""}
WHO_RUNS_RST = {**dict.fromkeys(PROTOCOLS, ""), "av1": "stations run RST: Algorithm 1", AT_HOSTS: "hosts run RST"}
STEPS_LABEL = "steps for a send or a delivery"
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
    return found + [{**_point(AT_HOSTS, count, per_host), "over": "hosts", "away_s": 0.0} for count in hosts]


def _point(protocol: str, hosts: int, per_host: int) -> Point:
    return av.make_point(
        protocol,
        hosts=hosts,
        stations=STATIONS,
        k=LOGICAL if protocol == "av3" else 1,
        send_s=SEND_S,
        move_s=MOVE_S,
        wires="exponential",
        warmup=2 * hosts**2 if protocol in ("av1", AT_HOSTS) else 20 * hosts,
        deliveries=per_host * hosts,
    )


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed. Only integers that are not zero are counted; `matrix` counts the zeros too.

    The steps are those of a host for each message that it sends or delivers. The energy is what all hosts spend on the
    air, for each message.
    """
    if point["protocol"] == AT_HOSTS:
        return _measure_at_hosts(point, seed)
    stations = int(point["stations"])
    sides = {"av1": int(point["hosts"]), "av2": stations, "av3": stations * int(point["k"])}
    across = sides.get(str(point["protocol"]))
    world = MobileWorld(av.parameters(point, seed, full=False))
    found = world.run()
    return {
        **av.read_numbers(point, world, found),
        "matrix": None if across is None else float(across**2),
        "energy": found.host_energy_mean * int(point["hosts"]) / found.messages,
        "host_steps": found.host_steps_mean,
    }


class OrderingHost:
    """A host that runs the ordering algorithm itself, with its steps counted as those of a host that does not."""

    def __init__(self, algorithm: Algorithm, work: HostWork) -> None:
        self.algorithm, self.work = algorithm, work

    def send(self, dests: ProcessId | GroupId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        """Send a message."""
        self.work.count_input()
        return self._count_sent(self.algorithm.send(dests, payload))

    def receive(self, packet: Packet) -> list[Effect]:
        """Take a packet in."""
        self.work.count_packet(packet)
        return self._count_sent(self.algorithm.receive(packet))

    def _count_sent(self, effects: list[Effect]) -> list[Effect]:
        for effect in effects:
            if isinstance(effect, Transmit):
                self.work.count_packet(effect.packet)
        return effects


def _measure_at_hosts(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate hosts that run RST themselves and send to each other, and return their steps and memory."""
    like, work = av.parameters({**point, "protocol": "av1"}, seed), HostWork()
    parameters = Parameters(
        algorithm=AT_HOSTS,
        processes=like.hosts,
        seed=seed,
        messages=None,
        warmup=like.warmup,
        deliveries=like.deliveries,
        workload=like.workload,
        network=like.wires,
    )
    names = parameters.names
    hosts = {name: OrderingHost(create(AT_HOSTS, process=name, processes=names), work) for name in names}
    found = World(parameters, stand_ins=hosts).run()
    return {
        "host_steps": work.steps / (found.messages + found.deliveries),
        "host_bytes": sum(len(host.algorithm.snapshot()) for host in hosts.values()) / len(hosts),
    }


def exponent(number: str, protocol: str) -> Values:
    """Return a function that computes how a number grows with the number of hosts, seed by seed."""

    def values(results: Results) -> Sequence[float]:
        by_size, small, large = ends(results, number, protocol, "hosts")
        return [log(two / one) / log(large / small) for one, two in zip(by_size[small], by_size[large], strict=True)]

    return values


def _flat_claim(number: str, protocol: str, says: str, where: str, *, ours: bool = False) -> Claim:
    """Return the claim that a host or the air is spared.

    The paper has no number: here the exponent of the growth with hosts must be below `FLAT`.
    """
    return Claim(
        f"av-factors-{number.replace('_', '-')}-{protocol}",
        says,
        where,
        "little",
        trend(exponent(number, protocol), below=FLAT, words=f"exponent of the growth over hosts; little: below {FLAT}"),
        ours=ours,
    )


def _claims_about_hosts() -> Iterator[Claim]:
    """Yield the claims about F1 and F2: what a host computes and keeps, and what goes through the air."""
    for protocol, name, where in (("av1", "Algorithm 1", "001 §4.3"), ("av2", "Algorithm 2", "001 §1.1")):
        yield _flat_claim("host_steps", protocol, f"{name} satisfies F1: a host computes little.", where)
        yield _flat_claim("air_bytes", protocol, f"{name} satisfies F2: the overhead in the air is minimal.", where)
    yield _flat_claim("host_bytes", "av1", "The arrays of a host are stored in its station.", "001 §4.1")
    yield _flat_claim("host_bytes", "av2", "Stations keep arrays, and hosts do not.", "001 §5.1")
    yield Claim(
        f"av-factors-host-steps-{AT_HOSTS}",
        "If hosts execute the traditional algorithm, F1 is not satisfied.",
        "001 §1.1",
        "grows",
        trend(exponent("host_steps", AT_HOSTS), above=1.0, words="exponent of the growth over hosts"),
    )
    yield _flat_claim("host_steps", "prs-mobile", "Stations do the computation, and not hosts.", "000 §9.3")
    yield _flat_claim(
        "air_bytes", "prs-mobile", "Causal barriers go along wires alone, not through the air.", "000 §9.3"
    )
    yield _flat_claim("host_bytes", "prs-mobile", "The memory of a host is not burdened.", "000 §9.3")
    yield _flat_claim("energy", "prs-mobile", "The limited energy of a host is conserved.", "000 §9")
    for protocol in PROTOCOLS:
        if protocol not in ("av1", "av2", "prs-mobile"):
            yield _flat_claim("host_steps", protocol, f"Ours: {protocol} satisfies F1.", "ours", ours=True)
            yield _flat_claim("air_bytes", protocol, f"Ours: {protocol} satisfies F2.", "ours", ours=True)
            yield _flat_claim("host_bytes", protocol, f"Ours: {protocol} keeps little in hosts.", "ours", ours=True)


def _claims_about_headers() -> Iterator[Claim]:
    """Yield the claims about F3, and about how headers compare: how headers grow with hosts."""
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
    for protocol, satisfies in {"av2-ks": False, "av3": True, "prs-mobile": False, "roam": False}.items():
        says = "satisfies F3: its headers do not grow with the hosts" if satisfies else "does not satisfy F3"
        bound = {"below": FLAT} if satisfies else {"above": FLAT}
        yield Claim(
            f"av-factors-scalable-{protocol}",
            f"Ours: {protocol} {says}.",
            "ours",
            "does not grow" if satisfies else "grows",
            trend(exponent("integers", protocol), **bound, words="exponent of the growth of a header over hosts"),
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


def _away_claim(protocol: str, says: str, judge: Callable[[Values], Judge], stated: str) -> Claim:
    """Return a claim about F4: what becomes of headers if half of the hosts are disconnected."""
    ours = says.startswith("Ours")
    where = "ours" if ours else {"av1": "001 §4.3", "av2": "001 §5.3"}[protocol]
    away, there = (at("integers", protocol=protocol, over="away", away_s=away_s) for away_s in (AWAY_S, 0.0))
    return Claim(f"av-factors-away-{protocol}", says, where, stated, judge(ratio(away, there)), ours=ours)


def _claims_about_disconnections() -> Iterator[Claim]:
    """Yield the claims about F4, of every protocol."""
    words = "header with half of the hosts disconnected, divided by that with none"
    stay = partial(trend, above=0.9, words=words)
    same = partial(within, low=1.0, tolerance=FLAT, words=words)
    not_larger = partial(trend, below=1.0 + FLAT, words=words)
    larger = partial(trend, above=1.0, words=words)
    not_satisfied = "Ours: {} does not satisfy F4: what waits for disconnected hosts stays in its headers."
    satisfied = "Ours: {} satisfies F4: disconnections do not make its headers larger."
    says = "Algorithm 1 does not satisfy F4: entries of disconnected hosts stay in the arrays."
    yield _away_claim("av1", says, stay, "stay")
    yield _away_claim(
        "av2", "Algorithm 2 satisfies F4: disconnections do not affect the size of the arrays.", same, "1"
    )
    for protocol in PROTOCOLS:
        if protocol in ("roam", "av2-ks"):
            yield _away_claim(protocol, not_satisfied.format(protocol), larger, "larger")
        elif protocol not in ("av1", "av2"):
            yield _away_claim(protocol, satisfied.format(protocol), not_larger, "not larger")


def _chart(
    number: str,
    y_label: str,
    title: str,
    *,
    over: str = "hosts",
    y_log: bool = False,
    names: Mapping[str, str] = ALL_PROTOCOLS,
) -> Chart:
    is_over_hosts = over == "hosts"
    return Chart(
        title=f"{title}, {STATIONS} stations",
        x="hosts" if is_over_hosts else "away_s",
        y=number,
        x_label="hosts, n_h" if is_over_hosts else "time for which every host disconnects, s",
        y_label=y_label,
        series=["protocol"],
        names=names,
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
    f"messages of 100 bytes to one host. Hosts that disconnect are away for {AWAY_S:g} s, and there for as long; "
    "they are as many as in the smallest world without disconnections. "
    "Integers are those that are not zero. A step of a host is an input that it takes, a packet that it sends, an "
    "entry of a stamp that it reads or writes, or a comparison with a message that it keeps. Beside the protocols are "
    "hosts without stations that run the algorithm of Raynal, Schiper and Toueg themselves.",
    grid=_points(False),
    quick=_points(True),
    measure=measure,
    charts=[
        _chart("host_steps", STEPS_LABEL, "F1, computation of a host"),
        _chart("host_steps", STEPS_LABEL, "F1, and without stations", y_log=True, names=WHO_RUNS_RST),
        _chart("host_bytes", "state of a host, bytes", "Memory of a host"),
        _chart("air_bytes", "bytes in the air for a message", "F2, air"),
        _chart("energy", "energy of all hosts for a message, bytes received", "F2, energy on the air"),
        _chart("integers", "integers of a header", "F3, header", y_log=True),
        _chart("integers", "integers of a header", "F4, header", over="away", y_log=True),
    ],
    claims=[*_claims_about_hosts(), *_claims_about_headers(), *_claims_about_disconnections()],
    quick_seeds=(1, 2),
    cost=av.cost,
)
