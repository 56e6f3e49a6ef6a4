"""`python -m bench.check.processes`: judge as many events among 64, 4,096 and 100,000 processes, without Spark.

A million events in one process: names to numbers, delivers joined to sends, and judged (`antecede.pipeline.kernel`),
as one run and as 20. Every process sends equally often, so there are more messages in flight where there are more
processes, unless the pattern says otherwise:

few      a message goes to 1 to 4 random processes, and takes as long as its sender takes for 0.3 messages; one in 200
         takes eight times as long
one      a message goes to 1 random process, else as `few`
hub      half of the messages go to one of 8 processes, and these send the other half
late     as `one`, but one message in 20 takes until 5 % of the run have passed
flying   as `one`, but 100,000 messages are in flight at a time

Each case is a process of its own, so that its peak memory is known. The target: at most `TARGET` times as long among
100,000 processes as among 64. Times are processor time, the least of `ROUNDS` rounds, after one round that compiles.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from time import process_time

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from antecede.pipeline.arrow import DELIVER, SEND
from antecede.pipeline.kernel import findings
from antecede.pipeline.kernel.encode import encode
from antecede.pipeline.kernel.layout import lay_out
from antecede.pipeline.kernel.pair import paired_runs
from antecede.pipeline.kernel.stamp import stamp_runs
from antecede.pipeline.limits import LIMITS
from bench.table import keep, show

EVENTS = 1_000_000
PROCESSES = (64, 4_096, 100_000)
RUNS = (1, 20)
PATTERNS = ("few", "one", "hub", "late", "flying")
ROUNDS = 3
TARGET = 2.0
HUBS = 8

Longs = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


def make_trace(pattern: str, processes: int, runs: int, events: int = EVENTS, seed: int = 1) -> pa.Table:
    """Return the events in the order of time, with codes for kinds. All runs have the same processes."""
    rng = np.random.default_rng(seed)
    per_message = rng.integers(1, 5, events) if pattern == "few" else np.ones(events, np.int64)
    messages = int(np.searchsorted(np.cumsum(1 + per_message), events))
    per_message, number = per_message[:messages], np.arange(messages)
    sender = rng.integers(0, processes, messages)
    row = np.repeat(number, per_message)
    dest = (sender[row] + rng.integers(1, processes, len(row))) % processes
    if pattern == "hub":
        outward = number % 2 == 1
        sender[outward] %= HUBS
        dest = np.where(outward, dest, dest % HUBS)
    sent_at = number + rng.random(messages)
    arrived_at = sent_at[row] + _delays(rng, pattern, processes, len(row), messages)

    time = np.concatenate([sent_at, arrived_at])
    order = np.argsort(time)
    process, message = np.concatenate([sender, dest])[order], np.concatenate([number, row])[order]
    names = pa.array([f"device-{one:06d}" for one in range(processes)])
    lengths = np.concatenate([per_message, np.zeros(len(row), np.int64)])[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    starts, sent = np.cumsum(per_message) - per_message, order < messages
    taken = np.repeat(starts[message[sent]] - offsets[:-1][sent], per_message[message[sent]]) + np.arange(len(row))
    of_run = pa.array([f"run-{one:02d}" for one in range(runs)])
    return pa.table(
        {
            "run": of_run.take(pa.array(message * runs // messages)),
            "process": names.take(pa.array(process)),
            "index": _indices(process),
            "kind": pa.array(np.where(sent, SEND, DELIVER), pa.int8()),
            "time": time[order],
            "message": pa.array(message).cast(pa.string()),
            "dests": pa.ListArray.from_arrays(
                pa.array(offsets), names.take(pa.array(dest[taken])), mask=pa.array(~sent)
            ),
        }
    )


def _delays(rng: np.random.Generator, pattern: str, processes: int, count: int, messages: int) -> Doubles:
    """Return how long each delivery takes, as a number of messages that are sent meanwhile."""
    usual = 100_000 if pattern == "flying" else 0.3 * processes
    delays = usual * (0.67 + rng.exponential(0.33, count))
    if pattern == "late":
        return np.where(rng.random(count) < 1 / 20, messages / 20, delays)
    return np.where(rng.random(count) < 1 / 200, 8 * delays, delays)


def _indices(process: Longs) -> Longs:
    """Return the number of each event among those of its process."""
    order = np.argsort(process, kind="stable")
    counts = np.bincount(process)
    index = np.empty(len(process), np.int64)
    index[order] = np.arange(len(process)) - np.repeat(np.cumsum(counts) - counts, counts)
    return index


def measure(pattern: str, processes: int, runs: int) -> dict[str, float]:
    """Return the seconds that each step took, the peak memory above that of the trace, and what was found."""
    table = make_trace(pattern, processes, runs)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rounds, overtaken = [], 0
    for _ in range(ROUNDS + 1):
        times = [process_time()]
        encoded = encode(table)
        times.append(process_time())
        paired = paired_runs(encoded)
        times.append(process_time())
        stamped = stamp_runs(paired.rows, lay_out(paired.rows), vector_entries_max=LIMITS.vector_entries_max)
        times.append(process_time())
        findings.tallies(paired, stamped)
        findings.message_rows(paired)
        findings.all_deliveries(paired, stamped)
        times.append(process_time())
        rounds.append(np.diff(times))
        overtaken = int(stamped.overtaken.sum())
    best = np.min(rounds[1:], axis=0)
    steps = dict(zip(("encode", "pair", "judge", "find"), best.tolist(), strict=True))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return steps | {"total": float(best.sum()), "mb": grown / 1024, "overtaken": overtaken}


def main() -> None:
    results, rows = {}, []
    for pattern in PATTERNS:
        for runs in RUNS:
            least = None
            for processes in PROCESSES:
                case = (pattern, str(processes), str(runs))
                done = subprocess.run([sys.executable, "-m", __spec__.name, *case], capture_output=True, check=True)
                found = results[" ".join(case)] = json.loads(done.stdout)
                least = least or found["total"]
                within = found["total"] <= TARGET * least
                rows.append((pattern, runs, processes, *found.values(), found["total"] / least, within))
    columns = (
        "encode s",
        "pair s",
        "judge s",
        "find s",
        "total s",
        "peak MB",
        "overtaken",
        "ratio",
        f"at most {TARGET:g}",
    )
    show(f"{EVENTS:,} events among more and more processes", ("pattern", "runs", "processes", *columns), rows)
    keep("check-processes", results)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
    else:
        main()
