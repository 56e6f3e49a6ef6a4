"""What was received lately: so that a number of a message that is used twice, with other content, is noticed.

A process whose store fell back uses numbers again. To an algorithm the second message is a repetition, and is dropped.
So the checksum of the content of each message is kept for a while, by its identity: the last `COUNT_MAX` of them. They
are a fact of the store, which is written with every snapshot; the messages since then are in the log.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Mapping

from antecede.core.types import Message, MessageId
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import checksum
from antecede.runtime.varint import read_number, write_number

FACT = "recent messages"
COUNT_MAX = 4_096
CHECKSUM = struct.Struct(">I")


class RecentMessages:
    """The checksums of the messages that came in last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._checksums = _read(store.facts.get(FACT, b""))

    def is_other(self, message: Message) -> bool:
        """Return whether another message of the same identity has come in before."""
        known = self._checksums.get(message.id)
        return known is not None and known != checksum(message.payload)

    def note(self, message: Message) -> None:
        """Remember a message that has come in."""
        if message.id not in self._checksums:
            self._checksums[message.id] = checksum(message.payload)
            if len(self._checksums) > COUNT_MAX:
                self._checksums.popitem(last=False)

    def save(self) -> None:
        """Stage the checksums as a fact of the store. Call this before the store takes a snapshot."""
        self._store.put(FACT, _write(self._checksums))


def _write(checksums: Mapping[MessageId, int]) -> bytes:
    out = bytearray()
    for (sender, seq), known in checksums.items():
        name = sender.encode()
        write_number(len(name), out)
        out += name
        write_number(seq, out)
        out += CHECKSUM.pack(known)
    return bytes(out)


def _read(data: bytes) -> OrderedDict[MessageId, int]:
    found: OrderedDict[MessageId, int] = OrderedDict()
    at = 0
    while at < len(data):
        size, at = read_number(data, at)
        sender = data[at : at + size].decode()
        seq, at = read_number(data, at + size)
        (found[MessageId(sender, seq)],) = CHECKSUM.unpack_from(data, at)
        at += CHECKSUM.size
    return found
