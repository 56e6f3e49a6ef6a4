"""The time of one commit of a store, for each durability: one log entry and one message for the application.

A commit by itself, and the same for 100 steps that are committed together.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles

from antecede.core.types import Message, MessageId
from antecede.runtime.state.log_entries import TickEntry
from antecede.runtime.state.store import DURABILITY, Store
from bench import table

COMMITS, TOGETHER, PAYLOAD_BYTES = 500, 100, 64


def _commit_us(store: Store, steps: int) -> float:
    """Return the microseconds that a commit of so many steps takes."""
    first = store.progress
    for number in range(first, first + steps):
        store.log(TickEntry(float(number)))
        store.deliver(Message(MessageId("b", number + 1), frozenset({"a"}), bytes(PAYLOAD_BYTES), None))
    start = time.perf_counter()
    store.commit()
    return 1e6 * (time.perf_counter() - start)


def _measure(durability: str, folder: Path, steps: int) -> dict[str, object]:
    with closing(Store(folder / f"{durability}-{steps}.sqlite", durability=durability)) as store:
        found = [_commit_us(store, steps) for _ in range(COMMITS)]
    return {
        "durability": durability,
        "steps in a commit": steps,
        "commit median, us": median(found),
        "commit p99, us": quantiles(found, n=100)[98],
    }


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="antecede-bench-"))
    try:
        rows = [_measure(durability, folder, steps) for durability in DURABILITY for steps in (1, TOGETHER)]
    finally:
        shutil.rmtree(folder)
    table.show(f"{COMMITS} commits of a store", tuple(rows[0]), [tuple(row.values()) for row in rows])
    print(f"\nkept in {table.keep('commits', {'rows': rows})}")


if __name__ == "__main__":
    main()
