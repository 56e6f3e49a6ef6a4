"""What was received lately: so that a number of a message that is used twice, with other content, is noticed.

A process whose store fell back uses numbers again. To an algorithm the second message is a repetition, and is dropped.
So the checksum of the content of each message is kept for a while, by its identity: the last `COUNT_MAX` of them. The
content is the destinations, the group and the payload. The checksums are a fact of the store, which is written with
every snapshot; the messages since then are in the log.

Earlier releases kept checksums of payloads only. Such a checksum is kept until it is forgotten, and is compared with
the payload alone: nothing is known about the destinations of that message. The fact is

    number of checksums of payloads   these checksums   the checksums of contents, of messages that came in later
"""

from __future__ import annotations

import json
import struct
from collections import Counter, OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from zlib import crc32

from antecede.core.errors import RemoteViolation
from antecede.core.types import GroupId, Message, MessageId, ProcessId
from antecede.runtime.state.format_2 import RECENT
from antecede.runtime.state.store import Store
from antecede.runtime.state.store_error import checksum
from antecede.runtime.varint import read_number, write_number

COUNT_MAX = 4_096
REUSED_MAX = 100
CHECKSUM = struct.Struct(">I")


class ReusedNumber(NamedTuple):
    """A message whose number was used twice, and the station that the second message came from, if there is one."""

    message: MessageId
    station: ProcessId | None = None


class RecentMessages:
    """The checksums of the messages that came in last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._of_payloads, self._checksums = _read(store.facts.get(RECENT, b"\0"))
        self.reused: Counter[ReusedNumber] = Counter()
        """How often another message came with the number of an earlier one, for the last `REUSED_MAX` such numbers."""
        self.refused = 0
        """How many messages `check` has refused."""

    def check(self, message: Message, station: ProcessId | None = None) -> None:
        """Raise `RemoteViolation` if another message of the same identity has come in before, and count it.

        `station` is the station that the message comes from, if there is one.
        """
        if not self.is_other(message):
            return
        self.refused += 1
        found = (known for known in self.reused if known.message == message.id)
        self.reused[next(found, ReusedNumber(message.id, station))] += 1
        if len(self.reused) > REUSED_MAX:
            del self.reused[next(iter(self.reused))]
        of = f"{message.sender} or of {station}" if station else message.sender
        raise RemoteViolation(
            f"number {message.id.seq} of {message.sender} was used for another message before: the store of {of} fell "
            "back, or two copies of it run"
        )

    def is_other(self, message: Message) -> bool:
        """Return whether another message of the same identity has come in before."""
        known = self._checksums.get(message.id)
        if known is not None:
            return known != content_checksum(message)
        of_payload = self._of_payloads.get(message.id)
        return of_payload is not None and of_payload != checksum(message.payload)

    def note(self, message: Message) -> None:
        """Remember a message that has come in."""
        if message.id not in self._checksums and message.id not in self._of_payloads:
            self._checksums[message.id] = content_checksum(message)
            if len(self._checksums) + len(self._of_payloads) > COUNT_MAX:
                (self._of_payloads or self._checksums).popitem(last=False)

    def save(self) -> None:
        """Stage the checksums as a fact of the store. Call this before the store takes a snapshot."""
        self._store.put(RECENT, _write(self._of_payloads, self._checksums))


def message_checksum(message: Message) -> int:
    """Return the CRC-32 of a message: of its identity and its content."""
    return crc32(str(message.id).encode(), content_checksum(message))


def content_checksum(message: Message) -> int:
    """Return the CRC-32 of the destinations, the group and the payload of a message."""
    return crc32(message.payload, _address_checksum(message.dests, message.group))


@lru_cache(maxsize=256)
def _address_checksum(dests: frozenset[ProcessId], group: GroupId | None) -> int:
    """Return the CRC-32 of destinations and a group. Most of them come again and again."""
    return crc32(json.dumps([sorted(dests), group]).encode())


def _write(of_payloads: Mapping[MessageId, int], of_contents: Mapping[MessageId, int]) -> bytes:
    out = bytearray()
    write_number(len(of_payloads), out)
    for (sender, seq), known in chain(of_payloads.items(), of_contents.items()):
        name = sender.encode()
        write_number(len(name), out)
        out += name
        write_number(seq, out)
        out += CHECKSUM.pack(known)
    return bytes(out)


def _read(data: bytes) -> tuple[OrderedDict[MessageId, int], OrderedDict[MessageId, int]]:
    """Return the checksums of payloads and those of contents."""
    of_payloads: OrderedDict[MessageId, int] = OrderedDict()
    of_contents: OrderedDict[MessageId, int] = OrderedDict()
    left, at = read_number(data, 0)
    while at < len(data):
        found = of_payloads if left > 0 else of_contents
        left -= 1
        size, at = read_number(data, at)
        sender = data[at : at + size].decode()
        seq, at = read_number(data, at + size)
        (found[MessageId(sender, seq)],) = CHECKSUM.unpack_from(data, at)
        at += CHECKSUM.size
    return of_payloads, of_contents
