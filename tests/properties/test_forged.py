"""What is restored from a forged snapshot is refused, or raises errors of the project and nothing else.

The forged process or station is used as a driver uses it: it is given packets that are under way to it, sends, is told
the time, is asked what it holds back, and is stored again. What it transmits is encoded, and goes nowhere.
"""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import pytest

import antecede
from antecede import AntecedeError, Message, MessageId, Misuse, Packet, SnapshotError
from antecede.core.mobile import protocols
from antecede.core.ordering.ks import KsStamp
from antecede.core.ordering.mr import PhaseStamp
from antecede.core.ordering.mr_broadcast import EVERYONE
from tests.marks import slow
from tests.mobile_worlds import Calm, MobileWorld
from tests.properties.forgery import forge
from tests.properties.packets import ALGORITHMS
from tests.stage import destinations, stage_for

PROTOCOLS = sorted(protocols.protocols())
STATES = ["stranger", "here", "away", "awaited", "settling", "draining", ""]
"""Names that a name may be changed to, besides those of processes, hosts and stations."""


def encode_all(effects: list[Any]) -> None:
    for effect in effects:
        if isinstance(packet := getattr(effect, "packet", None), Packet):
            antecede.encode(packet)


def forge_process(algorithm: str, seed: int) -> bool:
    """Forge the snapshot of a process in a random execution, and use it. Return whether it was refused."""
    random = Random(f"forged {algorithm} {seed}")
    stage = stage_for(algorithm, random, processes=4)
    for _ in range(16):
        sender = random.choice(stage.names)
        stage.send(sender, destinations(stage, sender, random))
        if stage.flying:
            stage.bring(stage.flying[-1] if random.random() < 0.5 else random.choice(stage.flying))
    name = random.choice(stage.names)
    data = forge(stage.nodes[name].snapshot(), random, [*stage.names, "g1", *STATES])
    try:
        process = antecede.restore(data)
    except SnapshotError:
        return True
    coming = [flight.packet for flight in stage.flying if flight.to == name]
    for _ in range(12):
        with suppress(AntecedeError):
            choice = random.random()
            if choice < 0.3:
                encode_all(process.send(destinations(stage, name, random), b"x"))
            elif choice < 0.7 and coming:
                encode_all(process.receive(random.choice(coming)))
            elif choice < 0.8:
                encode_all(process.tick(10.0))
            elif choice < 0.9:
                encode_all(process.join("newcomer") if choice < 0.85 else process.leave(random.choice(stage.names)))
            else:
                process.pending()
                process = antecede.restore(process.snapshot())
    return False


def forge_station(protocol: str, seed: int) -> bool:
    """Forge the snapshot of a station in a random world, and use it. Return whether it was refused."""
    world = MobileWorld(protocol, seed, calm=Calm(drag=0.3, pace=2, roaming=0.15))
    random = world.random
    for _ in range(40):
        choice = random.random()
        (world._send if choice < 0.4 else world._roam if choice < 0.6 else world._arrive)()
    cell = random.choice(world.cells)
    names = [*world.cells, *world.names, *STATES]
    try:
        station: Any = protocols.restore(forge(world.stations[cell].snapshot(), random, names))
    except SnapshotError:
        return True
    wires = [packet for (_, to), queue in world.wires.items() if to == cell for packet in queue]
    frames = [packet for (_, to), queue in world.frames.items() if to == cell for packet in queue]
    for host in world.hosts.values():
        host.enter(cell)
        frames += [effect.packet for effect in host.send(world.names, b"x") if hasattr(effect, "packet")]
        frames += [effect.packet for effect in host.tick(1e6) if hasattr(effect, "packet")]
    for _ in range(30):
        with suppress(AntecedeError):
            choice = random.random()
            if choice < 0.4 and wires:
                encode_all(station.receive(random.choice(wires)))
            elif choice < 0.8 and frames:
                encode_all(station.hear(random.choice(frames)))
            elif choice < 0.9:
                encode_all(station.tick(100.0))
            else:
                station.held()
                station = protocols.restore(station.snapshot())
    return False


@pytest.mark.parametrize("seeds", [range(150), slow(range(150, 1500))], ids=["few", "many"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_processes(algorithm: str, seeds: range) -> None:
    refused = sum(forge_process(algorithm, seed) for seed in seeds)
    assert refused < len(seeds)


@pytest.mark.parametrize("seeds", [range(40), slow(range(40, 500))], ids=["few", "many"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_stations(protocol: str, seeds: range) -> None:
    refused = sum(forge_station(protocol, seed) for seed in seeds)
    assert refused < len(seeds)


def test_mr_is_not_behind_in_a_group_that_there_is_not() -> None:
    """The next tick would have resynchronised it: a bare KeyError."""
    process: Any = antecede.create("mr", process="a", groups={"g": ["a", "b"]}, resynch_after_s=1.0)
    process.behind = {"nowhere": 0.0}
    with pytest.raises(SnapshotError, match="behind in a group"):
        antecede.restore(process.snapshot())


@pytest.mark.parametrize(("algorithm", "groups"), [("mr", {"g": ["a", "b"]}), ("mr-broadcast", None)])
def test_phases_do_not_hold_control_packets_back(algorithm: str, groups: dict[str, list[str]] | None) -> None:
    process: Any = antecede.create(algorithm, process="a", processes=["a", "b"], groups=groups)
    process.held.packets, process.held.serial = {1: Packet("b", None, PhaseStamp({"g": 9, EVERYONE: 9}))}, 1
    with pytest.raises(SnapshotError, match="a control packet is held"):
        antecede.restore(process.snapshot())


def test_a_message_that_waits_to_leave_with_mf_has_one_destination() -> None:
    """The acknowledgement of the one before would have raised a bare ValueError."""
    process: Any = antecede.create("mf", process="a", processes=["a", "b"])
    process.buffer.append(Message(MessageId("a", 1), frozenset(), b""))
    with pytest.raises(SnapshotError, match="not a unicast"):
        antecede.restore(process.snapshot())


@pytest.mark.parametrize("number", [-1, 300])
def test_a_packet_that_cannot_be_written_is_misuse(number: int) -> None:
    """300 is a count that the context of the stamp does not have."""
    stamp = KsStamp({}, {"b": {"c": 300}}, {}) if number == 300 else KsStamp({}, {}, {"c": number})
    with pytest.raises(Misuse, match="a KsStamp cannot be encoded whose parts do not fit together"):
        antecede.encode(Packet("a", Message(MessageId("a", 1), frozenset("b"), b""), stamp))
