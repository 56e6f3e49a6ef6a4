"""Roaming worlds by hand: nothing happens but what a test says, and what `flush` lets through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antecede import Packet
from antecede.core import wire
from antecede.core.mobile.luggage import Policy
from tests.mobile_worlds import Calm, MobileWorld

Hold = Callable[[str, str, Packet], bool]
"""Should this packet, from here to there, wait?"""


def world(
    protocol: str, homes: dict[str, str], *, cells: str = "", policy: Policy | None = None, **options: Any
) -> MobileWorld:
    """A calm world with the hosts at `homes`; `cells` names stations besides, separated by spaces."""
    made = MobileWorld(protocol, 0, calm=Calm(), policy=policy or Policy(), options=dict(options), strict=False)
    made._populate(sorted({*homes.values(), *cells.split()}), homes)
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
    return wire.decode(message.payload) if message is not None and message.payload[:1] != b"x" else packet


def carries(packet: Packet, message: object) -> bool:
    inner = content(packet).message
    return inner is not None and inner.id == message


def order(scene: MobileWorld, host: str) -> list[str]:
    """What `host` delivered, in order."""
    return [e.message for e in scene.events if e.process == host and e.kind == "deliver" and e.message is not None]
