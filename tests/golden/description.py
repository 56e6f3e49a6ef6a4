"""What a decoded value is, as JSON: what golden files say that their bytes mean.

A value of a storable type is its stored name and the values of its fields in order, so that a golden file names no
class and no field of the code. Bytes are `{"hex": ...}`, mappings are lists of pairs, and sets are sorted lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from antecede import Deliver, MessageId, Sent, SetTimer, Transmit
from antecede.core.mobile.effects import Dropped, Radio
from antecede.core.snapshot import values


def describe(value: Any) -> Any:
    """Return `value` as JSON has it."""
    if type(value) in values.NAMES:
        return {"is": values.NAMES[type(value)], "holds": [describe(getattr(value, name)) for name in _fields(value)]}
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, Mapping):
        return sorted(([describe(key), describe(item)] for key, item in value.items()), key=str)
    if isinstance(value, set | frozenset):
        return sorted((describe(item) for item in value), key=str)
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    assert value is None or isinstance(value, bool | int | float | str), value
    return value


def summarise(effects: Iterable[object]) -> list[list[Any]]:
    """Return what can be seen of `effects` from outside: neither stamps nor sizes, which may be made better."""
    return [_summary(effect) for effect in effects]


def _summary(effect: object) -> list[Any]:
    if isinstance(effect, Sent):
        return ["sent", str(effect.message.id)]
    if isinstance(effect, Deliver):
        return ["deliver", str(effect.message.id), effect.message.payload.hex()]
    if isinstance(effect, Transmit | Radio):
        word = "transmit" if isinstance(effect, Transmit) else "radio"
        message = effect.packet.message
        return [word, effect.to, None if message is None else str(message.id)]
    if isinstance(effect, SetTimer):
        return ["timer", effect.at]
    assert isinstance(effect, Dropped), effect
    return ["dropped", effect.host, str(effect.message)]


def _fields(value: Any) -> list[str]:
    names = list(MessageId._fields) if isinstance(value, MessageId) else [field.name for field in fields(value)]
    return [name for name in names if not name.startswith("_")]
