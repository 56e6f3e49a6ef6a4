"""A trace of any length, made fast: NumPy for the events, Arrow for the columns, Parquet for the files.

The workload: 64 processes on one true clock, each sending 100 messages a second to 1 to 4 others, with as many internal
events as a quarter of the messages. A message takes 2 ms and an exponential 1 ms; one in 200 takes 20 ms more, which
is what makes messages overtake each other. One deliver in 1,000 is lost, one in 1,000 happens twice.

Every event belongs to one of some consecutive runs by the time its message was sent. For any number of runs the rows
are the same but for the name of the run, so that both ways to check them can be compared. Indices go on from run to
run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

PROCESSES = 64
RUNS = 20
MESSAGES_PER_SECOND = 100 * PROCESSES
EVENTS_PER_MESSAGE = 3.75
DELAY_SECONDS, JITTER_SECONDS = 0.002, 0.001
LATE_SHARE, LATE_SECONDS = 1 / 200, 0.020
LOST_SHARE = DUPLICATE_SHARE = 1 / 1_000
CHUNK_MESSAGES = 250_000
NAMES = pa.array([f"p{number:02d}" for number in range(PROCESSES)])
KINDS = pa.array(["send", "deliver", "internal"])
SEND, DELIVER, INTERNAL = range(3)

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some events as columns. `message` counts from 0 over the whole trace and is -1 for internal events."""

    time: npt.NDArray[np.float64]
    kind: Longs
    process: Longs
    message: Longs
    segment: Longs

    def take(self, rows: npt.NDArray[np.generic]) -> Chunk:
        return Chunk(self.time[rows], self.kind[rows], self.process[rows], self.message[rows], self.segment[rows])


def write(folder: Path, events: int, *, runs: int = RUNS, seed: int = 1) -> int:
    """Write a trace of about `events` events as Parquet files into `folder`; the exact number of them."""
    messages = int(events / EVENTS_PER_MESSAGE)
    counters = np.zeros(PROCESSES, np.int64)
    carried, written = _join([]), 0
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, messages, CHUNK_MESSAGES)):
        stop = min(start + CHUNK_MESSAGES, messages)
        rng = np.random.default_rng([seed, number])
        sends, dests = _sends(rng, np.arange(start, stop), runs, messages)
        made = _join([carried, sends, _delivers(rng, sends, dests), _internals(rng, sends)])
        made = made.take(np.argsort(made.time, kind="stable"))
        horizon = np.inf if stop == messages else stop / MESSAGES_PER_SECOND
        split = int(np.searchsorted(made.time, horizon))
        ready, carried = made.take(np.arange(split)), made.take(np.arange(split, len(made.time)))
        table = _table(ready, _indices(ready.process, counters), dests, start)
        pq.write_table(table, folder / f"part-{number:05d}.parquet", row_group_size=500_000)
        written += table.num_rows
    return written


def _join(chunks: list[Chunk]) -> Chunk:
    def column(name: str, kind: type) -> npt.NDArray[np.generic]:
        return np.concatenate([np.empty(0, kind), *(getattr(chunk, name) for chunk in chunks)])

    longs = (column(name, np.int64).astype(np.int64) for name in ("kind", "process", "message", "segment"))
    return Chunk(column("time", np.float64).astype(np.float64), *longs)


def _sends(rng: np.random.Generator, message: Longs, runs: int, messages: int) -> tuple[Chunk, Longs]:
    """The sends, evenly spread but for half a gap, and four distinct destinations of each, cut to -1."""
    time = (message + rng.random(len(message)) / 2) / MESSAGES_PER_SECOND
    sender = rng.integers(0, PROCESSES, len(message))
    stride = rng.integers(1, 16, len(message))[:, None]
    hops = (rng.integers(0, PROCESSES - 1, len(message))[:, None] + stride * np.arange(4)) % (PROCESSES - 1)
    dests = (sender[:, None] + 1 + hops) % PROCESSES
    dests[np.arange(4) >= rng.integers(1, 5, len(message))[:, None]] = -1
    return Chunk(time, np.full(len(message), SEND), sender, message, message * runs // messages), dests


def _delivers(rng: np.random.Generator, sends: Chunk, dests: Longs) -> Chunk:
    row, place = np.nonzero(dests >= 0)
    kept = rng.random(len(row)) >= LOST_SHARE
    row, place = row[kept], place[kept]
    twice = np.flatnonzero(rng.random(len(row)) < DUPLICATE_SHARE)
    row, place = np.append(row, row[twice]), np.append(place, place[twice])
    delay = DELAY_SECONDS + rng.exponential(JITTER_SECONDS, len(row))
    delay += LATE_SECONDS * (rng.random(len(row)) < LATE_SHARE)
    return Chunk(
        sends.time[row] + delay, np.full(len(row), DELIVER), dests[row, place], sends.message[row], sends.segment[row]
    )


def _internals(rng: np.random.Generator, sends: Chunk) -> Chunk:
    row = np.flatnonzero(rng.random(len(sends.time)) < EVENTS_PER_MESSAGE - 3.5)
    process = rng.integers(0, PROCESSES, len(row))
    return Chunk(sends.time[row], np.full(len(row), INTERNAL), process, np.full(len(row), -1), sends.segment[row])


def _indices(process: Longs, counters: Longs) -> Longs:
    """The next index of each event's process, and the counters moved on."""
    order = np.argsort(process, kind="stable")
    counts = np.bincount(process, minlength=PROCESSES)
    index = np.empty(len(process), np.int64)
    index[order] = np.arange(len(process)) - np.repeat(np.cumsum(counts) - counts, counts)
    index += counters[process]
    counters += counts
    return index


def _table(chunk: Chunk, index: Longs, dests: Longs, start: int) -> pa.Table:
    message = pa.array(chunk.message, mask=chunk.message < 0)
    sent = chunk.kind == SEND
    own = dests[chunk.message[sent] - start]
    offsets = np.zeros(len(sent) + 1, np.int32)
    offsets[1:][sent] = (own >= 0).sum(axis=1)
    lists = pa.ListArray.from_arrays(
        pa.array(np.cumsum(offsets, dtype=np.int32)), NAMES.take(pa.array(own[own >= 0])), mask=pa.array(~sent)
    )
    runs = pa.array([f"run-{number:02d}" for number in range(RUNS)])
    return pa.table(
        {
            "run": runs.take(pa.array(chunk.segment)),
            "process": NAMES.take(pa.array(chunk.process)),
            "index": index,
            "kind": KINDS.take(pa.array(chunk.kind)),
            "time": chunk.time,
            "message": pc.binary_join_element_wise("m", message.cast(pa.string()), ""),
            "dests": lists,
        }
    )
