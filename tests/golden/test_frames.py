"""Frames of earlier releases are understood: between nodes and stations, and on the air in both directions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from antecede.runtime import Host, MemoryNetwork, frames, serve_station
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.beacon import Beacon, read_beacon
from antecede.runtime.roaming.problem_notice import ToldProblem, ToldProblems, read_notice
from antecede.runtime.roaming.websocket import Hello, Refusal, RemovalAnswer, StationAnswer
from tests.golden.description import describe
from tests.golden.files import FOLDERS, read, read_all
from tests.golden.frames import ANSWER, HELLO, KEY, LIMITS, NOTICE, PACKETS, REMOVED_ANSWER, TOLD, open_station

FRAMES = read_all("frames.json")
AIR = [read("air.json", folder) for folder in FOLDERS]
OF_STATIONS = (frames.KNOWN, frames.REMOVED, frames.PART)


async def until(done: Callable[[], bool]) -> None:
    while not done():
        await asyncio.sleep(0.01)


def title(entry: dict[str, Any]) -> str:
    return str(entry.get("frame") or f"{entry['from']} {entry['kind']}")


@pytest.mark.parametrize("entry", [one for one in FRAMES if one["means"]["kind"] not in OF_STATIONS], ids=title)
def test_a_frame_is_what_it_was(entry: dict[str, Any]) -> None:
    envelope, means = frames.open_envelope(bytes.fromhex(entry["hex"])), dict(entry["means"])
    assert (envelope.form, envelope.epoch, envelope.seal.hex()) == tuple(means.pop("envelope", (1, 0, "")))
    frame = frames.parse(envelope.frame)
    if isinstance(frame, frames.Packets):
        found = {"kind": frames.PACKETS, "roster": frame.roster, "parts": [part.hex() for part in frame.packets]}
    elif isinstance(frame, frames.RosterFrame):
        found = {"kind": frames.ROSTER, "number": frame.number, "names": list(frame.names)}
    else:
        assert isinstance(frame, frames.LeavingWord)
        found = {"kind": frame.kind, "turn": frame.turn}
    assert found == means


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_station_understands_what_another_tells_it(folder: Path) -> None:
    told = {name: [bytes.fromhex(one["hex"]) for one in FRAMES if one["frame"] == name] for name in ("known", "part")}
    (removed,) = [bytes.fromhex(one["hex"]) for one in read("frames.json", folder) if one["frame"] == "removed"]
    station = open_station("s2")
    for frame in [*told["known"], *told["part"]]:
        assert station.receive("s1", frame)
    assert station.store.facts["host zoë"] == b"1"
    assert station.store.facts["parcels from s1"] == b"[[7, 7]]"
    assert station.station.berths["bob"].at == "s2", "the packet that came in parts says so"
    assert station.receive("s1", removed)
    assert station.station.departed == {"zoë"}
    assert station.counts["refused"] == 0
    station.store.close()


@pytest.mark.parametrize("entry", [entry for said in AIR for entry in said], ids=title)
def test_a_frame_on_the_air_is_what_it_was(entry: dict[str, Any]) -> None:
    if entry["kind"] == PACKETS:
        read_packets = [describe(packet) for packet, _ in websocket.read_packets(bytes.fromhex(entry["hex"]))]
        assert read_packets == entry["packets"]
    elif entry["kind"] == HELLO:
        said = json.loads(entry["text"])
        assert websocket.read_hello(entry["text"]) == Hello(said["token"], said["incarnation"], said["host"])
    elif entry["kind"] == ANSWER:
        said = json.loads(entry["text"])
        meant = StationAnswer(said["station"], said["frame_bytes"], tuple(said.get("takes", ())))
        assert websocket.read_answer(entry["text"]) == meant
    elif entry["kind"] == REMOVED_ANSWER:
        assert websocket.read_removal(entry["text"]) == RemovalAnswer("s1", "bob")
    elif entry["kind"] == TOLD:
        problem = ToldProblem("move failed", "move('ws://there') failed: no answer", 3.1)
        assert read_notice(entry["text"]) == ToldProblems((problem,), 0)
    else:
        assert entry["kind"] == NOTICE
        refused = websocket.read_refusal(websocket.read_text(entry["text"]))
        assert refused in (Refusal("ann:2", "nobody"), Refusal("ann:2", "bobb", ("bob",)))


def test_the_newest_conversation_has_similar_names_and_problems() -> None:
    newest = {entry["kind"]: json.loads(entry["text"]) for entry in AIR[-1] if "text" in entry}
    assert (newest[ANSWER]["takes"], newest[NOTICE]["similar"]) == (["problems", "left"], ["bob"])
    assert len(newest[TOLD]["problems"]) == 1


@pytest.mark.parametrize("entry", read_all("beacons.json"), ids=lambda entry: str(entry["means"]["station"]))
def test_a_beacon_is_what_it_was(entry: dict[str, Any]) -> None:
    assert read_beacon(bytes.fromhex(entry["hex"])) == Beacon(**entry["means"])


@pytest.mark.parametrize("said", AIR, ids=[folder.name for folder in FOLDERS])
def test_a_station_answers_a_host_of_an_earlier_release(said: list[dict[str, Any]]) -> None:
    """What it takes, refuses and forgets is what the station of that release did."""

    async def scenario() -> None:
        limits = {"name": "s1", "stations": ["s1"], "key": KEY, "limits": LIMITS}
        async with serve_station(MemoryNetwork(), **limits) as server:  # type: ignore[arg-type]  # settings in a dict have no types of their own
            url = f"ws://127.0.0.1:{server.port}"
            server.durable.welcome("bob", "incarnation of bob")
            async with connect(url, proxy=None, compression=None) as ann:
                for entry in said[: _operator(said)]:
                    if entry["from"] == "host" and "Got" not in str(entry.get("packets")):
                        await ann.send(_frame(entry))
                assert json.loads(await ann.recv())["station"] == "s1"
                await until(lambda: (berth := server.durable.berth("ann")) is not None and berth.asleep)
            async with connect(url, proxy=None, compression=None) as operator:
                await operator.send(_frame(said[_operator(said)]))
                assert json.loads(await operator.recv()) == json.loads(said[-1]["text"])
            berth = server.durable.berth("ann")
            assert berth is not None
            assert berth.luggage is not None
            assert (berth.luggage.sent, berth.luggage.move) == (2, 1)
            assert server.durable.station.departed == {"bob"}
            assert server.counts()["notices_ignored"] == 0

    asyncio.run(asyncio.wait_for(scenario(), 30))


@pytest.mark.parametrize("said", AIR, ids=[folder.name for folder in FOLDERS])
def test_a_host_understands_a_station_of_an_earlier_release(said: list[dict[str, Any]], tmp_path: Path) -> None:
    """It is welcome, its messages are taken, one is refused, and one is delivered."""
    answers = [entry for entry in said if entry["from"] == "station"]

    async def speak(socket: ServerConnection) -> None:
        assert [entry["kind"] for entry in answers[:2]] == [ANSWER, PACKETS]
        try:
            await socket.recv()
            await socket.send(_frame(answers[0]))
            await socket.recv()
            await socket.send(_frame(answers[1]))
            uplinks = 0
            while uplinks < 2:
                frame = await socket.recv()
                uplinks += sum(packet.message is not None for packet, _ in websocket.read_packets(frame))
            for entry in answers[2:-1]:
                await socket.send(_frame(entry))
            await socket.wait_closed()
        except ConnectionClosed:
            return

    async def scenario() -> None:
        async with serve(speak, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with Host([f"ws://127.0.0.1:{port}"], "ann", "any token", path=tmp_path / "ann") as ann:
                assert await ann.connected() == "s1"
                await ann.send({"bob"}, b"hello bob")
                await ann.send({unknown}, b"hello?")
                assert (await anext(ann)).payload == b"hello ann"
                await ann.drained()
                assert ann.refusals() == [("ann:2", unknown)]

    (unknown,) = [json.loads(entry["text"])["unknown"] for entry in answers if entry["kind"] == NOTICE]
    asyncio.run(asyncio.wait_for(scenario(), 30))


def _frame(entry: dict[str, Any]) -> str | bytes:
    return entry["text"] if "text" in entry else bytes.fromhex(entry["hex"])


def _operator(said: list[dict[str, Any]]) -> int:
    """Where the conversation of the operator begins."""
    return max(at for at, entry in enumerate(said) if entry["kind"] == HELLO)
