"""Golden frames: what passes between nodes, between stations, and on the WebSocket between a host and its station."""

from __future__ import annotations

import asyncio
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from antecede.core.mobile.host_and_station_frames import Got, Leave, Moved, Register, Uplink
from antecede.core.mobile.protocols import station
from antecede.core.mobile.station import Station
from antecede.core.types import Message, MessageId, Packet
from antecede.core.wire.packets import encode
from antecede.runtime import MemoryNetwork, MoveFailed, frames, serve_station
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.beacon import Beacon, write_beacon
from antecede.runtime.roaming.problem_notice import write_notice
from antecede.runtime.roaming.station.durable_station import DurableStation
from antecede.runtime.roaming.station.fragments import cut
from antecede.runtime.roaming.tokens import DAYS_MAX, issue
from antecede.runtime.roaming.websocket import AirLimits
from antecede.runtime.state.store import Store
from tests.golden.description import describe

KEY = b"a key for golden files, and for nothing else"
ISSUED_S = 1_700_000_000.0
LIMITS = AirLimits(stranger_s=0.01)
HELLO, ANSWER, PACKETS, NOTICE, REMOVED_ANSWER = "hello", "answer", "packets", "notice", "answer to a removal"
TOLD = "notice of problems"


def golden_frames() -> list[dict[str, Any]]:
    """Return the entries of `frames.json`: every kind of frame between nodes and between stations."""
    message = Message(MessageId("a", 1), frozenset({"b", "c"}), b"hello")
    moved = encode(Packet("s1", None, Moved("bob", 1, 2, "s2")))
    carried = [encode(Packet("a", message, Uplink(n))) for n in range(2)]
    parts = list(cut(7, moved, 8))
    known, removed = _frames_of_station()
    return [
        _frame("packets", frames.packets(0, carried), kind=frames.PACKETS, roster=0, parts=[p.hex() for p in carried]),
        _frame("packets", frames.packets(200, carried[:1]), kind=frames.PACKETS, roster=200, parts=[carried[0].hex()]),
        _frame("roster", frames.roster(2, ["a", "b", "zoë"]), kind=frames.ROSTER, number=2, names=["a", "b", "zoë"]),
        _frame("leaving", frames.leaving_word(frames.LEAVING, 300), kind=frames.LEAVING, turn=300),
        _frame("settled", frames.leaving_word(frames.SETTLED), kind=frames.SETTLED, turn=0),
        _frame("farewell", frames.leaving_word(frames.FAREWELL), kind=frames.FAREWELL, turn=0),
        _frame(
            "envelope",
            frames.envelope(300, frames.packets(0, carried), b"sixteen bytes..."),
            kind=frames.PACKETS,
            roster=0,
            parts=[p.hex() for p in carried],
            envelope=[2, 300, b"sixteen bytes...".hex()],
        ),
        _frame("known", known, kind=frames.KNOWN, host="zoë", incarnation="1"),
        _frame("removed", removed, kind=frames.REMOVED, host="zoë"),
        *(
            _frame(
                "part", part, kind=frames.PART, number=7, at=at, of=len(parts), bytes=moved[8 * at : 8 * at + 8].hex()
            )
            for at, part in enumerate(parts)
        ),
    ]


def golden_beacons() -> list[dict[str, Any]]:
    """Return the entries of `beacons.json`: what stations send to those who are not connected."""
    beacons = (Beacon("roam", "s1", "ws://127.0.0.1:7001", 1.0), Beacon("zoo", "zoë", "wss://gate.example:443", 0.25))
    return [{"hex": write_beacon(beacon).hex(), "means": beacon._asdict()} for beacon in beacons]


def open_station(name: str) -> DurableStation:
    """Return a new station, one of s1 and s2, that keeps its state in memory."""

    def begin() -> Station:
        made = station("roam", name=name, stations=["s1", "s2"], homes={})
        assert isinstance(made, Station)
        return made

    return DurableStation(Store(None), begin)


def _frames_of_station() -> list[bytes]:
    """Return what a station tells the others when a host comes, and when it is removed."""
    station = open_station("s1")
    station.welcome("zoë", "1")
    station.remove("zoë")
    told = [outgoing.data for outgoing in station.commit().outgoing]
    station.store.close()
    return told


def _frame(name: str, data: bytes, **means: Any) -> dict[str, Any]:
    return {"frame": name, "hex": data.hex(), "means": means}


def golden_air_frames() -> list[dict[str, Any]]:
    """Return the entries of `air.json`: a conversation of a host with a station, and that of an operator.

    The frames of the station are those that a running station sent.
    """
    return asyncio.run(asyncio.wait_for(_converse(), 60))


def host_packets() -> list[list[Packet]]:
    """Return what the host says, frame by frame."""
    to_bob = Message(MessageId("ann", 1), frozenset({"bob"}), b"hello bob")
    to_nobody = Message(MessageId("ann", 2), frozenset({"bobb"}), b"hello?")
    return [
        [Packet("ann", None, Register(1, "-"))],
        [Packet("ann", to_bob, Uplink(0))],
        [Packet("ann", to_nobody, Uplink(0))],
        [Packet("ann", None, Got(1, 2))],
        [Packet("ann", None, Leave(1))],
    ]


async def _converse() -> list[dict[str, Any]]:
    heard: list[dict[str, Any]] = []
    async with (
        serve_station(MemoryNetwork(), name="s1", stations=["s1"], key=KEY, limits=LIMITS) as server,
        connect(f"ws://127.0.0.1:{server.port}", proxy=None, compression=None) as ann,
        connect(f"ws://127.0.0.1:{server.port}", proxy=None, compression=None) as bob,
    ):
        await bob.send(websocket.hello(_token("bob"), "incarnation of bob", "bob"))
        await bob.recv()
        await _say(ann, HELLO, websocket.hello(_token("ann"), "incarnation of ann", "ann"), heard)
        await _hear(ann, ANSWER, heard)
        register, to_bob, to_nobody, got, leave = [websocket.pack(packets, 8_192)[0] for packets in host_packets()]
        for frame, answers in ((register, [PACKETS]), (to_bob, [PACKETS]), (to_nobody, [NOTICE, PACKETS])):
            await _say(ann, PACKETS, frame, heard)
            for answer in answers:
                await _hear(ann, answer, heard)
        await _say(ann, TOLD, write_notice([MoveFailed(3.1, "ws://there", "no answer")], 8_192), heard)
        said = Message(MessageId("bob", 1), frozenset({"ann"}), b"hello ann")
        spoken = [Packet("bob", None, Register(1, "-")), Packet("bob", said, Uplink(0))]
        for packet in spoken:
            await bob.send(websocket.pack([packet], 8_192)[0])
            await bob.recv()
        await _hear(ann, PACKETS, heard)
        await _say(ann, PACKETS, got, heard)
        await _say(ann, PACKETS, leave, heard)
        async with connect(f"ws://127.0.0.1:{server.port}", proxy=None, compression=None) as operator:
            await _say(operator, HELLO, websocket.hello(_token("bob", removes=True), "operator"), heard)
            await _hear(operator, REMOVED_ANSWER, heard)
    return heard


def _token(host: str, **more: Any) -> str:
    return issue(KEY, host, days=DAYS_MAX, now=ISSUED_S, **more)


async def _say(socket: ClientConnection, kind: str, frame: str | bytes, heard: list[dict[str, Any]]) -> None:
    await socket.send(frame)
    heard.append(_spoken("host", kind, frame))


async def _hear(socket: ClientConnection, kind: str, heard: list[dict[str, Any]]) -> None:
    frame = await asyncio.wait_for(socket.recv(), 10)
    assert isinstance(frame, bytes) == (kind == PACKETS), (kind, frame)
    heard.append(_spoken("station", kind, frame))


def _spoken(speaker: str, kind: str, frame: str | bytes) -> dict[str, Any]:
    if isinstance(frame, str):
        return {"from": speaker, "kind": kind, "text": frame}
    packets = [describe(packet) for packet, _ in websocket.read_packets(frame)]
    return {"from": speaker, "kind": kind, "hex": frame.hex(), "packets": packets}
