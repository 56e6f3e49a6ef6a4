"""Snapshots whose checksum is right and whose content is not: a value in them is another of the same type.

`forge` changes one or a few values of a state, somewhere inside. What comes of it is used as a driver uses it: packets
arrive, hosts and processes send, time goes on. Only errors of the project may come of that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from copy import copy
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any

from antecede.core.snapshot import values

NUMBERS = (-1, 0, 1, 2, 3, 7, 10**6)


def forge(snapshot: bytes, random: Random, names: list[str]) -> bytes:
    """Return the snapshot with a few values changed. `names` are those that a name may be changed to."""
    state = values.loads(snapshot)
    for _ in range(random.choice((1, 1, 2, 3))):
        state = _change(state, random, names)
    return values.dumps(state)


def _change(value: Any, random: Random, names: list[str]) -> Any:
    """Return the value with one change in it."""
    kind = type(value)
    if is_dataclass(value):
        return _change_field(value, random, names)
    if kind in (list, tuple, deque, set, frozenset) and value:
        items = sorted(value) if kind in (set, frozenset) else list(value)
        at = random.randrange(len(items))
        items[at : at + 1] = [] if kind is not tuple and random.random() < 0.3 else [_change(items[at], random, names)]
        return kind(items) if not hasattr(value, "_fields") else kind(*items)
    if kind is dict and value:
        key = random.choice(list(value))
        changed = dict(value)
        kept = changed.pop(key)
        if random.random() < 0.4:
            changed[_change(key, random, names)] = kept
        elif random.random() < 0.7:
            changed[key] = _change(kept, random, names)
        return changed
    plain: dict[type, Callable[[], Any]] = {
        bool: lambda: not value,
        int: lambda: random.choice((value - 1, value + 1, *NUMBERS)),
        float: lambda: float(random.choice(NUMBERS)),
        str: lambda: random.choice(names),
        bytes: lambda: random.randbytes(3),
    }
    return plain[kind]() if kind in plain else value


def _change_field(value: Any, random: Random, names: list[str]) -> Any:
    stored = {field.name: getattr(value, field.name) for field in fields(value) if not field.name.startswith("_")}
    if not stored:
        return value
    name = random.choice(sorted(stored))
    changed = copy(value)
    object.__setattr__(changed, name, _change(stored[name], random, names))  # whatever the class itself refuses
    return changed
