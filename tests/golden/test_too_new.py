"""What a later release wrote is refused, in words that say what it is, which version it has, and what to do."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

import antecede
from antecede import SnapshotError, WireError
from antecede.core.errors import Misuse, TooNew
from antecede.core.mobile import protocols
from antecede.core.snapshot import values
from antecede.core.wire import packets
from antecede.judge.events import parse, read_jsonl
from antecede.runtime import Host, HostRefused, MemoryNetwork, frames, join, serve_station
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.station.seals import Seals, WrongSeal
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import checksum
from tests.golden.files import NEWEST, copy, read
from tests.golden.frames import HELLO, KEY, open_station
from tests.golden.stores import STATIONS

PACKET = bytes.fromhex(read("packets.json", NEWEST)[0]["encoded"])
SNAPSHOTS = [read(name, NEWEST)[0] for name in ("snapshots.json", "roaming-snapshots.json")]
UPGRADE = "has version 2, and this release reads versions up to 1: upgrade antecede here"
STORE_UPGRADE = "has version 4, and this release reads versions up to 3: upgrade antecede here"


def test_a_packet() -> None:
    newer = bytes([PACKET[0] + 0x10]) + PACKET[1:]
    with pytest.raises(WireError, match=f"a packet {UPGRADE}"):
        antecede.decode(newer)


def test_a_form_of_the_wire_says_which_packets_are_inside() -> None:
    """A new version of packets comes with a new form, which processes announce."""
    assert sorted(frames.PACKET_VERSIONS) == list(range(1, frames.NEWEST_FORM + 1))
    assert frames.PACKET_VERSIONS[frames.NEWEST_FORM] == packets.VERSION


def test_a_packet_with_a_stamp_of_a_later_release() -> None:
    """A new stamp is not a new version: whoever does not use it can still read everything."""
    later = bytes.fromhex("10010161007f")  # of a, and stamp 127
    with pytest.raises(WireError, match=r"stamp 127 .* upgrade antecede here"):
        antecede.decode(later)


@pytest.mark.parametrize("entry", SNAPSHOTS, ids=lambda entry: str(entry["of"]))
def test_a_snapshot(entry: dict[str, Any]) -> None:
    newer = bytes.fromhex(entry["snapshot"]).replace(b"antecede-snapshot-1\n", b"antecede-snapshot-2\n")
    for restore in (antecede.restore, protocols.restore):
        with pytest.raises(SnapshotError, match=f"the snapshot {UPGRADE}"):
            restore(newer)
    much_newer = newer.replace(b"-2\n", b"-10\n")
    with pytest.raises(SnapshotError, match="has version 10,"):
        values.loads(much_newer)


def test_a_snapshot_with_a_type_of_a_later_release(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as later:
        later.setitem(values.NAMES, antecede.MessageId, "FutureId")
        stored = values.dumps(antecede.MessageId("a", 1))
    with pytest.raises(SnapshotError, match=r"holds a 'FutureId'.* upgrade antecede here"):
        values.loads(stored)


def make_newer(path: Path) -> bytes:
    """Raise the version that a store states, and return the bytes of the file."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "UPDATE fact SET value = ?, checksum = ? WHERE key = 'format'", (b"4", checksum("format", b"4"))
        )
        database.execute("ALTER TABLE quarantine RENAME TO refused")
        database.commit()
    return path.read_bytes()


def test_the_store_of_a_node(tmp_path: Path) -> None:
    path = copy(NEWEST, "nodes", tmp_path) / "orders_c.sqlite"
    before = make_newer(path)

    async def scenario() -> None:
        async with join(MemoryNetwork(), space="orders", process="c", store=tmp_path):
            pass

    with pytest.raises(Misuse, match=f"orders_c.sqlite {STORE_UPGRADE}"):
        asyncio.run(scenario())
    assert path.read_bytes() == before, "what is refused is left as it is"


def test_the_store_of_a_station(tmp_path: Path) -> None:
    make_newer(copy(NEWEST, "stations", tmp_path) / "roam_s1.sqlite")

    async def scenario() -> None:
        async with serve_station(MemoryNetwork(), name="s1", stations=STATIONS, key=KEY, store=tmp_path):
            pass

    with pytest.raises(Misuse, match=f"roam_s1.sqlite {STORE_UPGRADE}"):
        asyncio.run(scenario())


def test_the_store_of_a_host(tmp_path: Path) -> None:
    path = copy(NEWEST, "hosts", tmp_path) / "ann.sqlite"
    make_newer(path)

    async def scenario() -> None:
        async with Host(["ws://127.0.0.1:9"], "ann", "any token", path=path):
            pass

    with pytest.raises(Misuse, match=f"ann.sqlite {STORE_UPGRADE}"):
        asyncio.run(scenario())


def test_the_hello_of_a_host() -> None:
    """The station closes the connection, and the reason has room for all of the words."""
    hello = next(entry["text"] for entry in read("air.json", NEWEST) if entry["kind"] == HELLO)
    newer = json.dumps({**json.loads(hello), "antecede": 2})
    words = "the hello has version 2, and this release reads versions up to 1: upgrade antecede at this station"

    async def scenario() -> None:
        async with (
            serve_station(MemoryNetwork(), name="s1", stations=["s1"], key=KEY) as server,
            connect(f"ws://127.0.0.1:{server.port}", proxy=None) as socket,
        ):
            await socket.send(newer)
            with pytest.raises(ConnectionClosed):
                await asyncio.wait_for(socket.recv(), 10)
            close = socket.protocol.close_rcvd
            assert close is not None
            assert (close.code, close.reason) == (websocket.REFUSED, words)

    asyncio.run(scenario())


def test_a_host_is_told_that_the_station_is_older(monkeypatch: pytest.MonkeyPatch) -> None:
    hello = websocket.hello
    monkeypatch.setattr(
        websocket, "hello", lambda *said: json.dumps({**json.loads(hello(*said)), "antecede": 2})
    )  # as a later release would say it

    async def scenario() -> None:
        async with serve_station(MemoryNetwork(), name="s1", stations=["s1"], key=KEY) as server:
            url = f"ws://127.0.0.1:{server.port}"
            async with Host([url], "ann", "any token") as ann:
                with pytest.raises(HostRefused, match="upgrade antecede at this station"):
                    await ann.connected()

    asyncio.run(scenario())


def test_packets_on_the_air() -> None:
    newer = frames.packets(0, [bytes([PACKET[0] + 0x10]) + PACKET[1:]])
    with pytest.raises(WireError, match=f"a packet {UPGRADE}"):
        websocket.read_packets(newer)


def test_a_frame_in_a_later_form_is_left_with_the_broker() -> None:
    """It is neither taken nor thrown away, and is named with the version that it needs."""
    later = bytes((frames.ENVELOPE, 3)) + b"anything"
    with pytest.raises(TooNew, match="a frame has version 3, and this release reads versions up to 2: upgrade"):
        frames.open_envelope(later)
    station = open_station("s1")
    assert not station.receive("s2", later)
    station.commit()
    assert station.store.read_quarantine() == []
    (found,) = station.unreadable.all()
    assert found.sender == "s2"
    assert "a frame has version 3" in found.reason
    station.store.close()


KIND_10 = bytes((10,)) + b"anything"
LAST = bytes((frames.ENVELOPE + frames.LATER_KINDS,))


@pytest.mark.parametrize(
    "later", [KIND_10, LAST, frames.envelope(1, KIND_10)], ids=["bare", "the last", "in an envelope"]
)
def test_a_frame_of_a_later_kind_is_left_with_the_broker(later: bytes) -> None:
    kind = 10 if KIND_10 in later else LAST[0]
    words = f"a frame has kind {kind}, and this release reads kinds up to 9: if a later release wrote it, upgrade"
    with pytest.raises(TooNew, match=words):
        frames.parse(frames.open_envelope(later).frame)
    station = open_station("s1")
    assert not station.receive("s2", later)
    station.commit()
    assert station.store.read_quarantine() == []
    (found,) = station.unreadable.all()
    assert found.sender == "s2"
    assert words in found.reason
    station.store.close()


def test_a_later_kind_without_a_seal_is_refused_where_frames_have_seals() -> None:
    """Only who has the key is believed to have a later release."""
    with closing(Store(None)) as store:
        seals = Seals(KEY, "roam", "s1", store)
        with pytest.raises(WireError, match="a frame of s2 without a seal") as why:
            seals.open("s2", KIND_10, 1)
        assert not isinstance(why.value, TooNew)
        with pytest.raises(WrongSeal):
            seals.open("s2", frames.envelope(1, KIND_10, b"not a seal"), 1)
        with closing(Store(None)) as other:
            sealed = Seals(KEY, "roam", "s2", other).wrap("s1", None, KIND_10)
        assert seals.open("s2", sealed, 1) == KIND_10, "whoever has the key may have a later release"


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"\0",
        b"\0anything",
        bytes((LAST[0] + 1,)) + b"anything",
        b"\xff",
        frames.envelope(1, frames.envelope(1, b"\1\0\1a")),
        frames.envelope(1, b""),
        frames.envelope(1, b"\xff"),
    ],
)
def test_a_frame_that_no_release_writes_goes_to_the_quarantine(damaged: bytes) -> None:
    """Kind 0 and kinds far above the highest are never used, and an envelope is never in another one."""
    station = open_station("s1")
    assert station.receive("s2", damaged)
    station.commit()
    assert [data for _, _, data in station.store.read_quarantine()] == [damaged]
    assert station.unreadable.all() == []
    station.store.close()


def test_a_trace_has_no_version_and_what_a_later_release_adds_is_ignored_or_named() -> None:
    lines = (NEWEST / "traces" / "grouped.jsonl").read_text().splitlines()
    row = json.loads(lines[0])
    assert parse({**row, "a later column": 1}) == parse(row)
    events, (refused,) = read_jsonl([*lines, json.dumps({**row, "kind": "a later kind"})])
    assert len(events) == len(lines)
    assert "kind is 'a later kind'; it must be one of" in refused.reason.replace('"', "'")
