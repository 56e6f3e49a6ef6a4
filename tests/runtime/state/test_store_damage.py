"""A store that was damaged anywhere is refused in words, or nothing of what it holds has changed."""

import asyncio
import random
import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from antecede.core.errors import Misuse
from antecede.core.mobile.station import Station
from antecede.core.registry import create
from antecede.runtime import Host, MemoryNetwork, join, serve_station
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.roaming.host.durable_host import DurableHost
from antecede.runtime.roaming.station.durable_station import DurableStation
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import StoreError, checksum
from tests.golden.files import HERE, NEWEST

STORES = {path.stem: path for path in sorted(NEWEST.rglob("*.sqlite"))}
PAGE_BYTES = 4_096
DAMAGES = 300


def never() -> Station:
    raise AssertionError("the store has a snapshot")


def everything(path: Path) -> tuple[Any, ...]:
    """Open a store as its owner does, and return all that it gets out of it."""
    with closing(Store(path)) as store:
        state: bytes
        if "station" in store.facts:
            state = DurableStation(store, never).station.snapshot()
        elif "host" in store.facts:
            state = DurableHost(store, "x", None, retry_s=1.0, unsent_max=10).host.snapshot()
        else:
            state = DurableProcess(store, partial(create, "ks", process="x", processes=["x"])).algorithm.snapshot()
        return state, dict(store.facts), store.outbox(), store.inbox(), store.read_quarantine(), store.progress


def damage(chance: random.Random, path: Path) -> str:
    """Damage a file somewhere, and return how."""
    data = bytearray(path.read_bytes())
    at, kind = chance.randrange(len(data)), chance.choice(["byte", "byte", "byte", "block", "cut", "swap", "noise"])
    if kind == "byte":
        data[at] ^= 1 << chance.randrange(8)
    elif kind == "block":
        data[at : at + 512] = bytes(len(data[at : at + 512]))
    elif kind == "cut":
        del data[at:]
    elif kind == "noise":
        data[at : at + 40] = chance.randbytes(len(data[at : at + 40]))
    else:
        one, other = (PAGE_BYTES * chance.randrange(1, len(data) // PAGE_BYTES) for _ in range(2))
        data[one : one + PAGE_BYTES], data[other : other + PAGE_BYTES] = (
            data[other : other + PAGE_BYTES],
            data[one : one + PAGE_BYTES],
        )
    path.write_bytes(data)
    return f"{kind} at {at}"


@pytest.mark.parametrize("part", range(6))
def test_damages_anywhere_end_in_words(part: int, tmp_path: Path) -> None:
    """300 of them, in stores of nodes, stations and hosts."""
    found: Counter[str] = Counter()
    before = {name: everything(Path(shutil.copy(path, tmp_path / f"{name}.whole"))) for name, path in STORES.items()}
    for seed in range(part, DAMAGES, 6):
        chance = random.Random(seed)
        name = chance.choice(sorted(STORES))
        path = Path(shutil.copy(STORES[name], tmp_path / f"{seed}.sqlite"))
        how = damage(chance, path)
        refusal = ""
        try:
            after = everything(path)
        except StoreError as error:
            refusal = str(error)
            found["refused"] += 1
        else:
            assert after == before[name], f"seed {seed}: {how} in {name} changed something and was not noticed"
            found["harmless"] += 1
        assert not refusal or "this file readable again, or start with another name" in refusal, (seed, how, refusal)
    assert found["refused"] > 10


def test_a_payload_that_was_changed_is_refused_and_named(tmp_path: Path) -> None:
    path = Path(shutil.copy(STORES["orders_c"], tmp_path))
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE inbox SET payload = 'x' || substr(payload, 2)")
        database.commit()

    async def scenario() -> None:
        async with join(MemoryNetwork(), space="orders", process="c", store=tmp_path):
            raise AssertionError("the application would get another message than was sent")

    with pytest.raises(StoreError, match="message b:1 in the inbox is not what was written"):
        asyncio.run(scenario())


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE log SET entry = substr(entry, 1, length(entry) - 1) WHERE n = (SELECT max(n) FROM log)", "entry"),
        ("DELETE FROM log WHERE n = (SELECT min(n) FROM log)", "is missing"),
        ("DELETE FROM log WHERE n = (SELECT max(n) FROM log)", "is missing"),
        ("DELETE FROM sqlite_sequence", "the last number of the log is missing"),
        ("UPDATE sqlite_sequence SET seq = 'many'", "the last number of the log is missing"),
        ("UPDATE outbox SET dests = '[\"z\"]'", "of the outbox is not what was written"),
        ("UPDATE fact SET value = x'39' WHERE key = 'sent'", "the fact 'sent' is not what was written"),
        ("UPDATE snapshot SET state = zeroblob(10)", "the snapshot is not what was written"),
        ("UPDATE fact SET value = x'39' WHERE key = 'format'", "which format it has is damaged"),
        ("DELETE FROM fact WHERE key = 'log codec'", "does not say how its log is written"),
        ("UPDATE inbox SET seq = 'many'", "is not what was written"),
        ("DELETE FROM snapshot", "a row is missing, or is older than the others"),
        ("DELETE FROM outbox WHERE n = (SELECT min(n) FROM outbox)", "a row is missing"),
        ("DELETE FROM inbox", "a row is missing"),
        ("DELETE FROM quarantine", "a row is missing"),
        ("DELETE FROM fact WHERE key = 'sent'", "a row is missing"),
        ("DELETE FROM fact WHERE key = 'registration'", "a row is missing"),
        ("DELETE FROM fact WHERE key = 'sum of rows'", "a row is missing"),
        ("DELETE FROM fact", "which format it has is damaged"),
        ("UPDATE fact SET value = 2 WHERE key = 'format'", "which format it has is damaged"),
        ("ALTER TABLE quarantine RENAME TO refused", "no such table: quarantine"),
    ],
)
def test_every_row_is_checked(tmp_path: Path, statement: str, named: str) -> None:
    path = Path(shutil.copy(STORES["orders_c"], tmp_path))
    with closing(sqlite3.connect(path)) as database:
        assert database.execute(statement).rowcount != 0
        database.commit()
    with pytest.raises(StoreError, match=named):
        everything(path)


@pytest.mark.parametrize(
    ("name", "statement", "named"),
    [
        ("orders_c", "DELETE FROM snapshot", "its snapshot is missing"),
        ("orders_c", "DELETE FROM fact", "which format it has is damaged"),
        ("ann", "DELETE FROM fact WHERE key = 'incarnation'", "does not say whose it is"),
        ("orders_c", "DELETE FROM fact WHERE key = 'format'", "which format it has is damaged"),
        ("orders_c", "UPDATE fact SET value = 2 WHERE key = 'format'", "which format it has is damaged"),
        ("orders_c", "UPDATE fact SET value = '0' WHERE key = 'format'", "which format it has is damaged"),
        ("orders_c", "UPDATE fact SET value = x'ff' WHERE key = 'space'", "invalid start byte"),
        ("orders_c", "UPDATE fact SET value = 9 WHERE key = 'sent'", "the table fact has 9, and not bytes"),
        ("orders_c", "UPDATE fact SET value = x'78' WHERE key = 'sent'", "the fact 'sent' is b'x', and not a number"),
        ("phases_a", "UPDATE fact SET value = x'7b7d' WHERE key = 'timers'", "not a list of times"),
        ("orders_c", "INSERT INTO fact VALUES ('clock', x'78')", "could not convert string to float"),
        ("orders_c", "INSERT INTO fact VALUES ('clock', x'6e616e')", "the fact 'clock' is b'nan', and not a time"),
        ("ann", "UPDATE fact SET value = x'31' WHERE key = 'trace'", "not a file and its length"),
        ("orders_c", "UPDATE fact SET value = x'5b315d' WHERE key = 'roster names'", "not a list of names"),
        ("orders_c", "DELETE FROM fact WHERE key LIKE 'roster 3 %'", "its log cannot be replayed: UnknownRoster"),
        ("orders_c", "UPDATE snapshot SET state = 4611686018427387904", "the table snapshot has 46116860"),
        ("orders_c", "UPDATE input SET kind = 'later'", "a node has no input of the kind 'later'"),
        ("orders_c", "UPDATE outbox SET dests = 'x'", "Expecting value"),
        ("orders_c", "UPDATE inbox SET dests = '[1]'", "the destinations of entry 3 of the inbox are '[1]'"),
        ("orders_c", "UPDATE quarantine SET reason = CAST(x'ff' AS TEXT)", "Could not decode to UTF-8"),
        ("orders_c", "ALTER TABLE quarantine RENAME TO refused", "no such table: quarantine"),
        ("orders_c", "ALTER TABLE input RENAME COLUMN who TO whom", "no such column: who"),
    ],
)
def test_a_store_of_format_1_has_no_checksums_and_is_looked_at(
    tmp_path: Path, name: str, statement: str, named: str
) -> None:
    path = Path(shutil.copy(next((HERE / "v1").rglob(f"{name}.sqlite")), tmp_path))
    with closing(sqlite3.connect(path)) as database:
        assert database.execute(statement).rowcount != 0
        database.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=re.escape(named)) as caught:
        everything(path)
    assert "this file readable again" in str(caught.value)
    is_replayed = "replayed" in named
    assert is_replayed or path.read_bytes() == before, "what cannot be migrated is left as it is"


def test_what_is_refused_is_left_as_it_is(tmp_path: Path) -> None:
    """A database of another program, a store in another journal mode, and one of a later release."""
    foreign = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(foreign)) as database:
        database.execute("CREATE TABLE customer (name TEXT)")
    later = Path(shutil.copy(STORES["orders_c"], tmp_path))
    with closing(sqlite3.connect(later)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        row = (b"4", checksum("format", b"4"))
        database.execute("UPDATE fact SET value = ?, checksum = ? WHERE key = 'format'", row)
        database.commit()
    for path, words in ((foreign, "a database of another program"), (later, "upgrade antecede")):
        before = path.read_bytes()
        with pytest.raises((StoreError, Misuse), match=words):
            Store(path)
        assert path.read_bytes() == before
        assert not path.with_name(f"{path.name}-wal").exists()


@pytest.mark.parametrize(
    ("role", "store", "named"),
    [
        ("node", "ann", "is the store of a host, ann: give another store"),
        ("node", "roam_s1", "is the store of a station, s1: give another store"),
        ("station", "ann", "is the store of a host, ann: give another store"),
        ("station", "orders_c", "is the store of a node, c: give another store"),
        ("host", "orders_c", "is the store of a node, c: give another store"),
        ("host", "roam_s1", "is the store of a station, s1: give another store"),
    ],
)
def test_a_store_of_something_else_is_named(tmp_path: Path, role: str, store: str, named: str) -> None:
    names = {"node": "orders_x.sqlite", "station": "roam_s9.sqlite", "host": "x.sqlite"}
    path = Path(shutil.copy(STORES[store], tmp_path / names[role]))

    async def scenario() -> None:
        if role == "node":
            async with join(MemoryNetwork(), space="orders", process="x", store=tmp_path):
                pass
        elif role == "station":
            async with serve_station(MemoryNetwork(), name="s9", stations=["s9"], key=b"k" * 32, store=tmp_path):
                pass
        else:
            async with Host(["ws://127.0.0.1:9"], "x", "token", path=path):
                pass

    with pytest.raises(Misuse, match=named):
        asyncio.run(scenario())


def test_a_schema_that_is_not_even_text_is_told_in_words(tmp_path: Path) -> None:
    """SQLite quotes what it found, which is not UTF-8."""
    path = Path(shutil.copy(STORES["orders_c"], tmp_path))
    path.write_bytes(path.read_bytes().replace(b"NOT NULL", b"NOT \xceULL"))
    for _ in range(2):  # the first time has closed the file
        with pytest.raises(StoreError, match="this file readable again"):
            everything(path)


def test_stations_and_hosts_tell_it_in_the_same_words(tmp_path: Path) -> None:
    for name in ("roam_s1", "ann"):
        path = Path(shutil.copy(STORES[name], tmp_path))
        with closing(sqlite3.connect(path)) as database:
            database.execute("UPDATE snapshot SET state = zeroblob(10)")
            database.commit()

    async def serve() -> None:
        async with serve_station(
            MemoryNetwork(), name="s1", stations=["s1", "s2", "s3"], key=b"k" * 32, store=tmp_path
        ):
            pass

    async def roam() -> None:
        async with Host(["ws://127.0.0.1:9"], "ann", "token", path=tmp_path / "ann.sqlite"):
            pass

    for scenario in (serve, roam):
        with pytest.raises(StoreError, match="the snapshot is not what was written"):
            asyncio.run(scenario())
