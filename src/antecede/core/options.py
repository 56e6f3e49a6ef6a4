"""The options of `create` are checked by name before an algorithm sees them: a wrong value is refused, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite

from antecede.core.errors import Misuse


def check(options: Mapping[str, object]) -> None:
    """Raise `Misuse` for the first option whose value makes no sense."""
    for name, value in sorted(options.items()):
        if name in _CHECKS:
            is_valid, wanted = _CHECKS[name]
            if not is_valid(value):
                raise Misuse(f"{name} must be {wanted}, not {value!r}")


def _whole(least: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least


def _seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0


def _flag(value: object) -> bool:
    return isinstance(value, bool)


_CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "acknowledge_every": (_whole(1), "a number of deliveries, 1 or more"),
    "hold_back_limit": (_whole(0), "a number of packets, 0 or more"),
    "memory": (_whole(1), "a number of messages, 1 or more"),
    "multicast": (_flag, "True or False"),
    "numbered": (_flag, "True or False"),
    "resynch_after_s": (_seconds, "a number of seconds, 0 or more"),
}
