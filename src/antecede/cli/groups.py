"""`antecede groups FILE`: show the graph of groups, its cycles if it has any, and what `isis` and `mr` carry there."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from antecede.cli.screen import columns, plain
from antecede.cli.standard_input import read_text
from antecede.core.errors import Misuse

if TYPE_CHECKING:
    from antecede.core.group_graph import GroupGraph

SHOWN_MAX, CYCLES_MAX = 5, 1_000
"""How many cycles are shown, and how many are in the JSON object."""

EXPLANATION = """\
In the graph of groups, two groups are joined by an edge if they share a process. If the graph has no cycle, `isis` can
be used with acyclic=True, which makes stamps smaller; and so can `mr`, if no two groups share more than one process.
This command shows the edges, a shortest cycle and the others if there are any, and how large stamps can become.

FILE is a JSON object with the members of each group, or - for standard input.
"""

EXAMPLE = """\
example, three rooms in a row:
  $ echo '{"g1": ["a", "b"], "g2": ["b", "c"], "g3": ["c", "d"]}' | antecede groups -
  ...
  The graph of groups has no cycle.
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
    forms = _list_forms({group: set(members) for group, members in groups.items()}, graph)
    if arguments.json:
        print(json.dumps(_as_object(graph, forms), indent=2))
    else:
        _show(graph, forms)
    return 0


def _parse(text: str) -> dict[str, list[str]]:
    try:
        groups = json.loads(text, object_pairs_hook=_refuse_repeated)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"the groups are not JSON: {error}") from error
    if not isinstance(groups, dict):
        raise Misuse(f'the groups must be an object such as {{"g1": ["a", "b"]}}, not {str(groups)[:80]}')
    return groups


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON. Raise `Misuse` if it has a name twice: the first group of that name would be lost."""
    repeated = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if repeated:
        raise Misuse(f"group {repeated[0]!r} is given twice: give all its members at once")
    return dict(pairs)


def _list_forms(members: dict[str, set[str]], graph: GroupGraph) -> list[dict[str, Any]]:
    """Return the algorithms and options: how many entries a stamp has at most, or why the option is refused."""
    from antecede.core.acyclic import find_obstacle

    forms: list[dict[str, Any]] = []
    for algorithm, sizes in (
        ("isis", {group: len(who) for group, who in members.items()}),
        ("mr", dict.fromkeys(members, 1)),
    ):
        refused = find_obstacle(graph, one_shared=algorithm == "mr")
        own = [sum(sizes[group] for group in members if p in members[group]) for p in set().union(*members.values())]
        forms += [
            {"algorithm": algorithm, "acyclic": False, "stamp_entries_max": sum(sizes.values()), "refused": ""},
            {
                "algorithm": algorithm,
                "acyclic": True,
                "stamp_entries_max": None if refused else max(own, default=0),
                "refused": refused,
            },
        ]
    return forms


def _as_object(graph: GroupGraph, forms: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "groups": list(graph.groups),
        "edges": [{"groups": list(pair), "shared": list(shared)} for pair, shared in graph.edges.items()],
        "is_acyclic": graph.is_acyclic,
        "cycle": list(graph.cycle),
        "cycle_count": graph.cycle_count,
        "cycles": [list(cycle) for cycle in islice(graph.cycles(), CYCLES_MAX)],
        "forms": forms,
    }


def _show(graph: GroupGraph, forms: list[dict[str, Any]]) -> None:
    shares = [[plain(f"{one} -- {other}"), plain(" ".join(shared))] for (one, other), shared in graph.edges.items()]
    for line in columns([["edge", "shared processes"], *shares]):
        print(line)
    print()
    rows = [
        [
            form["algorithm"] + (" acyclic=True" if form["acyclic"] else ""),
            plain(f"refused: {form['refused']}") if form["refused"] else str(form["stamp_entries_max"]),
        ]
        for form in forms
    ]
    for line in columns([["algorithm", "entries in a stamp, at most"], *rows]):
        print(line)
    print(f"\nThe graph of groups has {'no cycle' if graph.is_acyclic else f'a cycle: {_ring(graph.cycle)}'}.")
    count = graph.cycle_count
    if count > 1:
        print(f"It has {count:,} independent cycles; every other cycle is a combination of these:")
        for cycle in islice(graph.cycles(), SHOWN_MAX):
            print(f"  {_ring(cycle)}")
        if count > SHOWN_MAX:
            print(f"  and {count - SHOWN_MAX:,} more")


def _ring(cycle: tuple[str, ...]) -> str:
    """Return the groups of a cycle in order, with the first at both ends."""
    return plain(" -- ".join((*cycle, *cycle[:1])))
