"""Snapshots: the state of an algorithm as bytes and back, without pickle.

State is plain values (numbers, strings, bytes, collections) and dataclasses that were declared `storable`. Each value
is a letter for its type and its content; a storable is its stored name and its fields in order, less those whose name
starts with an underscore, which `resume` rebuilds. The stored name is a string that is given where the class is
declared: a class and its fields may be renamed, and no snapshot notices. The reader makes nothing but these types,
checks the length and a checksum first and then every field against its declared type, and raises `SnapshotError` for
anything else. A field that a class no longer has keeps its place in the snapshot and always has the same value there.
A field that a class got later is not written as long as it has its default, and has its default if it is missing.
"""

from __future__ import annotations

import struct
import zlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from antecede.core.errors import Misuse, SnapshotError, too_new, unknown
from antecede.core.snapshot.declared_types import checks_of
from antecede.core.types import Message, MessageId, Packet

VERSION = 1
FAMILY = b"antecede-snapshot-"
MAGIC = FAMILY + b"%d\n" % VERSION
VERSION_DIGITS_MAX = 9
DEPTH_MAX = 32
SHORT_MAX, SHORT_KEPT_MAX = 64, 4096
"""Most values of a snapshot are the same few numbers and names: the latest are kept, up to this length and number."""
HEAD, FLOAT = struct.Struct(">cI"), struct.Struct(">cId")

T = TypeVar("T")
STORABLE: dict[str, type[Any]] = {}
NAMES: dict[type[Any], str] = {}
REMOVED: dict[type[Any], list[tuple[int, object]]] = {}
ADDED: dict[type[Any], list[Field[Any]]] = {}
FIELDS: dict[type[Any], list[str]] = {}


def storable(name: str, removed: Mapping[int, object] | None = None, added: int = 0) -> Callable[[type[T]], type[T]]:
    """Let instances of a dataclass (or named tuple) be part of a snapshot, under a `name` that never changes.

    `removed` has the fields that the class once had: their places in the snapshot, counted from 0, each with the value
    that is written there and the only one that is accepted. `added` is the number of fields at the end that the class
    got later, each with a default.
    """

    def register(cls: type[T]) -> type[T]:
        assert name not in STORABLE, f"{name!r} is stored for {STORABLE[name]}"
        STORABLE[name] = cls
        NAMES[cls] = name
        REMOVED[cls] = sorted((removed or {}).items())
        FIELDS[cls] = _stored_fields(cls)
        if added:
            ADDED[cls] = [field for field in fields(cls) if field.name in FIELDS[cls][-added:]]  # type: ignore[arg-type]  # a class with added fields is a dataclass
        WRITERS[cls] = _write_storable
        return cls

    return register


def _stored_fields(cls: type[Any]) -> list[str]:
    """Return the names of the fields of `cls` that are stored, in order."""
    names = getattr(cls, "_fields", None) or [field.name for field in fields(cls)]
    return [name for name in names if not name.startswith("_")]


def dumps(value: object) -> bytes:
    """Return `value` as a snapshot."""
    out = bytearray()
    _write(value, out)
    return MAGIC + struct.pack(">II", len(out), zlib.crc32(out)) + bytes(out)


def loads(data: bytes) -> object:
    """Return the value that `dumps` was given. Raise `SnapshotError` if `data` is anything else."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise SnapshotError(f"a snapshot must be bytes, not {type(data).__name__}")
    head, data = len(MAGIC) + 8, bytes(data)
    if (version := _version(data)) > VERSION:
        raise SnapshotError(too_new("the snapshot", version, VERSION))
    if len(data) < head or not data.startswith(MAGIC):
        raise SnapshotError("not a snapshot of this version")
    size, checksum = struct.unpack(">II", data[len(MAGIC) : head])
    body = data[head:]
    if len(body) != size or zlib.crc32(body) != checksum:
        raise SnapshotError(f"a snapshot of {size} bytes is damaged: {len(body)} bytes, wrong checksum or length")
    try:
        (value,), end = _read(body, 0, 1, 0)
    except (IndexError, KeyError, TypeError, ValueError, UnicodeDecodeError, struct.error, Misuse) as error:
        raise SnapshotError(f"not a snapshot of this version: {error}") from error
    if end != len(body):
        raise SnapshotError(f"{len(body) - end} bytes after the end of a snapshot")
    return value


class Resumable(Protocol):
    """What rebuilds after a restore what a snapshot leaves out."""

    def resume(self) -> None: ...


def resume(restored: Resumable) -> None:
    """Let what was read resume. Raise `SnapshotError` if it cannot: the checksum is right, and the content is not."""
    try:
        restored.resume()
    except (AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise SnapshotError(f"a snapshot whose parts do not fit together: {error!r}") from error


def _version(data: bytes) -> int:
    """Return the version that the head of a snapshot states; 0 if it states none."""
    digits = data[len(FAMILY) : len(FAMILY) + VERSION_DIGITS_MAX + 1].partition(b"\n")[0]
    return int(digits) if data.startswith(FAMILY) and digits.isdigit() else 0


def _write(value: Any, out: bytearray) -> None:
    WRITERS[type(value)](value, out)


def _write_storable(value: Any, out: bytearray) -> None:
    kind = type(value)
    stored = [getattr(value, name) for name in FIELDS[kind]]
    for field in reversed(ADDED.get(kind, ())):
        if stored[-1] != _default_of(field):
            break
        stored.pop()
    for place, constant in REMOVED[kind]:
        stored.insert(place, constant)
    out += HEAD.pack(b"c", len(stored))
    _write(NAMES[kind], out)
    for item in stored:
        _write(item, out)


def _default_of(field: Field[Any]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _make_storable(cls: type[Any], values: list[Any]) -> Any:
    """Return an instance of `cls` with the stored `values`, each of which has to fit the type of its field.

    The checksum of the snapshot is right by now; the check is for a content that is not.
    """
    for place, constant in reversed(REMOVED[cls]):
        if (value := values.pop(place)) != constant:
            raise ValueError(f"field {place} of a {NAMES[cls]} is {value!r}, which is no longer supported")
    checks = checks_of(cls)
    missing = min(len(ADDED.get(cls, ())), max(0, len(FIELDS[cls]) - len(values)))
    stored = dict(zip(FIELDS[cls][: len(FIELDS[cls]) - missing], values, strict=True))
    for name, value in stored.items():
        if not checks[name]((value,)):
            raise TypeError(f"{name} of a {NAMES[cls]} is a {type(value).__name__}, or holds what it should not")
    return cls(**stored)


def _type_named(name: object) -> type[Any]:
    if not isinstance(name, str) or name not in STORABLE:
        raise ValueError(unknown(f"it holds a {name!r}"))
    return STORABLE[name]


def _chunk(letter: bytes, data: bytes) -> bytes:
    return HEAD.pack(letter, len(data)) + data


def _int_chunk(value: int) -> bytes:
    return _chunk(b"i", value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))


SMALL_INTS = [_int_chunk(value) for value in range(1_000)]


@lru_cache(SHORT_KEPT_MAX)
def _short_text(value: str) -> bytes:
    return _chunk(b"s", value.encode())


def _write_int(value: int, out: bytearray) -> None:
    out += SMALL_INTS[value] if 0 <= value < len(SMALL_INTS) else _int_chunk(value)


def _write_text(value: str, out: bytearray) -> None:
    out += _short_text(value) if len(value) <= SHORT_MAX else _chunk(b"s", value.encode())


def _write_mapping(value: Any, out: bytearray) -> None:
    out += HEAD.pack(b"m", len(value))
    for key, item in value.items():
        WRITERS[type(key)](key, out)
        WRITERS[type(item)](item, out)


def _write_items(letter: bytes) -> Callable[[Any, bytearray], None]:
    def write(items: Any, out: bytearray) -> None:
        out += HEAD.pack(letter, len(items))
        for item in items:
            _write(item, out)

    return write


def _write_sorted_items(letter: bytes) -> Callable[[Any, bytearray], None]:
    write = _write_items(letter)
    return lambda items, out: write(sorted(items), out)  # a set has no order of its own: equal states, equal bytes


WRITERS: dict[type[Any], Callable[[Any, bytearray], None]] = {
    type(None): lambda _, out: out.extend(HEAD.pack(b"n", 0)),
    bool: lambda value, out: out.extend(HEAD.pack(b"b", value)),
    int: _write_int,
    float: lambda value, out: out.extend(FLOAT.pack(b"f", 8, value)),
    str: _write_text,
    bytes: lambda value, out: out.extend(_chunk(b"y", value)),
    tuple: _write_items(b"t"),
    list: _write_items(b"l"),
    deque: _write_items(b"q"),
    set: _write_sorted_items(b"e"),
    frozenset: _write_sorted_items(b"z"),
    dict: _write_mapping,
}


CHUNKS: dict[bytes, Callable[[bytes], object]] = {
    b"i": lambda data: int.from_bytes(data, "big", signed=True),
    b"f": lambda data: struct.unpack(">d", data)[0],
    b"s": bytes.decode,
    b"y": bytes,
}
SINGLE: dict[bytes, Callable[[int], object]] = {b"n": lambda _: None, b"b": bool}
COLLECTIONS: dict[bytes, Callable[[list[Any]], object]] = {
    b"t": tuple,
    b"l": list,
    b"q": deque,
    b"e": set,
    b"z": frozenset,
    b"m": lambda items: dict(zip(items[::2], items[1::2], strict=True)),
    b"c": lambda items: _make_storable(_type_named(items[0]), items[1:]),
}


SHORT_READ: dict[bytes, object] = {}
"""The latest short numbers and texts that were read, by their bytes with the letter and the length."""


def _read_chunk(letter: bytes, data: bytes) -> object:
    value = CHUNKS[letter](data)
    if len(data) <= SHORT_MAX:
        if len(SHORT_READ) >= SHORT_KEPT_MAX:
            SHORT_READ.clear()
        SHORT_READ[_chunk(letter, data)] = value
    return value


def _read(data: bytes, at: int, count: int, depth: int) -> tuple[list[Any], int]:
    """Return `count` values, the first of which begins at byte `at`, and where the last of them ends."""
    if depth > DEPTH_MAX and count:
        raise ValueError(f"nested deeper than {DEPTH_MAX}")
    values: list[Any] = []
    for _ in range(count):
        letter, size = HEAD.unpack_from(data, at)
        end = at + HEAD.size + size
        if size <= SHORT_MAX and (short := SHORT_READ.get(data[at:end])) is not None:
            values.append(short)
            at = end
            continue
        at += HEAD.size
        if letter in SINGLE:
            values.append(SINGLE[letter](size))
        elif size > len(data) - at:
            raise ValueError(f"{size} announced at byte {at}, where {len(data) - at} bytes are left")
        elif letter in CHUNKS:
            values.append(_read_chunk(letter, data[at:end]))
            at = end
        else:
            items, at = _read(data, at, size * 2 if letter == b"m" else size + 1 if letter == b"c" else size, depth + 1)
            values.append(COLLECTIONS[letter](items))
    return values, at


storable("Message")(Message)
storable("MessageId")(MessageId)
storable("Packet")(Packet)
