"""Golden packets: encoded packets of every algorithm and roaming protocol, with what they decode to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from antecede import Packet, decode, encode
from antecede.core.mobile.effects import Radio
from antecede.core.snapshot import values
from tests.golden.description import describe
from tests.golden.plays import (
    LONG_NAMES,
    NAMES,
    VARIANTS,
    needs_fifo,
    open_stage,
    play,
    resign,
    restless_host,
    roam,
    roaming_names,
)

LONG_NAMED = ("ks", "rst", "ses", "vector", "serial-broadcast")
"""Algorithms whose packets are also kept with many long names, for the larger forms of sets and names."""
SEEDS = range(3)


def golden_packets() -> list[dict[str, Any]]:
    """Return the entries of `packets.json`."""
    entries = []
    for algorithm, options in VARIANTS:
        made: list[Packet] = []
        for seed in SEEDS:
            stage = open_stage(algorithm, options)
            play(stage, Random(f"packets {algorithm} {seed}"), 15, fifo=needs_fifo(algorithm, options))
            stage.call("p1", "join", "newcomer")
            made += [flight.packet for flight in [*stage.brought, *stage.flying]]
        entries += _entries(algorithm, options, NAMES, made)
    made = [flight.packet for seed in SEEDS for flight in resign(seed).brought if flight.packet.message is None]
    entries += _entries("hierarchy", {}, NAMES, made)
    for algorithm in LONG_NAMED:
        stage = play(open_stage(algorithm, {}, LONG_NAMES), Random(f"long {algorithm}"), 12, fifo=False)
        made = [flight.packet for flight in [*stage.brought, *stage.flying]]
        entries += _entries(algorithm, {}, LONG_NAMES, [max(made, key=_size)])
    for protocol in roaming_names():
        made = [packet for seed in range(24) for packet in _with_inner(roam(protocol, seed).packets)]
        entries += _entries(protocol, {}, ("h1", "h2", "h3", "h4", "s1", "s2", "s3"), made)
    made = [effect.packet for effect in restless_host().enter("s3") if isinstance(effect, Radio)]
    return entries + _entries("roam", {}, ("h1", "s1", "s2", "s3"), made)


def _entries(
    algorithm: str, options: dict[str, Any], roster: tuple[str, ...], packets: Iterable[Packet]
) -> list[dict[str, Any]]:
    """Return the shortest and the longest packet of each kind, a kind being its stamp and whether it has a message."""
    kinds: dict[tuple[Any, ...], list[Packet]] = {}
    for packet in packets:
        kinds.setdefault(_kind(packet), []).append(packet)
    chosen = [packet for kind in sorted(kinds, key=str) for packet in _ends(kinds[kind])]
    return [
        {
            "algorithm": algorithm,
            "options": options,
            "packet": describe(packet),
            "encoded": encode(packet).hex(),
            "roster": list(roster),
            "encoded with the roster": encode(packet, roster).hex(),
            "stored": values.dumps(packet).hex(),
        }
        for packet in chosen
    ]


def _kind(packet: Packet) -> tuple[Any, ...]:
    """Return whether `packet` has a message, and the stored names of its stamp and of the stamps inside that."""
    stamps: list[str] = []
    stamp: Any = packet.stamp
    while stamp is not None:
        stamps.append(values.NAMES[type(stamp)])
        stamp = getattr(stamp, "inner", None) or getattr(stamp, "stamp", None)
    return packet.message is None, *stamps


def _with_inner(packets: Iterable[Packet]) -> Iterator[Packet]:
    """Yield the packets, and those that stations send each other as payloads of a causal layer."""
    for packet in packets:
        yield packet
        if packet.message is not None and packet.message.sender.startswith("s"):
            yield decode(packet.message.payload)


def _ends(packets: list[Packet]) -> list[Packet]:
    shortest, longest = min(packets, key=_size), max(packets, key=_size)
    return [shortest] if shortest == longest else [shortest, longest]


def _size(packet: Packet) -> int:
    return len(encode(packet))
