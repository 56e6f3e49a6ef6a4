"""Packets that are too long for the broker, in parts: the luggage of a host for which much is stored.

A part is a frame of its own (`frames.Part`). The receiving side keeps parts as facts of its store until it has them
all, and the number of the packet for ever, so that parts that come twice do no harm.
"""

from __future__ import annotations

from collections.abc import Iterator

from antecede.runtime import frames
from antecede.runtime.state.store import Store


def cut(number: int, data: bytes, part_bytes: int) -> Iterator[bytes]:
    """Yield the frames with the parts of a packet, each of at most `part_bytes` and a little more."""
    chunks = [data[at : at + part_bytes] for at in range(0, len(data), part_bytes)]
    for at, chunk in enumerate(chunks):
        yield frames.part(number, at, len(chunks), chunk)


class Fragments:
    """Parts that have come in, by sender."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def take(self, sender: str, part: frames.Part) -> tuple[str, bytes] | None:
        """Keep a part. If no part is missing any more, return the name of the packet, for `finish`, and the packet."""
        name = f"{part.number} {sender}"
        if f"parcel {name}" in self._store.facts:
            return None
        self._store.put(f"part {part.at} {name}", part.data)
        chunks = [self._store.facts.get(f"part {each} {name}") for each in range(part.parts)]
        whole = b"".join(chunk for chunk in chunks if chunk is not None)
        return None if None in chunks else (name, whole)

    def finish(self, name: str) -> None:
        """Forget the parts of a packet that was dealt with."""
        self._store.put(f"parcel {name}", b"")
        for at in range(frames.PARTS_MAX):
            if f"part {at} {name}" not in self._store.facts:
                return
            self._store.drop(f"part {at} {name}")
