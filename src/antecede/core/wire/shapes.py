"""The shapes stamps are made of, and their compact binary form: numbers, names, sets, vectors, tables, logs.

Every name is written once, in a table at the head of a packet, and is a small number from then on: the number of
names met before it. Numbers are varints of seven bits a byte. A set is a list of differences, a bitmap, or its
complement among the names met so far, whichever is smallest; the complement only if it stands for at most 64
names a byte, so that a short packet cannot ask for a large set. Vectors are a set and the values above the least
of them.

A `Reader` trusts nothing: each method either returns a value that could have been written or raises `WireError`,
and no allocation exceeds a constant times the bytes it was read from.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeVar

from antecede.core.errors import TooNew, WireError, unknown
from antecede.core.snapshot import values
from antecede.core.types import Message, MessageId, Stamp
from antecede.core.wire.common_part import CommonPart

UINT_MAX = 2**63 - 1
NAMES_PER_BYTE_MAX = 64
COMPLEMENTS_MAX = 65_536
"""Names that all complements of a packet may range over: beyond, sets are bitmaps, of eight names a byte."""
STAMP_DEPTH_MAX = 8
SETS_KEPT_MAX = 1024
LIST, BITMAP, COMPLEMENT = 0, 1, 2
BITS_OF_BYTE = tuple(tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256))

Log = Mapping[str, Mapping[int, frozenset[str]]]
"""sender -> clock -> the destinations that message is still owed to."""


STAMPS: dict[int, type[Any]] = {}
TAGS: dict[type, int] = {}

S = TypeVar("S")


def stamp(tag: int, name: str) -> Callable[[type[S]], type[S]]:
    """Give a stamp class its number on the wire and its name in snapshots; neither is ever changed or reused."""

    def register(cls: type[S]) -> type[S]:
        assert tag not in STAMPS, f"stamp {tag} is {STAMPS[tag]}"
        STAMPS[tag] = cls
        TAGS[cls] = tag
        return values.storable(name)(cls)

    return register


class Writer:
    """Appends shapes to `out`, numbering names in the order they are met, after those of `roster`.

    `common` remembers a part from one writer to the next, if both have the same roster.
    """

    __slots__ = ("common_part", "index", "out", "ranged")

    def __init__(self, roster: Mapping[str, int] | None = None, common: CommonPart | None = None) -> None:
        self.out = bytearray()
        self.index = dict(roster or {})
        self.ranged = 0  # names that the complements written so far range over
        self.common_part = common or CommonPart()

    def common(self, of: tuple[object, ...], write: Callable[[Writer], None]) -> None:
        """Append what `write` makes of these values, which the stamps of one message to all destinations share."""
        self.common_part.append(self, of, write)

    def uint(self, number: int) -> None:
        out = self.out
        while number > 127:
            out.append(number & 127 | 128)
            number >>= 7
        out.append(number)

    def uints(self, numbers: Sequence[int]) -> None:
        if not numbers:
            return
        if max(numbers) < 128:
            self.out += bytes(numbers)
        else:
            for number in numbers:
                self.uint(number)

    def name(self, name: str) -> None:
        self.uint(self._number(name))

    def names(self, names: Collection[str]) -> None:
        met = len(self.index)
        self._set(self._numbers(names), met)

    def vector(self, vector: Mapping[str, int]) -> None:
        met = len(self.index)
        self._numbers(vector)
        index = self.index
        pairs = sorted([(index[name], value) for name, value in vector.items()])
        self._set([number for number, _ in pairs], met)
        if pairs:
            least = min(value for _, value in pairs)
            self.uint(least)
            self.uints([value - least for _, value in pairs])

    def table(self, table: Mapping[str, Mapping[str, int]]) -> None:
        for name in self.rows(table):
            self.vector(table[name])

    def name_sets(self, sets: Mapping[str, Collection[str]]) -> None:
        for name in self.rows(sets):
            self.names(sets[name])

    def behind(self, vector: Mapping[str, int], context: Mapping[str, int]) -> None:
        """Append a vector whose values are close below those of `context`."""
        self.vector({name: context[name] - value for name, value in vector.items()})

    def log(self, log: Log, context: Mapping[str, int]) -> None:
        """Append for each sender its clocks, newest first, as differences from `context`, each with its set."""
        for sender in self.rows(log):
            entries = log[sender]
            self.uint(len(entries))
            newer = context[sender]
            for clock in sorted(entries, reverse=True):
                self.uint(newer - clock)
                newer = clock
                self.names(entries[clock])

    def message(self, message: Message) -> None:
        """Append all of a message but its payload."""
        self.name(message.id.sender)
        self.uint(message.id.seq)
        self.names(message.dests)
        if message.group is None:
            self.uint(0)
        else:
            self.uint(1)
            self.name(message.group)

    def stamp(self, stamp: Stamp) -> None:
        self.uint(TAGS[type(stamp)])
        stamp.write(self)

    def bytes(self, data: bytes) -> None:
        self.uint(len(data))
        self.out += data

    def _number(self, name: str) -> int:
        index = self.index
        number = index.get(name)
        if number is None:
            number = index[name] = len(index)
        return number

    def _numbers(self, names: Collection[str]) -> list[int]:
        """Return the numbers of `names`, ascending. Names not met before are met in their own order, never a set's."""
        index = self.index
        try:
            return sorted([index[name] for name in names])
        except KeyError:
            return sorted([self._number(name) for name in sorted(names)])

    def rows(self, table: Mapping[str, Any]) -> list[str]:
        """Append the keys of a table as a set, and return them in the order in which their rows are to follow."""
        self.names(table)
        return sorted(table, key=self.index.__getitem__)

    def _set(self, numbers: list[int], met: int) -> None:
        """Append a set of `numbers`, which ascend. Before this set, `met` names had been met."""
        size = len(numbers)
        bitmap_bytes = numbers[-1] // 8 + 1 if numbers else 0
        missing = met - size
        complement_fits = size and numbers[-1] < met and size <= NAMES_PER_BYTE_MAX * (1 + missing)
        if complement_fits and missing < min(size, bitmap_bytes) and self.ranged + met <= COMPLEMENTS_MAX:
            self.ranged += met
            self.uint(missing << 2 | COMPLEMENT)
            present = set(numbers)
            self._ascending([number for number in range(met) if number not in present])
        elif bitmap_bytes < size:
            bits = 0
            for number in numbers:
                bits |= 1 << number
            self.uint(bitmap_bytes << 2 | BITMAP)
            self.out += bits.to_bytes(bitmap_bytes, "little")
        else:
            self.uint(size << 2 | LIST)
            self._ascending(numbers)

    def _ascending(self, numbers: list[int]) -> None:
        self.uints([number - before for before, number in zip([0, *numbers], numbers, strict=False)])


class Sets:
    """Sets of names read before, by their bytes: sets repeat. Of use only while the names are the same."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[tuple[int, bytes], tuple[list[str], frozenset[str]]] = {}

    def keep(self, key: tuple[int, bytes], read: tuple[list[str], frozenset[str]]) -> None:
        if len(self.known) >= SETS_KEPT_MAX:
            self.known.clear()
        self.known[key] = read


class Reader:
    """Reads shapes from `data` within its bounds; `names` are the roster and then the names of the packet."""

    __slots__ = ("at", "data", "depth", "met", "names_table", "ranged", "sets")

    def __init__(self, data: bytes, names: Sequence[str], at: int = 0, met: int = 0, sets: Sets | None = None) -> None:
        self.data = data
        self.names_table = names
        self.at = at
        self.depth = 0
        self.met = met  # names met so far: the universe of complements, as the writer saw it
        self.sets = sets
        self.ranged = 0  # names that the complements read so far range over

    def uint(self) -> int:
        data, at = self.data, self.at
        if at < len(data) and data[at] < 128:  # most are
            self.at = at + 1
            return data[at]
        number = shift = 0
        while at < len(data):
            byte = data[at]
            at += 1
            if byte < 128:
                self.at = at
                return number | byte << shift
            number |= (byte & 127) << shift
            shift += 7
            if shift > 56:
                raise WireError(f"a number of more than nine bytes at byte {at}")
        raise WireError(f"the packet ends inside a number at byte {at}")

    def octet(self) -> int:
        if self.at >= len(self.data):
            raise WireError(f"the packet ends at byte {self.at}")
        self.at += 1
        return self.data[self.at - 1]

    def uints(self, count: int) -> list[int]:
        chunk = self.data[self.at : self.at + count]
        if len(chunk) < count:
            raise WireError(f"{count} numbers announced at byte {self.at}, where {len(chunk)} bytes are left")
        if chunk.isascii():
            self.at += count
            return list(chunk)
        return [self.uint() for _ in range(count)]

    def name(self) -> str:
        number = self.uint()
        self._meet(number)
        return self.names_table[number]

    def names(self) -> frozenset[str]:
        return self._named_set()[1]

    def vector(self) -> dict[str, int]:
        names = self.rows()
        if not names:
            return {}
        least = self.uint()
        above = self.uints(len(names))
        if least + max(above) > UINT_MAX:
            raise WireError(f"a value of {least} and {max(above)} above it before byte {self.at}")
        return dict(zip(names, map(least.__add__, above), strict=True))

    def rows(self) -> list[str]:
        """Return the keys of a table, in order. Do not change the list: who reads the same bytes gets the same list."""
        return self._named_set()[0]

    def table(self) -> dict[str, dict[str, int]]:
        return {name: self.vector() for name in self.rows()}

    def name_sets(self) -> dict[str, frozenset[str]]:
        return {name: self.names() for name in self.rows()}

    def behind(self, context: Mapping[str, int]) -> dict[str, int]:
        names = self.rows()
        if not names:
            return {}
        least = self.uint()
        ages = zip(names, self.uints(len(names)), strict=True)
        clocks = {name: context.get(name, 0) - least - age for name, age in ages}
        if min(clocks.values()) < 1:
            raise WireError(f"a clock older than the first before byte {self.at}")
        return clocks

    def log(self, context: Mapping[str, int]) -> dict[str, dict[int, frozenset[str]]]:
        log = {}
        for sender in self.rows():
            entries: dict[int, frozenset[str]] = {}
            clock = context.get(sender, 0)
            count = self.count()
            if not count:
                raise WireError(f"a log of {sender} without an entry before byte {self.at}")
            for _ in range(count):
                clock -= self.uint()
                if clock < 1 or clock in entries:
                    raise WireError(f"a log entry of {sender} at clock {clock} before byte {self.at}")
                entries[clock] = self.names()
            log[sender] = entries
        return log

    def message(self) -> tuple[MessageId, frozenset[str], str | None]:
        sender, seq, dests = self.name(), self.uint(), self.names()
        if not seq or not dests:
            raise WireError(f"message {seq} of {sender} to {len(dests)} destinations, before byte {self.at}")
        grouped = self.uint()
        if grouped > 1:
            raise WireError(f"{grouped} where 0 or 1 tells whether there is a group, before byte {self.at}")
        return MessageId(sender, seq), dests, self.name() if grouped else None

    def stamp(self) -> Any:
        """Return a stamp, which may have another inside it, up to `STAMP_DEPTH_MAX` deep."""
        tag = self.uint()
        cls = STAMPS.get(tag)
        if cls is None:
            refusal = TooNew if tag > max(STAMPS) else WireError
            raise refusal(unknown(f"a packet with stamp {tag} before byte {self.at}"))
        if self.depth >= STAMP_DEPTH_MAX:
            raise WireError(f"stamps nested too deep before byte {self.at}")
        self.depth += 1
        stamp = cls.read(self)
        self.depth -= 1
        return stamp

    def bytes(self) -> bytes:
        size = self.count()
        self.at += size
        return self.data[self.at - size : self.at]

    def count(self) -> int:
        """Return how many things of at least a byte each follow: never more than there are bytes left."""
        count = self.uint()
        if count > len(self.data) - self.at:
            raise WireError(f"{count} announced before byte {self.at}, where {len(self.data) - self.at} bytes are left")
        return count

    def _meet(self, number: int) -> None:
        if number >= len(self.names_table):
            raise WireError(f"name {number} before byte {self.at}, where the packet has {len(self.names_table)}")
        if number >= self.met:
            self.met = number + 1

    def _named_set(self) -> tuple[list[str], frozenset[str]]:
        """Return a set of names, both in the order of their numbers and as a set."""
        sets, data, start = self.sets, self.data, self.at
        if sets is None or start >= len(data):
            return self._read_set()
        short = data[start : start + 1 + (data[start] >> 2)]
        key = (self.met, short)
        known = sets.known.get(key)
        if known is not None:
            self.at = start + len(short)
            return known
        read = self._read_set()
        if self.at == start + len(short):  # every number took one byte, so these bytes are the whole set
            sets.keep(key, read)
        return read

    def _read_set(self) -> tuple[list[str], frozenset[str]]:
        names = [self.names_table[number] for number in self._set()]
        return names, frozenset(names)

    def _set(self) -> list[int]:
        start = self.at
        header = self.uint()
        size, form = header >> 2, header & 3
        if size > len(self.data) - self.at:
            raise WireError(f"a set of {size} before byte {self.at}, where {len(self.data) - self.at} bytes are left")
        if form == BITMAP:
            chunk = self.data[self.at : self.at + size]
            self.at += size
            numbers = [base * 8 + bit for base, byte in enumerate(chunk) if byte for bit in BITS_OF_BYTE[byte]]
        elif form in (LIST, COMPLEMENT):
            numbers = self._ascending(size)
        else:
            raise WireError(f"a set of unknown form {form} before byte {self.at}")
        if form == COMPLEMENT:
            absent = set(numbers)
            self.ranged += self.met
            if self.met > NAMES_PER_BYTE_MAX * (self.at - start) + size or self.ranged > COMPLEMENTS_MAX:
                raise WireError(f"a complement among {self.met} names in {self.at - start} bytes before byte {self.at}")
            numbers = [number for number in range(self.met) if number not in absent]
        elif numbers:
            self._meet(numbers[-1])
        return numbers

    def _ascending(self, size: int) -> list[int]:
        gaps = self.uints(size)
        if 0 in gaps[1:]:
            raise WireError(f"a set that names something twice before byte {self.at}")
        return list(accumulate(gaps))
