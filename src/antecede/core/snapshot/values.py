"""Snapshots: the state of an algorithm as bytes and back, without pickle.

State is plain values (numbers, strings, bytes, collections) and dataclasses that were declared `storable`. Each value
is a letter for its type and its content; a storable is its stored name and its fields in order, less those whose name
starts with an underscore, which `resume` rebuilds. The stored name is a string that is given where the class is
declared: a class and its fields may be renamed, and no snapshot notices. The reader makes nothing but these types,
checks the length and a checksum first and then every field against its declared type, and raises `SnapshotError` for
anything else. A field that a class no longer has keeps its place in the snapshot and always has the same value there.
"""

from __future__ import annotations

import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from types import UnionType
from typing import Any, Protocol, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from antecede.core.errors import Misuse, SnapshotError, too_new, unknown
from antecede.core.types import Message, MessageId, Packet

VERSION = 1
FAMILY = b"antecede-snapshot-"
MAGIC = FAMILY + b"%d\n" % VERSION
VERSION_DIGITS_MAX = 9
DEPTH_MAX = 32

T = TypeVar("T")
STORABLE: dict[str, type[Any]] = {}
NAMES: dict[type[Any], str] = {}
REMOVED: dict[type[Any], list[tuple[int, object]]] = {}
_HINTS: dict[type[Any], dict[str, Any]] = {}


def storable(name: str, removed: Mapping[int, object] | None = None) -> Callable[[type[T]], type[T]]:
    """Let instances of a dataclass (or named tuple) be part of a snapshot, under a `name` that never changes.

    `removed` has the fields that the class once had: their places in the snapshot, counted from 0, each with the value
    that is written there and the only one that is accepted.
    """

    def register(cls: type[T]) -> type[T]:
        assert name not in STORABLE, f"{name!r} is stored for {STORABLE[name]}"
        STORABLE[name] = cls
        NAMES[cls] = name
        REMOVED[cls] = sorted((removed or {}).items())
        return cls

    return register


storable("Message")(Message)
storable("MessageId")(MessageId)
storable("Packet")(Packet)


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
        value, end = _read(body, 0, 0)
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


def _stored_fields(cls: type[Any]) -> list[str]:
    """Return the names of the fields of `cls` that are stored, in order."""
    names = getattr(cls, "_fields", None) or [field.name for field in fields(cls)]
    return [name for name in names if not name.startswith("_")]


def _write(value: Any, out: bytearray) -> None:
    kind = type(value)
    stored_name = NAMES.get(kind)
    if stored_name is not None:
        stored = [getattr(value, name) for name in _stored_fields(kind)]
        for place, constant in REMOVED[kind]:
            stored.insert(place, constant)
        _head(b"c", len(stored), out)
        _write(stored_name, out)
        for item in stored:
            _write(item, out)
    else:
        PLAIN[kind](value, out)


def _make_storable(cls: type[Any], values: list[Any]) -> Any:
    """Return an instance of `cls` with the stored `values`, each of which has to fit the type of its field."""
    for place, constant in reversed(REMOVED[cls]):
        if (value := values.pop(place)) != constant:
            raise ValueError(f"field {place} of a {NAMES[cls]} is {value!r}, which is no longer supported")
    hints = _hints_of(cls)
    stored = dict(zip(_stored_fields(cls), values, strict=True))
    for name, value in stored.items():
        if not _fits(value, hints[name]):
            raise TypeError(f"{name} of a {NAMES[cls]} is a {type(value).__name__}, or holds what it should not")
    return cls(**stored)


def _hints_of(cls: type[Any]) -> dict[str, Any]:
    """Return the declared type of each field, worked out once."""
    if cls not in _HINTS:
        _HINTS[cls] = get_type_hints(cls)
    return _HINTS[cls]


def _fits(value: object, hint: Any) -> bool:  # noqa: PLR0911 - one answer for each form of a type
    """Return whether `value` has the type that a field was declared with.

    Types here are those that state is made of: plain values, collections of them, dataclasses, and protocols, which a
    dataclass fits that has all their members. The answer is for data whose checksum is right and whose content is not.
    """
    if hint is Any:
        return True
    kind, inside = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        return any(_fits(value, one) for one in inside)
    if kind in (dict, Mapping):
        return type(value) is dict and all(
            _fits(key, inside[0]) and _fits(item, inside[1]) for key, item in value.items()
        )
    if kind is tuple and inside[-1] is not Ellipsis:
        return type(value) is tuple and len(value) == len(inside) and all(map(_fits, value, inside))
    if kind is not None:
        return type(value) is kind and all(_fits(item, inside[0]) for item in cast("Iterable[object]", value))
    if getattr(hint, "_is_protocol", False):
        return all(hasattr(type(value), member) for member in vars(hint) if not member.startswith("_"))
    return type(value) is hint or (hint is float and type(value) is int) or (hint is None and value is None)


def _type_named(name: object) -> type[Any]:
    if not isinstance(name, str) or name not in STORABLE:
        raise ValueError(unknown(f"it holds a {name!r}"))
    return STORABLE[name]


def _head(letter: bytes, size: int, out: bytearray) -> None:
    out += letter
    out += struct.pack(">I", size)


def _chunk(letter: bytes, data: bytes, out: bytearray) -> None:
    _head(letter, len(data), out)
    out += data


def _items(letter: bytes) -> Callable[[Any, bytearray], None]:
    def write(items: Any, out: bytearray) -> None:
        _head(letter, len(items), out)
        for item in items:
            _write(item, out)

    return write


def _sorted_items(letter: bytes) -> Callable[[Any, bytearray], None]:
    write = _items(letter)
    return lambda items, out: write(sorted(items), out)  # a set has no order of its own: equal states, equal bytes


def _mapping(value: Any, out: bytearray) -> None:
    _head(b"m", len(value), out)
    for key, item in value.items():
        _write(key, out)
        _write(item, out)


def _int(value: int, out: bytearray) -> None:
    _chunk(b"i", value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True), out)


PLAIN: dict[type, Callable[[Any, bytearray], None]] = {
    type(None): lambda _, out: _head(b"n", 0, out),
    bool: lambda value, out: _head(b"b", int(value), out),
    int: _int,
    float: lambda value, out: _chunk(b"f", struct.pack(">d", value), out),
    str: lambda value, out: _chunk(b"s", value.encode(), out),
    bytes: lambda value, out: _chunk(b"y", value, out),
    tuple: _items(b"t"),
    list: _items(b"l"),
    deque: _items(b"q"),
    set: _sorted_items(b"e"),
    frozenset: _sorted_items(b"z"),
    dict: _mapping,
}
CHUNKS: dict[bytes, Callable[[bytes], object]] = {
    b"i": lambda data: int.from_bytes(data, "big", signed=True),
    b"f": lambda data: struct.unpack(">d", data)[0],
    b"s": lambda data: data.decode(),
    b"y": bytes,
}
COLLECTIONS: dict[bytes, Callable[[list[Any]], object]] = {
    b"t": tuple,
    b"l": list,
    b"q": deque,
    b"e": set,
    b"z": frozenset,
}


def _read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    if depth > DEPTH_MAX:
        raise ValueError(f"nested deeper than {DEPTH_MAX}")
    letter = data[at : at + 1]
    (size,) = struct.unpack_from(">I", data, at + 1)
    at += 5
    if letter in (b"n", b"b"):
        return (None if letter == b"n" else bool(size)), at
    if size > len(data) - at:
        raise ValueError(f"{size} announced at byte {at}, where {len(data) - at} bytes are left")
    if letter in CHUNKS:
        return CHUNKS[letter](data[at : at + size]), at + size
    items = []
    for _ in range(size * 2 if letter == b"m" else size + 1 if letter == b"c" else size):
        item, at = _read(data, at, depth + 1)
        items.append(item)
    if letter == b"m":
        return dict(zip(items[::2], items[1::2], strict=True)), at
    if letter == b"c":
        return _make_storable(_type_named(items[0]), items[1:]), at
    return COLLECTIONS[letter](items), at
