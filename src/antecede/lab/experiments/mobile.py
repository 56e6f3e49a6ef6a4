"""Compare `roam`, which is ours, with the five published protocols, over how often hosts move and over how many there
are.

Stations and hosts work as ours really do: headers have our wire form, and hosts are found without a directory. Wires
take 7 ms on average, exponentially, so that they reorder. Messages go to one to three hosts.
"""

from __future__ import annotations

from collections.abc import Sequence

from antecede.lab.claims import Values, at, difference, ratio, trend, within
from antecede.lab.experiment import Chart, Claim, Experiment, Point
from antecede.lab.experiments.av import in_ms
from antecede.sim import Distribution, MobileParameters, Mobility, Network, Workload, simulate_mobile

PROTOCOLS = ("roam", "av1", "av2", "av2-ks", "av3", "prs-mobile")
TOLD = "roam, told"
NAMES = {"av3": "av3, k = 2", TOLD: "roam, told where hosts are"}
MOVES, HOSTS = (0.01, 0.1, 0.3, 1.0), (10, 20, 40, 80)
HOSTS_USUAL, MOVES_USUAL = 30, 0.1
SEND_S = 0.2


def make_point(
    protocol: str, over: str, *, hosts: int = HOSTS_USUAL, moves: float = MOVES_USUAL, idle: int = 0, n: int
) -> Point:
    """Return a point of the grid."""
    return {"protocol": protocol, "over": over, "hosts": hosts, "moves": moves, "idle": idle, "deliveries": n}


def _points(quick: bool) -> Sequence[Point]:
    moves, hosts, n = ((0.01, 0.3), (10, 40), 150) if quick else (MOVES, HOSTS, 1_000)
    return [
        *(make_point(protocol, "moves", moves=one, n=n) for protocol in PROTOCOLS for one in moves),
        *(make_point(protocol, "hosts", hosts=one, n=n) for protocol in PROTOCOLS for one in hosts),
        *(make_point(TOLD, "moves", moves=one, n=n) for one in moves),
        *(make_point("roam", "idle", hosts=HOSTS_USUAL + idle, idle=idle, n=n) for idle in (0, 60)),
    ]


def measure(point: Point, seed: int) -> dict[str, float | None]:
    """Simulate one point with one seed and return its measurements."""
    deliveries = int(point["deliveries"])
    found = simulate_mobile(
        MobileParameters(
            protocol="roam" if point["protocol"] == TOLD else str(point["protocol"]),
            directory=point["protocol"] == TOLD,
            hosts=int(point["hosts"]),
            idle=int(point["idle"]),
            seed=seed,
            messages=None,
            warmup=deliveries,
            deliveries=deliveries,
            wires=Network(Distribution("exponential", 0.007), bandwidth_bytes_per_s=100e6 / 8),
            mobility=Mobility(Distribution(mean_s=SEND_S / float(point["moves"]))),
            workload=Workload(Distribution(mean_s=SEND_S), dests=(1, 3), payload_bytes=100),
            oracle=True,
        )
    )
    return {
        "header_bytes": found.header_bytes_mean,
        "entries": found.entries_mean,
        "wire_packets": found.packets_per_message,
        "extra_packets": found.extra_per_message,
        "handoff_messages": found.handoff_messages,
        "handoff_kilobytes": None if found.handoff_bytes is None else found.handoff_bytes / 1000,
        "handoff_ms": in_ms(found.handoff_mean_s),
        "delay_ms": in_ms(found.delay_mean_s),
        "needless_percent": None if found.needless_share is None else 100 * found.needless_share,
        "violations": found.violations,
    }


def _comparison_claim(number: str, other: str, over: str, what: str, unit: str) -> Claim:
    """Return our claim that a number of `roam` is less than that of another protocol."""
    place: Point = {"over": over, "hosts": 40} if over == "hosts" else {"over": over, "moves": 0.3}
    ours = TOLD if number == "delay_ms" else "roam"
    values: Values = ratio(at(number, protocol=ours, **place), at(number, protocol=other, **place))
    return Claim(
        f"mobile-{number.replace('_', '-')}-{other}-{over}",
        f"Ours: {what} of roam is less than that of {other}.",
        "ours",
        "less",
        trend(values, below=1.0, words=f"{unit} of roam, as a part of that of {other}"),
        ours=True,
    )


CLAIMS = (
    *(
        _comparison_claim("header_bytes", other, "hosts", "the header, with 40 hosts,", "header")
        for other in PROTOCOLS
        if other != "roam"
    ),
    *(
        _comparison_claim("handoff_messages", other, "moves", "the number of messages of a hand-off", "messages")
        for other in ("av2", "av2-ks", "av3")
    ),
    *(
        _comparison_claim(
            "delay_ms",
            other,
            "moves",
            "the delay, with 0.3 moves a message and stations that are told where hosts are,",
            "delay",
        )
        for other in ("av2", "av2-ks", "av3", "prs-mobile")
    ),
    Claim(
        "mobile-needless-roam",
        "Ours: roam never holds a message back without need.",
        "ours",
        "0 %",
        within(at("needless_percent", protocol="roam", over="moves", moves=0.3), 0.0, words="% that wait needlessly"),
        ours=True,
    ),
    Claim(
        "mobile-idle-roam",
        "Ours: the header of roam does not depend on the number of silent hosts.",
        "ours",
        "no change",
        within(
            difference(
                at("entries", protocol="roam", over="idle", idle=60),
                at("entries", protocol="roam", over="idle", idle=0),
            ),
            0.0,
            tolerance=1.0,
            words="entries with 60 more hosts that neither send nor are sent to, less those without",
        ),
        ours=True,
    ),
)


def _chart(over: str, number: str, label: str) -> Chart:
    return Chart(
        title="10 stations, 0.1 moves a message" if over == "hosts" else f"10 stations, {HOSTS_USUAL} hosts",
        x=over,
        y=number,
        x_label="hosts" if over == "hosts" else "moves of a host for each message it sends",
        y_label=label,
        series=["protocol"],
        names={**NAMES, ("av2-ks" if number == "delay_ms" else TOLD): ""},
        where={"over": over},
        dashed=[NAMES[TOLD]],
        x_log=over == "moves",
        y_log=number in ("header_bytes", "handoff_messages", "handoff_kilobytes"),
    )


LABELS = {
    "header_bytes": "header of a message, bytes",
    "handoff_messages": "packets for a hand-off",
    "handoff_kilobytes": "for a hand-off, thousand bytes",
    "delay_ms": "mean message delay, ms",
    "needless_percent": "deliveries that waited needlessly, %",
}
DRAWN = (
    ("hosts", "header_bytes"),
    ("hosts", "handoff_kilobytes"),
    ("hosts", "needless_percent"),
    ("moves", "handoff_messages"),
    ("moves", "delay_ms"),
    ("moves", "needless_percent"),
)

MOBILE = Experiment(
    name="mobile",
    paper="ours",
    figure="beside 000 and 001",
    title="roam beside the published protocols",
    about="10 stations; a message of 100 bytes every 0.2 s from each host to 1 to 3 others; wires of 7 ms on average, "
    "exponential, and 100 Mbit/s; air of 500 µs and 1 Mbit/s; our wire form; no directory.",
    grid=_points(False),
    quick=_points(True),
    measure=measure,
    charts=[_chart(over, number, LABELS[number]) for over, number in DRAWN],
    claims=CLAIMS,
    tried="The header of av2 and av2-ks grows with stations, not with hosts: with ten stations and enough hosts it is "
    "as small as that of roam, or smaller. They pay with a message to every station at each hand-off and with messages "
    "held back for nothing. Without a directory, roam and av1 learn where a host has gone from the messages that miss "
    "it, and these take a wire more; av2, av2-ks and av3 tell all stations at every hand-off, and prs-mobile sends "
    "everything everywhere. The dashed line is roam with stations that are told for nothing: what order itself costs "
    "it in time.",
    cost=lambda point: float(point["deliveries"]) * (0.5 + float(point["moves"])) * (1 + float(point["hosts"]) / 30),
)
