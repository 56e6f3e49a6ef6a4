"""What stamps cost, and whether another algorithm would cost a third of it.

The stamps of a space of many processes grow with the number of processes that are talked about. How large they become
depends on the traffic, so a node measures its own. What another algorithm would need is estimated: `MEASURED` has the
control bytes of all packets of one message, in the runtime, with random traffic (`bench/runtime/stamps.py`).
"""

from __future__ import annotations

from antecede.core.types import ProcessId

SENDS_MIN = 1_000
"""How many messages a process has ever sent before it is worth anybody's while to change the algorithm."""
SAMPLE_MIN = 50
"""Messages since the last start after which the mean is worth something. It is not stored."""
RATIO = 3.0
MEASURED: dict[str, dict[int, tuple[float, float]]] = {
    "ks": {8: (53.0, 433.0), 32: (170.0, 1_619.0), 100: (448.0, 5_383.0)},
    "hierarchy": {8: (53.0, 164.0), 32: (92.0, 380.0), 100: (145.0, 623.0)},
}
"""For each algorithm, by the number of processes: control bytes of a message to one other process, and to seven. `sps`
is not proposed: its stamps are the smallest, but a message waits until those before it are delivered everywhere."""
FEW, MANY = 1, 7


def estimate(algorithm: str, processes: int, others: float) -> float:
    """Return the control bytes of all packets of a message to so many `others`, in a space of so many processes."""
    few = _between({size: pair[0] for size, pair in MEASURED[algorithm].items()}, processes)
    many = _between({size: pair[1] for size, pair in MEASURED[algorithm].items()}, processes)
    return max(few, few + (many - few) * (others - FEW) / (MANY - FEW))


def _between(known: dict[int, float], size: float) -> float:
    """Return the value at `size`, on the line through the two nearest known values; below the first, the first."""
    sizes = sorted(known)
    right = next((at for at, each in enumerate(sizes) if each >= size), len(sizes) - 1)
    if right == 0:
        return known[sizes[0]]
    low, high = sizes[right - 1], sizes[right]
    return known[low] + (known[high] - known[low]) * (size - low) / (high - low)


class SentStamps:
    """The stamps that one node has sent with `algorithm`."""

    def __init__(self, algorithm: str) -> None:
        self._algorithm = algorithm
        self._messages = self._others = self._bytes = 0

    def note(self, control_bytes: int, others: set[ProcessId] | frozenset[ProcessId]) -> None:
        """Count a message to `others` whose packets have so many control bytes each."""
        if others:
            self._messages += 1
            self._others += len(others)
            self._bytes += control_bytes * len(others)

    def find_smaller(self, processes: int, ever_sent: int) -> tuple[str, int, int] | None:
        """Return the algorithm that would need the fewest control bytes, if that is at most a third of those sent.

        With it come the control bytes for each destination: those of now, and those of that algorithm. `ever_sent` is
        how many messages this process has sent, restarts included. Return None if there is no such algorithm, or too
        little was sent.
        """
        if ever_sent < SENDS_MIN or self._messages < SAMPLE_MIN:
            return None
        others = self._others / self._messages
        candidates = [name for name in MEASURED if name != self._algorithm]
        best = min(candidates, key=lambda name: estimate(name, processes, others))
        ours, theirs = self._bytes / self._messages, estimate(best, processes, others)
        return (best, round(ours / others), round(theirs / others)) if ours >= RATIO * theirs else None
