"""Check values against the type that a field was declared with.

Types here are those that state is made of: plain values, collections of them, dataclasses, and protocols, which a
dataclass fits that has all their members. A `Check` is made once for each declared type. It takes many values at a
time, because most values are items of large collections, and for those one set of exact types answers at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

Check: TypeAlias = Callable[[Iterable[Any]], bool]
"""A function that returns whether all of these values fit."""

ACCEPTED: dict[type[Any] | None, frozenset[type[Any]]] = {float: frozenset({float, int}), None: frozenset({type(None)})}
"""The exact types that are accepted, if they are not the declared one alone."""
CHECKS: dict[type[Any], dict[str, Check]] = {}


def checks_of(cls: type[Any]) -> dict[str, Check]:
    """Return, for each field of a class, the check of its declared type, worked out once."""
    if cls not in CHECKS:
        CHECKS[cls] = {name: _check_of(hint) for name, hint in get_type_hints(cls).items()}
    return CHECKS[cls]


@cache
def _check_of(hint: Any) -> Check:  # noqa: PLR0911 - one check for each form of a type
    """Return the check of a declared type."""
    if hint is Any:
        return lambda _: True
    kind, inside = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        checks = [_check_of(one) for one in inside]
        return lambda values: all(any(check((one,)) for check in checks) for one in values)
    if kind in (dict, Mapping):
        keys, items = map(_check_of, inside)
        return lambda values: all(type(one) is dict and keys(one) and items(one.values()) for one in values)
    if kind is tuple and inside[-1] is not Ellipsis:
        places = [_check_of(one) for one in inside]
        return lambda values: all(type(one) is tuple and _fit_places(one, places) for one in values)
    if kind is not None:
        items = _check_of(inside[0])
        return lambda values: all(type(one) is kind and items(one) for one in values)
    if getattr(hint, "_is_protocol", False):
        members = [member for member in vars(hint) if not member.startswith("_")]
        return lambda values: all(hasattr(kind, member) for kind in set(map(type, values)) for member in members)
    accepted = ACCEPTED.get(hint, frozenset({hint}))
    return lambda values: accepted.issuperset(map(type, values))


def _fit_places(values: tuple[Any, ...], checks: list[Check]) -> bool:
    return len(values) == len(checks) and all(check((one,)) for one, check in zip(values, checks, strict=True))
