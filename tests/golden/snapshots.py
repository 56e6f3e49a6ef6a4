"""Golden snapshots: processes, stations and hosts in the middle of something, and what they do next.

Each entry has a snapshot, what is held back in it, and the calls that came next with their effects. A state that was
restored from the snapshot has to do the same.
"""

from __future__ import annotations

from random import Random
from typing import Any

import antecede
from antecede import AntecedeError, Packet, encode
from antecede.core.errors import Misuse
from antecede.core.mobile.luggage import Terms
from antecede.core.mobile.protocols import restore as restore_roaming
from antecede.core.mobile.protocols import station
from antecede.core.mobile.station import Station
from tests.golden.description import summarise
from tests.golden.plays import VARIANTS, Call, needs_fifo, open_stage, play, resign, restless_host, roam, roaming_names
from tests.stage import Stage, destinations

SEEDS = range(12)
CALLS_MAX = 10

Entry = dict[str, Any]


def golden_snapshots() -> list[Entry]:
    """Return the entries of `snapshots.json`: every ordering algorithm in several states."""
    entries = [entry for algorithm, options in VARIANTS for entry in _states(algorithm, options)]
    return entries + [entry for seed in (0, 3, 5) for entry in _succession(resign(seed))]


def golden_roaming_snapshots() -> list[Entry]:
    """Return the entries of `roaming-snapshots.json`: stations and hosts of every roaming protocol."""
    homes = {"h1": "s2", "s1": "s1", "s2": "s2"}
    sending = station("av3", name="s1", stations=["s1", "s2"], homes=homes, logical=2)
    return [
        *(entry for protocol in roaming_names() for entry in _roaming_states(protocol)),
        _entry("host", "restless", restless_host().snapshot(), [("enter", ("s3",)), ("tick", (9.0,))]),
        _entry("station", "av3, which sends itself", sending.snapshot(), [("send", ({"h1", "s1"}, b"hello"))]),
    ]


def apply(machine: Any, call: str, arguments: list[Any]) -> list[list[Any]]:
    """Call `machine` with arguments as a golden file has them, and return the summary of the effects."""
    given = [_argument(argument) for argument in arguments]
    try:
        effects = getattr(machine, call)(*given)
    except AntecedeError:
        return [["refused"]]
    return summarise(effects or [])


def held_back(machine: Any) -> list[Any]:
    """Return which messages the machine holds back, or has not sent yet."""
    if hasattr(machine, "pending"):
        return [str(held.message.id) for held in machine.pending()]
    if hasattr(machine, "held"):
        return [[held.host, str(held.message)] for held in machine.held()]
    return [str(packet.message.id) for packet in machine.unsent.values()]


def _argument(argument: Any) -> Any:
    if isinstance(argument, dict):
        data = bytes.fromhex(argument["hex"])
        return antecede.decode(data) if argument["is"] == "packet" else data
    return argument


def _as_json(argument: Any) -> Any:
    if isinstance(argument, Packet):
        return {"is": "packet", "hex": encode(argument).hex()}
    if isinstance(argument, bytes):
        return {"is": "payload", "hex": argument.hex()}
    return sorted(argument) if isinstance(argument, set | frozenset) else argument


def _entry(kind: str, what: str, snapshot: bytes, calls: list[tuple[str, tuple[Any, ...]]]) -> Entry:
    """Restore the snapshot and write down what the calls lead to."""
    restore: Any = restore_roaming if kind in ("station", "host") else antecede.restore
    machine = restore(snapshot)
    held = held_back(machine)
    steps = []
    for name, given in calls:
        arguments = [_as_json(argument) for argument in given]
        steps.append({"call": name, "arguments": arguments, "effects": apply(machine, name, arguments)})
    return {"of": kind, "what": what, "snapshot": snapshot.hex(), "held back": held, "steps": steps}


# Ordering algorithms.


def _states(algorithm: str, options: dict[str, Any]) -> list[Entry]:
    what = f"{algorithm} {options}" if options else algorithm
    stages = [
        play(
            open_stage(algorithm, options), Random(f"snapshots {what} {seed}"), 14, fifo=needs_fifo(algorithm, options)
        )
        for seed in SEEDS
    ]
    stage, name = max(((stage, name) for stage in stages for name in stage.names), key=_interest)
    fresh = open_stage(algorithm, options).nodes[name].snapshot()
    busy = stage.nodes[name].snapshot()
    changed = antecede.restore(busy)
    changed.join("newcomer", ["g0"] if antecede.algorithms()[algorithm].addressing == "group" else [])
    left = _let_one_leave(changed, [other for other in stage.names if other != name])
    first = [(step.call, step.arguments) for step in stage.steps if step.process == name][:CALLS_MAX]
    return [
        _entry("process", f"{what}, new", fresh, first),
        _entry("process", f"{what}, in the middle", busy, _following(stage, name)),
        _entry("process", f"{what}, one joined and one left", changed.snapshot(), _following(stage, name, left)),
    ]


def _succession(stage: Stage) -> list[Entry]:
    """Return a process that hands its role over, one that keeps messages for the successor, and their successor."""
    return [
        _entry(
            "process",
            f"hierarchy, {name} while p1 hands its role over",
            stage.nodes[name].snapshot(),
            [("receive", (flight.packet,)) for flight in stage.flying if flight.to == name][:CALLS_MAX],
        )
        for name in ("p1", "p2", "p3")
    ]


def _interest(one: tuple[Stage, str]) -> tuple[int, int]:
    """Return how much a process holds back, up to 3, and how much of it goes on with what comes next."""
    stage, name = one
    process = antecede.restore(stage.nodes[name].snapshot())
    held = {str(pending.message.id) for pending in process.pending()}
    arrivals = [packet for call, (packet, *_) in _following(stage, name) if call == "receive"]
    effects = [effect for packet in arrivals for effect in summarise(process.receive(packet))]
    return min(len(held), 3), sum(bool(held.intersection(map(str, effect))) for effect in effects)


def _let_one_leave(process: antecede.Algorithm, others: list[str]) -> str:
    """Tell `process` that one of the others left, the first that the algorithm lets go, and return its name."""
    for other in others:
        try:
            process.leave(other)
        except Misuse:
            continue
        return other
    raise AssertionError(f"nobody may leave of {others}")


def _following(stage: Stage, name: str, left: str = "") -> list[tuple[str, tuple[Any, ...]]]:
    """Return calls for a process: the packets that are on their way to it, a send of its own, and time.

    With `left`, that process has left, and "newcomer" has come.
    """
    packets = [flight.packet for flight in stage.flying if flight.to == name][:CALLS_MAX]
    dests = destinations(stage, name, Random("following"))
    if left and not isinstance(dests, str):
        dests = {"newcomer"} if len(dests) == 1 else {*dests, "newcomer"} - {left}
    return [
        *(("receive", (packet,)) for packet in packets),
        ("send", (dests if isinstance(dests, str) else sorted(dests), b"after the snapshot")),
        ("tick", (1000.0,)),
    ]


# Stations and hosts.


def _roaming_states(protocol: str) -> list[Entry]:
    entries = []
    worlds = [roam(protocol, seed) for seed in SEEDS]
    for kind in ("station", "host"):
        machines = [calls for world in worlds for each, calls in world.machines() if each == kind and calls]
        calls = max(machines, key=lambda calls: max((call.held, len(call.before)) for call in calls))
        at = max(range(len(calls)), key=lambda at: (calls[at].held, len(calls[at].before)))
        entries.append(_entry(kind, f"{protocol}, new", calls[0].before, _named(calls[:CALLS_MAX])))
        entries.append(_entry(kind, f"{protocol}, in the middle", calls[at].before, _named(calls[at : at + CALLS_MAX])))
        if protocol == "roam" and kind == "station":
            entries.append(_after_removal(calls[at:]))
    return entries


def _after_removal(calls: list[Call]) -> Entry:
    """Return a station from which one host was removed, and with which terms were agreed for another."""
    station = restore_roaming(calls[0].before)
    assert isinstance(station, Station)
    removed, other, *_ = sorted(station.berths)
    station.agree(other, Terms("drop", 5))
    station.remove(removed)
    what = "roam, a host removed and terms agreed for another"
    return _entry("station", what, station.snapshot(), _named(calls[:CALLS_MAX]))


def _named(calls: list[Call]) -> list[tuple[str, tuple[Any, ...]]]:
    return [(call.name, call.arguments) for call in calls]
