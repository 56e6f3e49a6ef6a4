"""Does a value have the type that a field was declared with? Asked of every field that is read from a snapshot.

Types here are those that state is made of: plain values, collections of them, dataclasses, and protocols, which a
dataclass fits that has all their members. The answer is for data whose checksum is right and whose content is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

_HINTS: dict[type[Any], dict[str, Any]] = {}


def hints_of(cls: type[Any]) -> dict[str, Any]:
    """Field -> declared type."""
    if cls not in _HINTS:
        _HINTS[cls] = get_type_hints(cls)
    return _HINTS[cls]


def fits(value: object, hint: Any) -> bool:  # noqa: PLR0911 - one answer for each form of a type
    if hint is Any:
        return True
    kind, inside = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        return any(fits(value, one) for one in inside)
    if kind in (dict, Mapping):
        return type(value) is dict and all(
            fits(key, inside[0]) and fits(item, inside[1]) for key, item in value.items()
        )
    if kind is tuple and inside[-1] is not Ellipsis:
        return type(value) is tuple and len(value) == len(inside) and all(map(fits, value, inside))
    if kind is not None:
        return type(value) is kind and all(fits(item, inside[0]) for item in cast("Iterable[object]", value))
    if getattr(hint, "_is_protocol", False):
        return all(hasattr(type(value), member) for member in vars(hint) if not member.startswith("_"))
    return type(value) is hint or (hint is float and type(value) is int) or (hint is None and value is None)
