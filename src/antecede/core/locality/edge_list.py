"""A communication graph out of text: an edge list, CSV or JSON.

Edge list: a link a line, `a b` or `a -> b`; `a <-> b` is both ways; `#` starts a comment; no name has an arrow in
it. CSV: the sender and the receiver in the first two columns, or in those headed from/to, source/target,
sender/receiver. JSON: a list of pairs, or an object with `links` and, if wanted, `processes` (then links may name no
others) and `both_ways`.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from antecede.core.locality.graph import BadGraph, Graph, Link
from antecede.core.types import ProcessId

FORMATS = ("edges", "csv", "json")
NAME = r"((?:(?!<-|->)\S)+)"
EDGE = re.compile(rf"{NAME}(?:\s*(?<!-)(<?->)\s*|\s+){NAME}")
HEADERS = (("from", "to"), ("source", "target"), ("sender", "receiver"), ("src", "dst"), ("source", "destination"))


@dataclass(frozen=True, slots=True)
class Links:
    """What the text says, before it is a graph."""

    given: tuple[Link, ...]
    processes: tuple[ProcessId, ...] | None = None
    both_ways: bool = False

    def graph(self, *, both_ways: bool = False) -> Graph:
        build = Graph.both_ways if self.both_ways or both_ways else Graph.of
        return build(self.given, self.processes)

    @property
    def repeated(self) -> int:
        """Return how many links were given again. Each counts once in the graph."""
        return len(self.given) - len(set(self.given))


def parse(text: str, form: str) -> Links:
    """Read `text` in one of `FORMATS`, its lines ended in any of the three ways."""
    text = re.sub(r"\r\n?", "\n", text)
    if form == "json":
        return _from_json(text)
    links = _from_csv(text) if form == "csv" else _from_edges(text)
    return Links(tuple(links))


def guess(name: str, text: str) -> str:
    """Return the format, by the ending of the file's name, or else by how the text begins."""
    for ending in ("csv", "json"):
        if name.lower().endswith("." + ending):
            return ending
    start = text.lstrip()[:1]
    if start and start in "[{":
        return "json"
    first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    return "csv" if "," in first else "edges"


def _from_edges(text: str) -> Iterator[Link]:
    for number, line in enumerate(text.splitlines(), start=1):
        text_of_link = line.split("#")[0].strip()
        if not text_of_link:
            continue
        link = EDGE.fullmatch(text_of_link)
        if link is None:
            raise BadGraph(f"line {number} is not a link: {line.strip()!r}; write 'a b', 'a -> b' or 'a <-> b'")
        sender, arrow, receiver = link.groups()
        yield (sender, receiver)
        if arrow == "<->":
            yield (receiver, sender)


def _from_csv(text: str) -> Iterator[Link]:
    columns = (0, 1)
    first = True
    for number, row in _rows(text):
        cells = [cell.strip() for cell in row]
        if not any(cells) or cells[0].startswith("#"):
            continue
        header = _header(cells) if first else None
        first = False
        if header is not None:
            columns = header
        elif len(cells) <= max(columns) or not all(cells[column] for column in columns):
            raise BadGraph(f"line {number} is not a link: {','.join(row)!r}; write 'sender,receiver'")
        else:
            yield (cells[columns[0]], cells[columns[1]])


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the number of its last line."""
    reader = csv.reader((f"{line}\n" for line in text.split("\n")), strict=True)
    try:
        yield from ((reader.line_num, row) for row in reader)
    except csv.Error as error:
        raise BadGraph(f"line {reader.line_num} is not CSV: {error}; look for a quote that is not closed") from error


def _header(cells: list[str]) -> tuple[int, int] | None:
    names = [cell.lower() for cell in cells]
    for sender, receiver in HEADERS:
        if sender in names and receiver in names:
            return names.index(sender), names.index(receiver)
    return None


def _from_json(text: str) -> Links:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadGraph(f"this is not JSON: {error}") from error
    if isinstance(value, list):
        value = {"links": value}
    if not isinstance(value, dict) or not isinstance(value.get("links"), list):
        raise BadGraph("the JSON must be a list of pairs, or an object with a list 'links'")
    both_ways, processes = value.get("both_ways", False), value.get("processes")
    if not isinstance(both_ways, bool):
        raise BadGraph(f"'both_ways' must be true or false, not {both_ways!r}")
    if processes is not None and not (isinstance(processes, list) and all(isinstance(p, str) for p in processes)):
        raise BadGraph("'processes' must be a list of names")
    return Links(tuple(_pairs(value["links"])), None if processes is None else tuple(processes), both_ways)


def _pairs(links: Iterable[object]) -> Iterator[Link]:
    for number, pair in enumerate(links, start=1):
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair)):
            raise BadGraph(f'link {number} of the JSON is {pair!r}: write a pair of names, ["a", "b"]')
        yield (pair[0], pair[1])
