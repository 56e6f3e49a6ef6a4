"""Packets that are too long for the broker, in parts: the luggage of a host for which much is stored.

A part is a frame of its own (`frames.Part`). The receiving side keeps parts as facts of its store until it has them
all. Then it keeps the number of the packet only, so that parts that come twice do no harm.

A station numbers the packets that it cuts for each destination from 1, without gaps. So the numbers that a destination
is done with are few ranges, whatever the order in which packets become whole: one, once nothing is on the way. Earlier
releases used one sequence for all destinations (the fact `parcels`), and each destination goes on from its end. The
gaps of that time stay between ranges.
"""

from __future__ import annotations

from collections.abc import Iterator

from antecede.core.types import ProcessId
from antecede.runtime import frames
from antecede.runtime.number_ranges import Range, add_number, has_number, read_ranges, write_ranges
from antecede.runtime.state.format_2 import PARCELS, PARCELS_FROM, PARCELS_TO
from antecede.runtime.state.store import Store


def cut(number: int, data: bytes, part_bytes: int) -> Iterator[bytes]:
    """Yield the frames with the parts of a packet, each of at most `part_bytes` and a little more."""
    chunks = [data[at : at + part_bytes] for at in range(0, len(data), part_bytes)]
    for at, chunk in enumerate(chunks):
        yield frames.part(number, at, len(chunks), chunk)


class Fragments:
    """Parts that have come in, by sender, and the numbers of packets that were cut, by destination."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._finished: dict[ProcessId, list[Range]] = {}

    def next_number(self, to: ProcessId) -> int:
        """Return the number of the next packet that is cut for `to`."""
        facts = self._store.facts
        number = int(facts.get(PARCELS_TO + to, facts.get(PARCELS, b"0"))) + 1
        self._store.put(PARCELS_TO + to, b"%d" % number)
        return number

    def take(self, sender: ProcessId, part: frames.Part) -> bytes | None:
        """Keep a part. Return the packet if no part of it is missing any more, and `finish` was not called for it."""
        if has_number(self._finished_by(sender), part.number):
            return None
        name = f"{part.number} {sender}"
        self._store.put(f"part {part.at} {name}", part.data)
        chunks = [self._store.facts.get(f"part {each} {name}") for each in range(part.parts)]
        whole = b"".join(chunk for chunk in chunks if chunk is not None)
        return None if None in chunks else whole

    def finish(self, sender: ProcessId, number: int) -> None:
        """Forget the parts of a packet that was dealt with."""
        finished = self._finished_by(sender)
        add_number(finished, number)
        self._store.put(PARCELS_FROM + sender, write_ranges(finished))
        for at in range(frames.PARTS_MAX):
            if f"part {at} {number} {sender}" not in self._store.facts:
                return
            self._store.drop(f"part {at} {number} {sender}")

    def _finished_by(self, sender: ProcessId) -> list[Range]:
        """Return the numbers of the packets of `sender` that were dealt with."""
        if sender not in self._finished:
            self._finished[sender] = read_ranges(self._store.facts.get(PARCELS_FROM + sender, b"[]"))
        return self._finished[sender]
