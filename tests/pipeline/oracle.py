"""What the checker must count, straight from the definition: the events of one run as a graph, and who reaches whom.

Deliberately naive, and shares nothing with the pipeline: no vectors, no ranks, no windows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.pipeline.traces import Row

COUNTED = ("messages", "deliveries", "violations", "overtaken", "lost", "duplicates", "spurious")


@dataclass(frozen=True, slots=True)
class Expected:
    """By (process, index) of a deliver: what it is, and the messages it overtook.

    `witnesses` has a sentence for each message that the first violating deliver by (process, index) overtook.
    """

    verdict: str
    counts: dict[str, int]
    overtaken: dict[tuple[str, int], set[str | None]] = field(default_factory=dict)
    witnesses: frozenset[str] = frozenset()


def expected(rows: Sequence[Row]) -> Expected:
    """The answer for one run."""
    kind = "deliver" if any(row.kind == "deliver" for row in rows) else "receive"
    sends = {row.message: row for row in rows if row.kind == "send"}
    delivers = sorted((row for row in rows if row.kind == kind), key=lambda row: row.index)
    firsts: dict[tuple[str | None, str], Row] = {}
    for row in delivers:
        firsts.setdefault((row.message, row.process), row)
    after = _reachable(rows, sends, delivers)
    cyclic = any(row in later for row, later in after.items())
    overtaken: dict[tuple[str, int], set[str | None]] = {}
    for (message, process), row in firsts.items():
        if cyclic or message not in sends or process not in sends[message].dests:
            continue
        late = {
            other.message
            for (name, place), other in firsts.items()
            if place == process and other.index > row.index and name in sends and process in sends[name].dests
            if sends[message] in after[sends[name]]
        }
        if late:
            overtaken[process, row.index] = late
    paired = any(message in sends for message, _ in firsts)
    counts = {
        "events": len(rows),
        "processes": len({row.process for row in rows}),
        "messages": len(sends),
        "deliveries": len(delivers),
        "violations": len(overtaken),
        "overtaken": sum(map(len, overtaken.values())),
        "lost": sum((name, dest) not in firsts for name, send in sends.items() for dest in set(send.dests)),
        "duplicates": len(delivers) - len(firsts),
        "spurious": sum(name not in sends or place not in sends[name].dests for name, place in firsts),
    }
    verdict = "violated" if overtaken else "holds" if paired and not cyclic else "undecidable"
    return Expected(verdict, counts, overtaken, frozenset(_witnesses(delivers, overtaken)))


def _witnesses(delivers: Sequence[Row], overtaken: Mapping[tuple[str, int], set[str | None]]) -> Iterator[str]:
    for place in sorted(overtaken)[:1]:
        (message,) = (row.message for row in delivers if (row.process, row.index) == place)
        for late in overtaken[place]:
            yield f"{place[0]} delivered {message} before {late}, which may have caused it"


def assert_found(counts: Mapping[str, int], deliveries: Iterable[Mapping[str, Any]], wanted: Expected) -> None:
    """Assert that one run has the counts, the violations and the witnesses that the definition has.

    `deliveries` has a row for each violating deliver, and may have others.
    """
    assert {name: counts[name] for name in COUNTED} == {name: wanted.counts[name] for name in COUNTED}
    violations = {(row["process"], row["index"]): row for row in deliveries if row["overtaken"]}
    assert {place: row["overtaken"] for place, row in violations.items()} == {
        place: len(late) for place, late in wanted.overtaken.items()
    }
    assert all(row["witness"] in wanted.overtaken[place] for place, row in violations.items())


def _reachable(rows: Sequence[Row], sends: dict[str | None, Row], delivers: Sequence[Row]) -> dict[Row, set[Row]]:
    following: dict[Row, list[Row]] = {row: [] for row in rows}
    for row in rows:
        following[row] += [other for other in rows if other.process == row.process and other.index > row.index]
    for row in delivers:
        if row.message in sends:
            following[sends[row.message]].append(row)
    after = {}
    for row in rows:
        seen: set[Row] = set()
        ahead = list(following[row])
        while ahead:
            other = ahead.pop()
            if other not in seen:
                seen.add(other)
                ahead += following[other]
        after[row] = seen
    return after
