"""Roaming by hand, a world or one station: nothing happens but what a test says, and what `flush` lets through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antecede import Message, MessageId, Packet
from antecede.core.mobile import protocols
from antecede.core.mobile.host_and_station_frames import Carried
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.station import Station
from antecede.core.ordering.ks import Ks
from antecede.core.wire import packets
from tests.mobile_worlds import Calm, MakeHost, MakeStation, MobileWorld

Hold = Callable[[str, str, Packet], bool]
"""Should this packet, from here to there, wait?"""


def world(
    protocol: str,
    homes: dict[str, str],
    *,
    cells: str = "",
    policy: Policy | None = None,
    stations_send: bool = False,
    make_station: MakeStation = protocols.station,
    make_host: MakeHost = protocols.host,
    **options: Any,
) -> MobileWorld:
    """Return a calm world with the hosts at `homes`; `cells` names stations besides, separated by spaces."""
    rules = policy or Policy()
    made = MobileWorld(
        protocol,
        0,
        calm=Calm(),
        policy=rules,
        options=dict(options),
        strict=False,
        stations_send=stations_send,
        make_station=make_station,
        make_host=make_host,
    )
    made.populate(sorted({*homes.values(), *cells.split()}), homes)
    return made


def nothing(_: str, __: str, ___: Packet) -> bool:
    return False


def flush(scene: MobileWorld, hold: Hold = nothing) -> None:
    """Let everything arrive, oldest first on each link, but what is held."""
    while (found := _next(scene, hold)) is not None:
        on_air, link, at = found
        (scene.frame_arrives if on_air else scene.wire_arrives)(link, at)


def _next(scene: MobileWorld, hold: Hold) -> tuple[bool, tuple[str, str], int] | None:
    for on_air, links in ((True, scene.frames), (False, scene.wires)):
        for link, queue in links.items():
            for at, packet in enumerate(queue):
                if not hold(*link, packet):
                    return on_air, link, at
    return None


def content(packet: Packet) -> Packet:
    """A packet without the causal layer that Algorithms 2 and 3 put around it."""
    message = packet.message
    return packets.decode(message.payload) if message is not None and message.payload[:1] != b"x" else packet


def carries(packet: Packet, message: object) -> bool:
    inner = content(packet).message
    return inner is not None and inner.id == message


def order(scene: MobileWorld, host: str) -> list[str]:
    """What `host` delivered, in order."""
    return [e.message for e in scene.events if e.process == host and e.kind == "deliver" and e.message is not None]


def full_for_b() -> Station:
    """s1, which serves a, b and c; for b one message of z is held back, and there is no room for another."""
    homes = {"a": "s1", "b": "s1", "c": "s1", "z": "s2"}
    station = protocols.station(name="s1", stations=["s1", "s2"], homes=homes)
    assert isinstance(station, Station)
    luggage = station.berths["b"].luggage
    assert luggage is not None
    luggage.mind.held.limit = 1
    station.receive(of_z(2, {"b"}, after=1))
    assert len(station.held()) == 1
    return station


def of_z(seq: int, to: set[str], after: int) -> Packet:
    """A packet with the `seq`-th message of z; those up to `after` were to b, who has to have them first."""
    z = Ks("z", multicast=True)
    for number in range(1, after + 1):
        z.stamps(Message(MessageId("z", number), frozenset({"b"}), b""), ["b"])
    message = Message(MessageId("z", seq), frozenset(to), b"")
    return Packet("s2", message, Carried(frozenset(to), 0, z.stamps(message, sorted(to))[0]))
