"""Which values the options of ordering algorithms and roaming protocols may have, and what each option is for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

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


def _is_collection(value: object) -> bool:
    return value is None or isinstance(value, Collection)


CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "acknowledge_every": (_is_whole(1), "a number of deliveries, 1 or more"),
    "acyclic": (_is_flag, "True or False"),
    "bare_resynch": (_is_flag, "True or False"),
    "bit_string": (_is_flag, "True or False"),
    "differential": (_is_flag, "True or False"),
    "hold_back_limit": (_is_whole(0), "a number of packets, 0 or more"),
    "links": (_is_collection, "pairs of names, such as [('a', 'b')]; of a Graph, its .links"),
    "memory": (_is_whole(1), "a number of messages, 1 or more"),
    "multicast": (_is_flag, "True or False"),
    "numbered": (_is_flag, "True or False"),
    "own_count": (_is_flag, "True or False"),
    "repeat_after_s": (_is_seconds, "a number of seconds, 0 or more"),
    "resynch_after_s": (_is_seconds, "a number of seconds, 0 or more"),
}

PURPOSES: dict[str, str] = {
    "acknowledge_every": "After so many deliveries without a message of its own, a process says what it has delivered.",
    "acyclic": "The groups have no cycle: a stamp has entries for the groups of its sender only (003 §4.3).",
    "any_order": "Concurrent messages of one cell are delivered in any order, and nothing is held back without need.",
    "bare_resynch": "A resynchronisation stands for one phase and carries no count: channels must not duplicate.",
    "bit_string": "Stamps are written as strings of bits, as in 000 §7.1.",
    "combine": "A station sends one acknowledgement for all hosts of its cell (000 §9.3).",
    "differential": "A packet tells only what is new since the packet before to the same process (002 §3.5).",
    "hold_back_limit": (
        "How many packets a process holds back at most, or how many messages wait to leave or are carried along, as "
        "the algorithm has it; the next one raises `LimitReached`."
    ),
    "hold_max": "How many messages a station holds back for one host at most.",
    "inner": "The algorithm that the representatives of the highest level run: ks, prs, rst or ses.",
    "links": "Messages go along these links only, and a stamp leaves out what is then useless (000 §3).",
    "logical": "How many logical stations a station has (001 §6).",
    "memory": "How many messages of each sender a process remembers, so that a repetition is not delivered again.",
    "multicast": "One packet is for all destinations of a message.",
    "numbered": "Packets are numbered, so that channels need not be FIFO.",
    "own_count": "With False, a message does not carry the count of its own group, which FIFO channels make needless.",
    "repeat_after_s": "A process sends its log again after so many seconds to those who lack a message of it.",
    "representatives": "Who represents whom: a mapping, or one for each level, the lowest first.",
    "resynch_after_s": "A resynchronisation waits for so many seconds, in case a message makes it needless.",
    "successors": "Who plays the role of a representative that has left, for a process that comes later.",
    "token_at": "The process that has the token at first.",
}
"""What each option is for, in a sentence."""
