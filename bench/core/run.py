"""The measurements of the core: every algorithm, the peer, and the targets.

Rates are ratios to take seriously only within one run; bytes are exact. "alone" is a packet that explains itself;
"roster" is one between processes that share the list of names.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
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

    Ours in three ways: packet by packet, which is Python; compiled, a packet a call; and compiled, where a process
    takes what has come since it last sent in one call. What it knows when it sends is the same, so all see the same
    traffic.
    """
    schedule = broadcast_schedule(n, PEER_MESSAGES[n], 1)
    _verify_fast(n, broadcast_schedule(n, PEER_MESSAGES[n] // 10, 2))  # and it is compiled from then on
    gc.collect()
    gc.freeze()  # the schedule is the measurement's: its objects are not for the garbage collector to look through
    ours = [_play(n, schedule) for _ in range(PASSES)]
    single, fast = (max(_play_fast(n, schedule, at_once=at_once) for _ in range(PASSES)) for at_once in (False, True))
    peer = collabs.measure(n, schedule, payload_bytes=0, passes=PASSES)
    rate, size, alone = max(o[0] for o in ours), ours[0][1], ours[0][2]
    row: dict[str, object] = {
        "n": n, "ours_per_second": rate, "ours_fast_per_second": fast, "ours_fast_single_per_second": single,
        "ours_bytes": size, "ours_bytes_alone": alone,
    }  # fmt: skip
    if peer is not None:
        other = peer.deliveries_per_second
        row |= {
            "peer": asdict(peer),
            "bytes_ratio": size / peer.bytes_mean,
            "rate_ratio": rate / other,
            "fast_rate_ratio": fast / other,
        }
        table.show(
            f"prs-broadcast beside Collabs {peer.version} on Node {peer.node}, N = {n}, empty broadcasts",
            ("", "deliveries/s", "ratio", "bytes, roster", "ratio", "bytes, alone", "ratio"),
            [
                ("Collabs", other, None, None, None, peer.bytes_mean, None),
                ("antecede.fast, what has come since the last send", fast, fast / other, size, size / peer.bytes_mean,
                 alone, alone / peer.bytes_mean),
                ("antecede.fast, a packet a call", single, single / other, None, None, None, None),
                ("Python, a packet a call", rate, rate / other, None, None, None, None),
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


def _play_fast(n: int, schedule: Sequence[tuple[object, ...]], *, at_once: bool) -> float:
    names = [f"p{number}" for number in range(n)]
    codec = antecede.Codec(names)
    nodes = [accelerate(antecede.create("prs-broadcast", process=name, processes=names), codec) for name in names]
    wire: list[bytes] = []
    seconds, deliveries = 0.0, 0
    for at, arrived, sends in _turns(n, schedule):
        packets = [wire[which] for which in arrived]
        for batch in [packets] if at_once else [[packet] for packet in packets]:
            start = perf_counter()
            effects, refused = nodes[at].receive_all(batch)
            seconds += perf_counter() - start
            deliveries += len(effects)
            assert not refused
        if sends:
            effect = nodes[at].send(set(names) - {names[at]}, b"")[1]
            assert isinstance(effect, Transmit)
            wire.append(codec.encode(effect.packet))
    assert deliveries == len(wire) * (n - 1)
    return deliveries / seconds


def _verify_fast(n: int, schedule: Sequence[tuple[object, ...]]) -> None:
    """Unclocked: what is compiled sends, delivers and holds back what the core does."""
    names = [f"p{number}" for number in range(n)]
    codec = antecede.Codec(names)
    nodes = [antecede.create("prs-broadcast", process=name, processes=names) for name in names]
    twins = [accelerate(antecede.create("prs-broadcast", process=name, processes=names), codec) for name in names]
    wire: list[bytes] = []
    for at, arrived, sends in _turns(n, schedule):
        packets = [wire[which] for which in arrived]
        expected = [effect for packet in packets for effect in nodes[at].receive(codec.decode(packet))]
        assert twins[at].receive_all(packets) == (expected, [])
        assert twins[at].pending() == nodes[at].pending()
        if sends:
            effects = nodes[at].send(set(names) - {names[at]}, b"")
            assert twins[at].send(set(names) - {names[at]}, b"") == effects
            assert isinstance(effects[1], Transmit)
            wire.append(codec.encode(effects[1].packet))


def _turns(n: int, schedule: Sequence[tuple[object, ...]]) -> Iterator[tuple[int, list[int], bool]]:
    """A process, what has come to it since its last turn, and whether it then sends; at last everybody's rest."""
    arrived: list[list[int]] = [[] for _ in range(n)]
    for kind, at, *which in schedule:
        assert isinstance(at, int)
        if kind == "send":
            yield at, arrived[at], True
            arrived[at] = []
        else:
            arrived[at] += [number for number in which if isinstance(number, int)]
    yield from ((at, rest, False) for at, rest in enumerate(arrived))


def _ks_at_40() -> dict[str, object]:
    rows = {name: drive(name, 40, "subsets", 800) for name in ("ks", "prs", "rst", "ses")}
    rst = rows["rst"]
    table.show(
        "Random subsets, N = 40: empty messages, each packet against that of rst for the same message",
        ("algorithm", "deliveries/s", "bytes, roster", "of rst", "bytes, alone", "of rst"),
        [
            (name, r.deliveries_per_second, r.bytes_roster_mean, r.bytes_roster_mean / rst.bytes_roster_mean,
             r.bytes_alone_mean, r.bytes_alone_mean / rst.bytes_alone_mean)
            for name, r in rows.items()
        ],
    )  # fmt: skip
    return {name: asdict(row) | {"of_rst": row.bytes_roster_mean / rst.bytes_roster_mean} for name, row in rows.items()}


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
    gc.collect()
    gc.freeze()  # what is still to come, and what was measured before, is not for the garbage collector to look through
    start = process_time()
    delivered = sum(len(receiver.receive(packet)) for packet in packets)
    seconds = process_time() - start
    assert delivered == BACKLOG
    return seconds
