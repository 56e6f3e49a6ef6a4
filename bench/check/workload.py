"""A trace of any length, made fast: NumPy for the events, Arrow for the columns.

The workload: processes on one true clock, each sending 100 messages a second to 1 to 4 others, with as many internal
events as a quarter of the messages. There are two regions, which write only to their own processes and to some
collectors. The collectors serve both and send nothing. A message takes from 2 to less than 4 ms, and 20 ms more from
the second region to a collector. Messages from one process to another do not overtake each other. One deliver in 1,000
is lost, one in 1,000 happens twice.

Causal order holds by construction, although messages overtake each other all the time. Nobody else can know of a
message in the first 2 ms, so what another process sends because of it is sent 2 ms later at least, and arrives 4 ms
later at least. The message itself has been delivered by then.

    m1   p ------------.  < 4 ms           delivered at d
    m2   p ---. 2 ms                       delivered at q, which sends m3 because of it
    m3         q ----------. 2 ms or more  delivered at d, after m1

At a collector this is so for the messages of each region, and no message of one is because of one of the other. But
that cannot be seen from times: whether a message overtook another there has to be found out.

If `late_share` is not 0, so many of the delivers take 20 ms more, and causal order is violated.

Every event belongs to one of some consecutive runs by the time its message was sent. For any number of runs the rows
are the same but for the name of the run. Indices go on from run to run. The trace is made in chunks, with a pause after
each that is long enough for everything to arrive.
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
DELAY_SECONDS, JITTER_SECONDS, JITTER_SECONDS_MAX = 0.002, 0.000_7, 0.001_9
FAR_SECONDS, LATE_SECONDS, PAUSE_SECONDS = 0.020, 0.020, 0.100
LOST_SHARE = DUPLICATE_SHARE = 1 / 1_000
GAP_SECONDS = 1e-8  # between two delivers from one process to another
DESTS_MAX = 4
SEND, DELIVER, INTERNAL = range(3)
LONGS = ("kind", "process", "message", "segment")
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
    chunk_messages: int = 250_000
    """Messages that are made at once, and written to one file."""

    @property
    def messages(self) -> int:
        return int(self.events / EVENTS_PER_MESSAGE)

    @property
    def collectors(self) -> int:
        """How many processes, the first ones, get messages from both regions and send none."""
        return max(2, self.processes // 64)

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
    counters = np.zeros(workload.processes, np.int64)
    names = _Names(workload)
    for number, start in enumerate(range(0, workload.messages, workload.chunk_messages)):
        message = np.arange(start, min(start + workload.chunk_messages, workload.messages))
        rng = np.random.default_rng([workload.seed, number])
        sends, dests = _sends(rng, message, workload, number * PAUSE_SECONDS)
        delivers = _delivers(rng, sends, dests, workload)
        made = _join([sends, delivers, _internals(rng, sends, workload)])
        made = made.take(np.argsort(made.time, kind="stable"))
        yield names.make_table(made, _indices(made.process, counters), dests, start)


def _join(chunks: list[Chunk]) -> Chunk:
    time = np.concatenate([chunk.time for chunk in chunks])
    longs = (np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in LONGS)
    return Chunk(time, *longs)


def _sends(rng: np.random.Generator, message: Longs, workload: Workload, paused_s: float) -> tuple[Chunk, Longs]:
    """Return the sends, evenly spread but for half a gap, and the destinations of each, filled up with -1."""
    collectors = workload.collectors
    in_region = (workload.processes - collectors) // 2
    others = in_region - 1 + collectors
    time = paused_s + (message + rng.random(len(message)) / 2) / workload.rate
    place, region = rng.integers(0, in_region, len(message)), rng.integers(0, 2, len(message))
    stride = rng.integers(1, others // DESTS_MAX + 1, len(message))[:, None]
    hops = (rng.integers(0, others, len(message))[:, None] + stride * np.arange(DESTS_MAX)) % others
    near = collectors + 2 * ((place[:, None] + 1 + hops) % in_region) + region[:, None]
    dests = np.where(hops < in_region - 1, near, hops - (in_region - 1))
    dests[np.arange(DESTS_MAX) >= rng.integers(1, DESTS_MAX + 1, len(message))[:, None]] = -1
    sender = collectors + 2 * place + region
    run = message * workload.runs // workload.messages
    return Chunk(time, np.full(len(message), SEND), sender, message, run), dests


def _delivers(rng: np.random.Generator, sends: Chunk, dests: Longs, workload: Workload) -> Chunk:
    row, place = np.nonzero(dests >= 0)
    kept = rng.random(len(row)) >= LOST_SHARE
    row, place = row[kept], place[kept]
    process, sender = dests[row, place], sends.process[row]
    is_far = (process < workload.collectors) & ((sender - workload.collectors) % 2 == 1)
    jitter = np.minimum(rng.exponential(JITTER_SECONDS, len(row)), JITTER_SECONDS_MAX)
    time = _keep_fifo(sends.time[row] + DELAY_SECONDS + jitter, sender << 32 | process)
    time += FAR_SECONDS * is_far + LATE_SECONDS * (rng.random(len(row)) < workload.late_share)
    twice = np.flatnonzero(rng.random(len(row)) < DUPLICATE_SHARE)
    row, process = np.append(row, row[twice]), np.append(process, process[twice])
    time = np.append(time, time[twice] + LATE_SECONDS * rng.random(len(twice)))
    return Chunk(time, np.full(len(row), DELIVER), process, sends.message[row], sends.segment[row])


def _keep_fifo(arrival: Doubles, channel: Longs) -> Doubles:
    """Return when each message is delivered, if those of one channel are delivered in the order of the rows."""
    order = np.argsort(channel, kind="stable")
    begins = np.flatnonzero(np.diff(channel[order], prepend=-1))
    lengths = np.diff(np.append(begins, len(order)))
    since = float(arrival.min(initial=np.inf))
    least_s = arrival[order] - since - GAP_SECONDS * (np.arange(len(order)) - np.repeat(begins, lengths))
    # All of a channel come after all of the one before, so that one running maximum serves for all.
    apart = np.repeat(np.arange(len(begins)), lengths) * (2 * np.ptp(least_s) if len(order) else 0.0)
    held = np.maximum.accumulate(least_s + apart) - apart
    result = np.empty(len(order))
    result[order] = held + since + GAP_SECONDS * (np.arange(len(order)) - np.repeat(begins, lengths))
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
