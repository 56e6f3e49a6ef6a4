"""The measurements of the core: every algorithm, the peer, and the targets.

Rates are ratios to take seriously only within one run; bytes are exact. "alone" is a packet that explains itself;
"roster" is one between processes that share the list of names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from time import perf_counter, process_time

import antecede
from antecede import Transmit
from antecede.fast import accelerate
from bench import table
from bench.core import collabs
from bench.core.drive import Driven, drive
from bench.core.traffic import broadcast_schedule

MESSAGES = {8: 1500, 32: 500, 100: 300}
PEER_MESSAGES = {8: 4000, 32: 2000, 100: 1000}
PASSES = 3
RST_BYTES_PER_INTEGER = 4
BACKLOG = 10_000


def main() -> None:
    results = {
        "algorithms": [asdict(row) | {"deliveries_per_second": row.deliveries_per_second} for row in _algorithms()],
        "peer": [_beside_the_peer(n) for n in PEER_MESSAGES],
        "ks at 40": _ks_at_40(),
        "backlog": _backlog(),
    }
    print(f"\nkept in {table.keep('core', results)}")


def _algorithms() -> list[Driven]:
    rows = []
    for n, messages in MESSAGES.items():
        for name, info in antecede.algorithms().items():
            kinds = {"broadcast": ("broadcast",), "unicast": ("subsets",)}.get(
                info.addressing, ("broadcast", "subsets")
            )
            rows += [drive(name, n, kind, messages) for kind in kinds]
    table.show(
        "Every algorithm (propagation equal to the time between messages; broadcast-only ones have no subsets)",
        ("algorithm", "N", "traffic", "deliveries/s", "sends/s", "entries", "bytes, roster", "bytes, alone", "control"),
        [
            (r.algorithm, r.n, r.traffic, r.deliveries_per_second, r.sends_per_second, r.entries_mean,
             r.bytes_roster_mean, r.bytes_alone_mean, r.control_packets)
            for r in rows
        ],
    )  # fmt: skip
    return rows


def _beside_the_peer(n: int) -> dict[str, object]:
    """The same schedule through `prs-broadcast` and through Collabs: bytes, and receives with their decoding.

    Ours twice: packet by packet, which is Python, and compiled, where a process takes what has come since it last
    sent. What it knows when it sends is the same in both, so all three see the same traffic.
    """
    schedule = broadcast_schedule(n, PEER_MESSAGES[n], 1)
    ours = [_play(n, schedule) for _ in range(PASSES)]
    _play_fast(n, broadcast_schedule(n, 20, 1))  # until it is compiled
    fast = max(_play_fast(n, schedule) for _ in range(PASSES))
    peer = collabs.measure(n, schedule, payload_bytes=0, passes=PASSES)
    rate, size, alone = max(o[0] for o in ours), ours[0][1], ours[0][2]
    row: dict[str, object] = {
        "n": n, "ours_per_second": rate, "ours_fast_per_second": fast, "ours_bytes": size, "ours_bytes_alone": alone,
    }  # fmt: skip
    if peer is not None:
        row |= {
            "peer": asdict(peer),
            "bytes_ratio": size / peer.bytes_mean,
            "rate_ratio": rate / peer.deliveries_per_second,
            "fast_rate_ratio": fast / peer.deliveries_per_second,
        }
        table.show(
            f"prs-broadcast beside Collabs {peer.version} on Node {peer.node}, N = {n}, empty broadcasts",
            ("", "deliveries/s", "ratio", "bytes, roster", "ratio", "bytes, alone", "ratio"),
            [
                ("Collabs", peer.deliveries_per_second, None, None, None, peer.bytes_mean, None),
                ("prs-broadcast, antecede.fast", fast, fast / peer.deliveries_per_second, size, size / peer.bytes_mean,
                 alone, alone / peer.bytes_mean),
                ("prs-broadcast, one by one", rate, rate / peer.deliveries_per_second, None, None, None, None),
                ("target", None, ">= 1", None, "<= 0.5", None, None),
            ],
        )  # fmt: skip
    return row


def _play(n: int, schedule: Sequence[tuple[object, ...]]) -> tuple[float, float, float]:
    names = [f"p{number}" for number in range(n)]
    nodes = [antecede.create("prs-broadcast", process=name, processes=names) for name in names]
    codec, alone = antecede.Codec(names), antecede.Codec()
    wire: list[bytes] = []
    seconds, deliveries, size_alone = 0.0, 0, 0
    for step in schedule:
        at = step[1]
        assert isinstance(at, int)
        if step[0] == "send":
            effect = nodes[at].send(set(names) - {names[at]}, b"")[1]
            assert isinstance(effect, Transmit)
            wire.append(codec.encode(effect.packet))
            size_alone += len(alone.encode(effect.packet))
        else:
            which = step[2]
            assert isinstance(which, int)
            start = perf_counter()
            deliveries += len(nodes[at].receive(codec.decode(wire[which])))
            seconds += perf_counter() - start
    assert deliveries == len(wire) * (n - 1)
    return deliveries / seconds, sum(map(len, wire)) / len(wire), size_alone / len(wire)


def _play_fast(n: int, schedule: Sequence[tuple[object, ...]]) -> float:
    names = [f"p{number}" for number in range(n)]
    codec = antecede.Codec(names)
    nodes = [accelerate(antecede.create("prs-broadcast", process=name, processes=names), codec) for name in names]
    wire: list[bytes] = []
    inbox: list[list[bytes]] = [[] for _ in names]
    seconds, deliveries, sent = 0.0, 0, 0
    for step in [*schedule, *(("end", at) for at in range(n))]:
        at = step[1]
        assert isinstance(at, int)
        if step[0] == "receive":
            which = step[2]
            assert isinstance(which, int)
            inbox[at].append(wire[which])
            sent += 1
            continue
        start = perf_counter()
        effects, refused = nodes[at].receive_all(inbox[at])
        seconds += perf_counter() - start
        deliveries += len(effects)
        inbox[at] = []
        assert not refused
        if step[0] == "send":
            effect = nodes[at].send(set(names) - {names[at]}, b"")[1]
            assert isinstance(effect, Transmit)
            wire.append(codec.encode(effect.packet))
    assert deliveries == sent
    return deliveries / seconds


def _ks_at_40() -> dict[str, object]:
    rows = {name: drive(name, 40, "subsets", 800) for name in ("ks", "prs", "rst", "ses")}
    full = 40 * 40 * RST_BYTES_PER_INTEGER
    table.show(
        f"Random subsets, N = 40: against the full matrix of rst in 4-byte integers, {full} bytes",
        ("algorithm", "deliveries/s", "bytes, roster", "of the matrix", "bytes, alone", "of the matrix"),
        [
            (name, r.deliveries_per_second, r.bytes_roster_mean, r.bytes_roster_mean / full, r.bytes_alone_mean,
             r.bytes_alone_mean / full)
            for name, r in rows.items()
        ],
    )  # fmt: skip
    return {name: asdict(row) | {"of_the_matrix": row.bytes_roster_mean / full} for name, row in rows.items()}


def _backlog() -> dict[str, object]:
    """One sender, one receiver, `BACKLOG` packets, in order and in reverse: the cost of a packet."""
    rows = {}
    for name in ("ks", "prs", "rst", "ses", "vector", "prs-broadcast"):
        forward, reverse = (min(_backlog_seconds(name, turned) for _ in range(PASSES)) for turned in (False, True))
        rows[name] = {
            "in_order_us": forward / BACKLOG * 1e6,
            "reverse_us": reverse / BACKLOG * 1e6,
            "ratio": reverse / forward,
        }
    table.show(
        f"A backlog of {BACKLOG:,} packets: microseconds a packet (target: reverse at most 3 times in order)",
        ("algorithm", "in order", "in reverse", "ratio"),
        [(name, row["in_order_us"], row["reverse_us"], row["ratio"]) for name, row in rows.items()],
    )
    return dict(rows)


def _backlog_seconds(algorithm: str, turned: bool) -> float:
    sender, receiver = (antecede.create(algorithm, process=name, processes=["a", "b"]) for name in "ab")
    packets = [e.packet for _ in range(BACKLOG) for e in sender.send({"b"}, b"") if isinstance(e, Transmit)]
    if turned:
        packets.reverse()
    start = process_time()
    delivered = sum(len(receiver.receive(packet)) for packet in packets)
    seconds = process_time() - start
    assert delivered == BACKLOG
    return seconds
