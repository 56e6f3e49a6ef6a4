"""Who represents whom in a `hierarchy`: clusters as they are chosen, and where a newcomer is placed."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from math import isqrt
from typing import TypeAlias

from antecede.core.algorithm import Ordering
from antecede.core.errors import Misuse
from antecede.core.ordering.ks import Ks
from antecede.core.ordering.prs import Prs
from antecede.core.ordering.rst import Rst
from antecede.core.ordering.ses import Ses
from antecede.core.roster import checked_names
from antecede.core.types import ProcessId
from antecede.core.wire import shapes

INNER: dict[str, type[Ordering]] = {"ks": Ks, "prs": Prs, "rst": Rst, "ses": Ses}
"""The algorithms that representatives may run, by name."""
Clusters: TypeAlias = Mapping[ProcessId, Iterable[ProcessId]]
LEVELS_MAX = shapes.STAMP_DEPTH_MAX - 2
"""Levels of representatives. Each puts its stamp around that of the level above; the channel number is around all."""


def levels_of(
    processes: Iterable[ProcessId], chosen: object, successors: Mapping[ProcessId, ProcessId]
) -> list[dict[ProcessId, ProcessId]]:
    """Return for each level the representative of each process in it, the lowest level first.

    `chosen` are the clusters of the lowest level, or a list with those of each level; see `clusters`. In each level but
    the lowest are the representatives of the one below. A representative that has left is in `successors`.
    """
    levels = list(chosen) if isinstance(chosen, list | tuple) and all(map(_is_level, chosen)) and chosen else [chosen]
    if len(levels) > LEVELS_MAX:
        raise Misuse(f"a hierarchy has at most {LEVELS_MAX} levels, not {len(levels)}")
    through: list[dict[ProcessId, ProcessId]] = []
    for level in levels:
        through.append(clusters(through[-1].values() if through else {*processes, *successors}, level))
    unknown = sorted(successors.keys() - set(through[0].values()))
    if unknown:
        raise Misuse(f"{unknown[0]!r} has a successor, and is not among the representatives")
    for former, successor in sorted(successors.items()):
        if through[0][successor] != former:
            raise Misuse(f"{successor!r} succeeds {former!r}, and is not in its cluster")
    return through


def checked_successors(processes: Iterable[ProcessId], successors: object) -> dict[ProcessId, ProcessId]:
    """Return who plays the role of each representative that has left, or raise `Misuse` if nobody can."""
    if successors is None:
        return {}
    if not isinstance(successors, Mapping):
        raise Misuse(f"successors must be a mapping of each representative that has left to one, not {successors!r}")
    present = set(processes)
    for former, successor in successors.items():
        checked_names("successors", [former, successor])
        if former in present or successor not in present:
            raise Misuse(f"{successor!r} succeeds {former!r}: the first must be among the processes, the other not")
    return dict(successors)


def clusters(processes: Iterable[ProcessId], chosen: object) -> dict[ProcessId, ProcessId]:
    """Return the representative of each process.

    `chosen` are the processes of each representative. If it is None, processes are in the order of their names in
    clusters of the square root of their number. Everybody must be told the same. A process that is not among those
    chosen is placed by its name, as a newcomer is.
    """
    everyone = sorted(set(processes))
    if chosen is None:
        size = max(1, isqrt(len(everyone)))
        return {process: everyone[at - at % size] for at, process in enumerate(everyone)}
    if not isinstance(chosen, Mapping):
        raise Misuse(f"representatives must be a mapping of each to the processes it represents, not {chosen!r}")
    for head, theirs in chosen.items():
        checked_names(f"the processes of representative {head!r}", theirs)
    strangers = sorted(set(checked_names("representatives", chosen)) - set(everyone))
    if strangers:
        raise Misuse(f"{strangers[0]!r} represents others, and is not among the processes {everyone}")
    members = [process for head, theirs in chosen.items() for process in sorted({head, *theirs})]
    if not members or len(set(members)) != len(members):
        raise Misuse(f"representatives must hold every process once, and there must be one: {sorted(members)}")
    through = {process: head for head, theirs in chosen.items() for process in sorted({head, *theirs})}
    heads = sorted(chosen)
    return through | {process: place(process, heads) for process in everyone if process not in through}


def _is_level(chosen: object) -> bool:
    return chosen is None or isinstance(chosen, Mapping)


def place(process: ProcessId, heads: Sequence[ProcessId]) -> ProcessId:
    """Return the representative of a newcomer, which is the same for every process that chooses it."""
    return heads[zlib.crc32(process.encode()) % len(heads)]
