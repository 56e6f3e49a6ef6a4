"""Which values the options of ordering algorithms may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from antecede.core.errors import Misuse
from antecede.core.roster import is_finite_number


def check_options(options: Mapping[str, object]) -> None:
    """Raise `Misuse` for the first option whose value makes no sense, before an algorithm sees it."""
    for name, value in sorted(options.items()):
        if name in CHECKS:
            is_valid, wanted = CHECKS[name]
            if not is_valid(value):
                raise Misuse(f"{name} must be {wanted}, not {value!r}")


def _is_whole(least: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_seconds(value: object) -> bool:
    return isinstance(value, int | float) and is_finite_number(value) and value >= 0


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "acknowledge_every": (_is_whole(1), "a number of deliveries, 1 or more"),
    "acyclic": (_is_flag, "True or False"),
    "bit_string": (_is_flag, "True or False"),
    "differential": (_is_flag, "True or False"),
    "hold_back_limit": (_is_whole(0), "a number of packets, 0 or more"),
    "memory": (_is_whole(1), "a number of messages, 1 or more"),
    "multicast": (_is_flag, "True or False"),
    "numbered": (_is_flag, "True or False"),
    "own_count": (_is_flag, "True or False"),
    "repeat_after_s": (_is_seconds, "a number of seconds, 0 or more"),
    "resynch_after_s": (_is_seconds, "a number of seconds, 0 or more"),
}
