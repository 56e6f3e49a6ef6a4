"""Packets that are too long for the broker, in parts: the luggage of a host for which much is stored.

A part is a frame of its own: its kind, the parcel's number, which part of how many, and bytes. The receiving side keeps
parts as facts of its store until it has them all, and the number of the parcel for ever, so that parts that come twice
do no harm.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from antecede.core.errors import WireError
from antecede.runtime.state.store import Store

PART = 5
HEAD = struct.Struct(">BQII")
PARTS_MAX = 1_024


def cut(number: int, data: bytes, part_bytes: int) -> Iterator[bytes]:
    """The parts of a parcel, each at most `part_bytes` long and a little more."""
    chunks = [data[at : at + part_bytes] for at in range(0, len(data), part_bytes)]
    for at, chunk in enumerate(chunks):
        yield HEAD.pack(PART, number, at, len(chunks)) + chunk


class Parcels:
    """Parts that have come in, by sender."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def take(self, sender: str, frame: bytes) -> tuple[str, bytes] | None:
        """Keep a part; when it was the last that was missing: the parcel's name, for `finish`, and what was in it."""
        if len(frame) <= HEAD.size:
            raise WireError(f"a part of {len(frame)} bytes, where there are {HEAD.size} in its head")
        _, number, at, parts = HEAD.unpack_from(frame)
        if not at < parts <= PARTS_MAX:
            raise WireError(f"part {at} of {parts}, of at most {PARTS_MAX}")
        name = f"{number} {sender}"
        if f"parcel {name}" in self._store.facts:
            return None
        self._store.put(f"part {at} {name}", frame[HEAD.size :])
        chunks = [self._store.facts.get(f"part {each} {name}") for each in range(parts)]
        whole = b"".join(chunk for chunk in chunks if chunk is not None)
        return None if None in chunks else (name, whole)

    def finish(self, name: str) -> None:
        """The parcel was dealt with."""
        self._store.put(f"parcel {name}", b"")
        for at in range(PARTS_MAX):
            if f"part {at} {name}" not in self._store.facts:
                return
            self._store.drop(f"part {at} {name}")
