"""Random small traces, by seed: violations, loss, duplicates, spurious delivers, skew, missing times, cycles."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa

from antecede.pipeline.arrow import DELIVER, RECEIVE, SEND, fill_table
from antecede.pipeline.read.rows import Wanted, encode_names, with_file
from tests.replay import Drawing, describe_event

COLUMNS = pa.schema(
    [
        ("run", pa.string()),
        ("process", pa.string()),
        ("index", pa.int64()),
        ("kind", pa.string()),
        ("time", pa.float64()),
        ("message", pa.string()),
        ("dests", pa.list_(pa.string())),
    ]
)
NEEDED, ALL_COLUMNS = Wanted(), Wanted(all_columns=True)
CODES = {"send": SEND, "deliver": DELIVER, "receive": RECEIVE}


@dataclass(frozen=True, slots=True)
class Row:
    run: str
    process: str
    index: int
    kind: str
    time: float | None = None
    message: str | None = None
    dests: tuple[str, ...] = ()


def table(rows: Sequence[Row]) -> pa.Table:
    dicts = [asdict(row) | {"dests": list(row.dests) if row.kind == "send" else None} for row in rows]
    return pa.Table.from_pylist(dicts, COLUMNS)


def coded(rows: Sequence[Row]) -> pa.Table:
    """The rows that count, as the tasks get them: with codes for kinds."""
    counted = [row for row in rows if row.kind in CODES]
    codes = pa.array([CODES[row.kind] for row in counted], pa.int8())
    return table(counted).set_column(COLUMNS.get_field_index("kind"), "kind", codes)


def events(rows: Sequence[Row], file: str = "trace", *, first_line: int = 1, wanted: Wanted = NEEDED) -> pa.Table:
    """Return the rows as a reader gives them: with file and line."""
    known = table(rows)
    columns = {name: known[name] for name in COLUMNS.names} | {"line": range(first_line, first_line + len(rows))}
    whole = fill_table(pa.schema([*wanted.trace, ("line", pa.int64())]), len(rows), **columns)
    return encode_names(with_file(whole, file)).cast(wanted.events)


def overtaking(run: str) -> list[Row]:
    """Return a run in which b delivers the second message of a before the first."""
    return [
        Row(run, "a", 1, "send", 1.0, "m1", ("b",)),
        Row(run, "a", 2, "send", 2.0, "m2", ("b",)),
        Row(run, "b", 1, "deliver", 3.0, "m2"),
        Row(run, "b", 2, "deliver", 4.0, "m1"),
    ]


def backwards(run: str, messages: int) -> list[Row]:
    """Return a run in which b delivers all messages of a, the last one first."""
    sends = [Row(run, "a", number, "send", None, f"m{number}", ("b",)) for number in range(messages)]
    return sends + [Row(run, "b", messages - number, "deliver", None, f"m{number}") for number in range(messages)]


def trace(seed: int, *, processes_max: int = 6, messages_max: int = 14) -> list[Row]:
    """One run. What kind of trouble it has, and how much, is drawn first."""
    rng = random.Random(seed)
    run = f"run {seed}"
    processes = [f"p{number}" for number in range(rng.randint(1, processes_max))]
    events = _happenings(rng, processes, messages=rng.randint(0, messages_max), scale=messages_max / 14)
    if rng.random() < 0.1:  # an order that no execution has: often a cycle
        rng.shuffle(events)
    clock = rng.choice(["true", "true", "skewed", "coarse", "none", "some", "wild"])
    offset = {process: rng.uniform(-3, 3) if clock == "skewed" else 0.0 for process in processes}
    only_receives = rng.random() < 0.15
    counters = dict.fromkeys(processes, rng.randint(0, 3))
    rows = []
    for place, (kind, process, message, dests) in enumerate(events):
        counters[process] += rng.randint(1, 3)
        time: float | None = place * 0.1 + offset[process]
        if clock == "coarse":
            time = float(place // 5)
        elif clock == "wild":
            time = rng.uniform(0, 2)
        if clock == "none" or (clock == "some" and rng.random() < 0.1):
            time = None
        shown = "receive" if only_receives and kind == "deliver" else kind
        rows.append(Row(run, process, counters[process], shown, time, message, dests))
    Drawing(map(describe_event, rows))
    if rng.random() < 0.5:
        rng.shuffle(rows)
    return rows


Happening = tuple[str, str, str | None, tuple[str, ...]]


def _happenings(rng: random.Random, processes: list[str], messages: int, scale: float) -> list[Happening]:
    """Sends, delivers in any order after them, and what else may be in a log, in an order that can be real."""
    placed: list[tuple[float, Happening]] = []
    reach = rng.choice([0.5, 2.0, 8.0]) * scale  # how far delivers may be behind their sends
    for number in range(messages):
        at, message = float(number), f"m{number}" if rng.random() < 0.97 else f"μ {number}"
        sender = rng.choice(processes)
        dests = tuple(rng.choice([*processes, "nobody"]) for _ in range(rng.randint(0, 4)))
        placed.append((at, ("send", sender, message, dests)))
        takers = [dest for dest in sorted(set(dests)) if dest != "nobody" and rng.random() < 0.93]
        takers += [rng.choice(processes)] if rng.random() < 0.08 else []  # a duplicate, or spurious
        for taker in takers:
            received = at + rng.uniform(0.01, reach)
            if rng.random() < 0.3:
                placed.append((received, ("receive", taker, message, ())))
            placed.append((received + rng.uniform(0, 0.5), ("deliver", taker, message, ())))
    if rng.random() < 0.2:
        placed.append((rng.uniform(0, messages), ("deliver", rng.choice(processes), "from elsewhere", ())))
    if rng.random() < 0.5:
        placed += [(rng.uniform(0, messages), ("internal", rng.choice(processes), None, ())) for _ in range(3)]
    return [happening for _, happening in sorted(placed, key=lambda item: item[0])]
