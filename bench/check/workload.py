"""A trace of any length, made fast: NumPy for the events, Arrow for the columns.

The workload: processes on one true clock, each sending 100 messages a second to 1 to 4 others, with as many internal
events as a quarter of the messages. A message takes 2 ms and an exponential 1 ms; one in 200 takes 20 ms more. One
deliver in 1,000 is lost, one in 1,000 happens twice.

Causal order holds by construction. A process delivers messages in the order of their sends on the true clock: what
arrives before an earlier message is held back until that one is delivered. If `late_share` is not 0, so many of the
delivers are not waited for, and causal order is violated.

    sent    m1 ---------------.
    sent        m2 -----.     |
    arrives             m2    m1            at the same process
    delivered                 m1 m2         m2 is held back

Every event belongs to one of some consecutive runs by the time its message was sent. For any number of runs the rows
are the same but for the name of the run. Indices go on from run to run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

MESSAGES_PER_SECOND = 100  # by one process
EVENTS_PER_MESSAGE = 3.75
DELAY_SECONDS, JITTER_SECONDS = 0.002, 0.001
SLOW_SHARE, SLOW_SECONDS = 1 / 200, 0.020
LOST_SHARE = DUPLICATE_SHARE = 1 / 1_000
GAP_SECONDS = 1e-8  # between two delivers at one process
CHUNK_MESSAGES = 250_000
DESTS_MAX = 4
SEND, DELIVER, INTERNAL = range(3)
KINDS = pa.array(["send", "deliver", "internal"])
SUBJECTS = ("orders", "payments", "stock", "parcels", "customers", "invoices", "prices", "returns")
TOPICS = pa.array([f"shop.{subject}.{version}" for subject in SUBJECTS for version in ("v1", "v2")])
STEPS = pa.array(["cache refreshed", "retry scheduled", "checkpoint written", "configuration read"])
REGIONS = ("eu-west", "eu-north", "us-east", "ap-south")

Longs = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Workload:
    """How much traffic among how many processes, in how many runs."""

    events: int
    processes: int = 64
    runs: int = 20
    late_share: float = 0.0
    seed: int = 1

    @property
    def messages(self) -> int:
        return int(self.events / EVENTS_PER_MESSAGE)

    @property
    def rate(self) -> float:
        """Messages per second of all processes together."""
        return MESSAGES_PER_SECOND * self.processes


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some events as columns. `message` counts from 0 over the whole trace and is -1 for internal events."""

    time: Doubles
    kind: Longs
    process: Longs
    message: Longs
    segment: Longs

    def take(self, rows: npt.NDArray[np.generic]) -> Chunk:
        return Chunk(self.time[rows], self.kind[rows], self.process[rows], self.message[rows], self.segment[rows])


def make_tables(workload: Workload) -> Iterator[pa.Table]:
    """Yield the events in the order of time, about a million in each table."""
    messages = workload.messages
    counters = np.zeros(workload.processes, np.int64)
    delivered_at = np.zeros(workload.processes)
    names = _Names(workload)
    carried = _join([])
    for number, start in enumerate(range(0, messages, CHUNK_MESSAGES)):
        stop = min(start + CHUNK_MESSAGES, messages)
        rng = np.random.default_rng([workload.seed, number])
        sends, dests = _sends(rng, np.arange(start, stop), workload)
        delivers = _delivers(rng, sends, dests, delivered_at, workload.late_share)
        made = _join([carried, sends, delivers, _internals(rng, sends, workload)])
        made = made.take(np.argsort(made.time, kind="stable"))
        horizon = np.inf if stop == messages else stop / workload.rate
        split = int(np.searchsorted(made.time, horizon))
        ready, carried = made.take(np.arange(split)), made.take(np.arange(split, len(made.time)))
        yield names.make_table(ready, _indices(ready.process, counters), dests, start)


def _join(chunks: list[Chunk]) -> Chunk:
    def column(name: str, kind: type) -> npt.NDArray[np.generic]:
        return np.concatenate([np.empty(0, kind), *(getattr(chunk, name) for chunk in chunks)])

    longs = (column(name, np.int64).astype(np.int64) for name in ("kind", "process", "message", "segment"))
    return Chunk(column("time", np.float64).astype(np.float64), *longs)


def _sends(rng: np.random.Generator, message: Longs, workload: Workload) -> tuple[Chunk, Longs]:
    """Return the sends, evenly spread but for half a gap, and the destinations of each, filled up with -1."""
    others = workload.processes - 1
    time = (message + rng.random(len(message)) / 2) / workload.rate
    sender = rng.integers(0, workload.processes, len(message))
    stride = rng.integers(1, others // DESTS_MAX + 1, len(message))[:, None]
    hops = (rng.integers(0, others, len(message))[:, None] + stride * np.arange(DESTS_MAX)) % others
    dests = (sender[:, None] + 1 + hops) % workload.processes
    dests[np.arange(DESTS_MAX) >= rng.integers(1, DESTS_MAX + 1, len(message))[:, None]] = -1
    run = message * workload.runs // workload.messages
    return Chunk(time, np.full(len(message), SEND), sender, message, run), dests


def _delivers(rng: np.random.Generator, sends: Chunk, dests: Longs, delivered_at: Doubles, late_share: float) -> Chunk:
    """Return the delivers of these sends. `delivered_at` is the time of the last one at each process, and moves on."""
    row, place = np.nonzero(dests >= 0)
    kept = rng.random(len(row)) >= LOST_SHARE
    row, place = row[kept], place[kept]
    process = dests[row, place]
    delay = DELAY_SECONDS + rng.exponential(JITTER_SECONDS, len(row))
    delay += SLOW_SECONDS * (rng.random(len(row)) < SLOW_SHARE)
    late = rng.random(len(row)) < late_share
    time = _hold_back(sends.time[row] + np.where(late, 0.0, delay), process, delivered_at)
    time += np.where(late, SLOW_SECONDS, 0.0)
    twice = np.flatnonzero(rng.random(len(row)) < DUPLICATE_SHARE)
    row, process = np.append(row, row[twice]), np.append(process, process[twice])
    time = np.append(time, time[twice] + rng.exponential(JITTER_SECONDS, len(twice)))
    return Chunk(time, np.full(len(row), DELIVER), process, sends.message[row], sends.segment[row])


def _hold_back(arrival: Doubles, process: Longs, delivered_at: Doubles) -> Doubles:
    """Return when each message is delivered, if a process delivers in the order of the rows."""
    order = np.argsort(process, kind="stable")
    own, times = process[order], arrival[order]
    begins = np.flatnonzero(np.diff(own, prepend=-1))
    rank = np.arange(len(own)) - np.repeat(begins, np.diff(np.append(begins, len(own))))
    times[begins] = np.maximum(times[begins], delivered_at[own[begins]] + GAP_SECONDS)
    # All of a process come after all of the one before, so that one running maximum serves for all.
    apart = own * (2 * (float(times.max(initial=0.0)) + 1.0))
    held = np.maximum.accumulate(times - GAP_SECONDS * rank + apart) - apart + GAP_SECONDS * rank
    delivered_at[own] = held  # the last of each process stays
    result = np.empty(len(held))
    result[order] = held
    return result


def _internals(rng: np.random.Generator, sends: Chunk, workload: Workload) -> Chunk:
    row = np.flatnonzero(rng.random(len(sends.time)) < EVENTS_PER_MESSAGE - 3.5)
    process = rng.integers(0, workload.processes, len(row))
    return Chunk(sends.time[row], np.full(len(row), INTERNAL), process, np.full(len(row), -1), sends.segment[row])


def _indices(process: Longs, counters: Longs) -> Longs:
    """Return the next index of each event's process, and move the counters on."""
    order = np.argsort(process, kind="stable")
    counts = np.bincount(process, minlength=len(counters))
    index = np.empty(len(process), np.int64)
    index[order] = np.arange(len(process)) - np.repeat(np.cumsum(counts) - counts, counts)
    index += counters[process]
    counters += counts
    return index


class _Names:
    """The texts of a workload, and what makes a table with them."""

    def __init__(self, workload: Workload) -> None:
        width = len(str(workload.processes - 1))
        numbers = range(workload.processes)
        self._processes = pa.array([f"node-{number:0{width}d}" for number in numbers])
        self._hosts = pa.array([f"vm{number // 4}.{REGIONS[number % 4]}.example.net" for number in numbers])
        self._runs = pa.array([f"run-{number:02d}" for number in range(workload.runs)])

    def make_table(self, chunk: Chunk, index: Longs, dests: Longs, first_message: int) -> pa.Table:
        """Return the events of a chunk with the columns of a trace. `dests` are those from `first_message` on."""
        message = pa.array(chunk.message, mask=chunk.message < 0)
        sent = chunk.kind == SEND
        own = dests[chunk.message[sent] - first_message]
        lengths = np.zeros(len(sent) + 1, np.int32)
        lengths[1:][sent] = (own >= 0).sum(axis=1)
        offsets = pa.array(np.cumsum(lengths, dtype=np.int32))
        lists = pa.ListArray.from_arrays(offsets, self._processes.take(pa.array(own[own >= 0])), mask=pa.array(~sent))
        return pa.table(
            {
                "run": self._runs.take(pa.array(chunk.segment)),
                "process": self._processes.take(pa.array(chunk.process)),
                "index": index,
                "kind": KINDS.take(pa.array(chunk.kind)),
                "time": chunk.time,
                "message": pc.binary_join_element_wise("m", message.cast(pa.string()), ""),
                "dests": lists,
                "payload_bytes": pa.array(200 + chunk.message % 1_800, mask=~sent),
                "attributes": self._attributes(chunk),
            }
        )

    def _attributes(self, chunk: Chunk) -> pa.MapArray:
        """Return two texts for each event: its host, and the topic of its message or what was done."""
        count = len(chunk.kind)
        is_internal = chunk.kind == INTERNAL
        names = np.zeros((count, 2), np.int8)
        names[:, 1] = np.where(is_internal, 2, 1)
        texts = pa.concat_arrays([self._hosts, TOPICS, STEPS])
        values = np.empty((count, 2), np.int64)
        values[:, 0] = chunk.process
        topic = len(self._hosts) + chunk.message % len(TOPICS)
        step = len(self._hosts) + len(TOPICS) + np.arange(count) % len(STEPS)
        values[:, 1] = np.where(is_internal, step, topic)
        return pa.MapArray.from_arrays(
            pa.array(np.arange(0, 2 * count + 1, 2, dtype=np.int32)),
            pa.array(["host", "topic", "step"]).take(pa.array(names.ravel())),
            texts.take(pa.array(values.ravel())),
        )
