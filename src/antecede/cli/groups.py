"""`antecede groups FILE`: show the graph of groups, a cycle if it has one, and what `isis` and `mr` carry there."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from antecede.cli.screen import columns, plain
from antecede.cli.standard_input import read_text
from antecede.core.errors import Misuse

if TYPE_CHECKING:
    from antecede.core.group_graph import GroupGraph

EXPLANATION = """\
In the graph of groups, two groups are joined by an edge if they share a process. If the graph has no cycle, and no two
groups share more than one process, `isis` and `mr` keep causal order with much smaller stamps, if processes are made
with acyclic=True. This command shows the edges, a shortest cycle if there is one, and how large stamps can become.

FILE is a JSON object with the members of each group, or - for standard input.
"""

EXAMPLE = """\
example, three rooms in a row:
  $ echo '{"g1": ["a", "b"], "g2": ["b", "c"], "g3": ["c", "d"]}' | antecede groups -
  ...
  The graph of groups has no cycle, and no two groups share more than one process: acyclic=True can be used.
"""


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "groups",
        help="show whether groups form a cycle, and what that costs",
        description=EXPLANATION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "groups", metavar="FILE", help="the members of each group: a JSON file, or - for standard input"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")


def run(arguments: argparse.Namespace) -> int:
    from antecede.core.group_graph import group_graph

    groups = _parse(read_text(arguments.groups, "the groups"))
    graph = group_graph(groups)
    entries = _entries({group: len(set(members)) for group, members in groups.items()}, graph)
    if arguments.json:
        print(json.dumps(_as_object(graph, entries), indent=2))
    else:
        _show(graph, entries)
    return 0


def _parse(text: str) -> dict[str, list[str]]:
    try:
        groups = json.loads(text)
    except ValueError as error:
        raise Misuse(f"the groups are not JSON: {error}") from error
    if not isinstance(groups, dict):
        raise Misuse(f'the groups must be an object such as {{"g1": ["a", "b"]}}, not {str(groups)[:80]}')
    return groups


def _entries(sizes: dict[str, int], graph: GroupGraph) -> dict[str, int | None]:
    """Return how many entries a stamp has at most, by algorithm and option; None if the option is refused."""
    return {
        "isis": sum(sizes.values()),
        "isis acyclic=True": None if graph.obstacle else max(sizes.values()),
        "mr": len(sizes),
        "mr acyclic=True": None if graph.obstacle else 1,
    }


def _as_object(graph: GroupGraph, entries: dict[str, int | None]) -> dict[str, Any]:
    return {
        "groups": list(graph.groups),
        "edges": [{"groups": list(pair), "shared": list(shared)} for pair, shared in graph.edges.items()],
        "is_acyclic": graph.is_acyclic,
        "cycle": list(graph.cycle),
        "obstacle": graph.obstacle,
        "stamp_entries_max": entries,
    }


def _show(graph: GroupGraph, entries: dict[str, int | None]) -> None:
    shares = [[plain(f"{one} -- {other}"), plain(" ".join(shared))] for (one, other), shared in graph.edges.items()]
    for line in columns([["edge", "shared processes"], *shares]):
        print(line)
    print()
    rows = [[name, "refused" if count is None else str(count)] for name, count in entries.items()]
    for line in columns([["algorithm", "entries in a stamp, at most"], *rows]):
        print(line)
    print()
    if graph.obstacle:
        print(plain(f"acyclic=True is refused: {graph.obstacle}."))
    else:
        print(
            "The graph of groups has no cycle, and no two groups share more than one process: acyclic=True can be used."
        )
