"""`antecede locality GRAPH`: show which clocks each process needs on a known graph, and what that saves."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from antecede.cli.screen import columns, plain
from antecede.cli.standard_input import read_text
from antecede.core.errors import Misuse

if TYPE_CHECKING:
    from antecede.core.locality.graph import Graph
    from antecede.core.locality.pairs import Pair
    from antecede.core.locality.plan import Cost, Plan

NAME_CHARS_MAX = 200
"""Of one name in the table of sets. `--json` cuts nothing."""

EXPLANATION = """\
With vector clocks, a process can decide which of two messages may have caused the other, with one clock entry for every
process. If it is known which processes write to which, fewer entries are enough. This command tries several correct
allocations of clocks for GRAPH, chooses the smallest, and prints how much it saves. The messages that arrive at one
process can then be compared; with --pairs, any two events of the processes that are paired.

GRAPH is a file, or - for standard input. The formats are:
  edge list   one link per line: 'a b' or 'a -> b' for one way, 'a <-> b' for both ways; '#' starts a comment
  CSV         two columns, sender and receiver; or the columns with the headings from,to or source,target
  JSON        [["a", "b"], ...] or {"links": [["a", "b"], ...], "processes": [...], "both_ways": true}
If a link is given twice, it counts once. A link from a process to itself is refused, and so is a graph without links.
"""

EXAMPLE = """\
example, a hub with three sensors:
  $ printf 'hub <-> s1\\nhub <-> s2\\nhub <-> s3\\n' | antecede locality -
  ...
  Clock entries per process: 1 on average (at most 1) instead of 4; per message: 1 (at most 1) instead of 4.
  That is 75 % less space and 75 % less on the wire.
"""


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "locality",
        usage="antecede locality GRAPH [options]",
        help="choose small clocks for a known communication graph",
        description=EXPLANATION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("graph", metavar="GRAPH", help="the links between processes: a file, or - for standard input")
    parser.add_argument("--format", choices=["auto", "edges", "csv", "json"], default="auto")
    parser.add_argument("--both-ways", action="store_true", help="add the reverse of every link")
    parser.add_argument("--not-fifo", action="store_true", help="messages on one link may overtake each other")
    parser.add_argument(
        "--no-memory",
        action="store_true",
        help="exclude Allocation 6, in which gateways remember the steps of other clocks",
    )
    parser.add_argument(
        "--pairs",
        nargs="+",
        action="extend",
        metavar="P:Q",
        help="compare the events of these pairs of processes, instead of the messages that arrive at one process",
    )
    parser.add_argument(
        "--kept",
        type=int,
        default=0,
        metavar="N",
        help="also count N timestamps that each process keeps for comparison (default 0)",
    )
    parser.add_argument("--sets", action="store_true", help="also list whose clocks each process keeps")
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")


def run(arguments: argparse.Namespace) -> int:
    from antecede.core.locality.edge_list import guess, parse
    from antecede.core.locality.plan import plan

    text = read_text(arguments.graph, "the graph")
    form = guess(arguments.graph, text) if arguments.format == "auto" else arguments.format
    links = parse(text, form)
    graph = links.graph(both_ways=arguments.both_ways)
    pairs = None if arguments.pairs is None else [_pair(text, graph) for text in arguments.pairs]
    made = plan(graph, fifo=not arguments.not_fifo, memory=not arguments.no_memory, pairs=pairs, kept=arguments.kept)
    remarks = [f"Links that were given more than once, and count once: {links.repeated}."] if links.repeated else []
    remarks += made.notes
    if arguments.json:
        print(json.dumps(_as_object(made, remarks, sets=arguments.sets), indent=2))
    else:
        _show(graph, made, remarks, sets=arguments.sets)
    return 0


def _pair(text: str, graph: Graph) -> Pair:
    """Return the two processes that `text` names, with a colon between them. Names may have colons too."""
    colons = (place for place, character in enumerate(text) if character == ":")
    found = [(text[:place], text[place + 1 :]) for place in colons]
    known = [(p, q) for p, q in found if p in graph.successors and q in graph.successors]
    if len(known) > 1:
        raise Misuse(f"{text!r} names several pairs of processes of the graph, because names in it have colons")
    if not known:
        raise Misuse(f"{text!r} does not name a pair of processes of the graph: write P:Q, the two names with a colon")
    return known[0]


def _as_object(made: Plan, remarks: list[str], *, sets: bool) -> dict[str, Any]:
    from antecede.core.locality.plan import saving

    chosen = made.allocation
    found: dict[str, Any] = {
        "processes": len(chosen.graph.processes),
        "links": len(chosen.graph.links),
        "fifo": chosen.fifo,
        "allocation": chosen.name,
        "method": chosen.method.value,
        "cost": _cost(made.cost),
        "vectors": _cost(made.vectors),
        "candidates": {candidate.name: _cost(candidate.cost) for candidate in made.candidates},
        "gateways": sorted(chosen.gateways),
        "remembered": {gateway: sorted(known) for gateway, known in sorted(chosen.remembered.items())},
        "saving": saving(made),
        "notes": remarks,
        "kept": made.kept,
        "partners": {p: sorted(others) for p, others in chosen.partners.items()},
    }
    if sets:
        found["clock_sets"] = {p: sorted(chosen.clock_set(p)) for p in chosen.graph.processes}
        found["observation_sets"] = {p: sorted(chosen.observation_set(p)) for p in chosen.graph.processes}
    return found


def _cost(cost: Cost) -> dict[str, int]:
    return {name: getattr(cost, name) for name in cost.__slots__}


def _show(graph: Graph, made: Plan, remarks: list[str], *, sets: bool) -> None:
    from antecede.core.locality.plan import saving

    chosen = made.allocation
    links = len(graph.links)
    counted = f"{links} link{'' if links == 1 else 's'}, {_ways(graph)}"
    print(f"{len(graph.processes)} processes, {counted}; simple paths: {chosen.method}.\n")
    headings = ["", "allocation", "entries per process", "entries per message"]
    _print_table([*headings, "numbers per process in all"] if made.kept else headings, _rows(made))
    print(f"\n{saving(made)}")
    for remark in remarks:
        print(remark)
    if sets:
        print()
        _print_table(
            ["process", "keeps the clocks of", "observes"],
            (
                [plain(p, NAME_CHARS_MAX), _names(chosen.clock_set(p)), _names(chosen.observation_set(p))]
                for p in graph.processes
            ),
        )


def _ways(graph: Graph) -> str:
    if graph.is_two_way:
        return "all both ways"
    links = set(graph.links)
    return "some one way" if any((q, p) in links for p, q in links) else "all one way" if len(links) > 1 else "one way"


def _names(processes: Iterable[str]) -> str:
    """Return the names of processes, without control characters, because they come from other people's files."""
    return " ".join(plain(p, NAME_CHARS_MAX) for p in sorted(processes))


def _rows(made: Plan) -> Iterable[list[str]]:
    from antecede.core.locality.plan import TITLES

    processes, links = len(made.allocation.graph.processes), len(made.allocation.graph.links)

    def row(mark: str, title: str, cost: Cost) -> list[str]:
        return [
            mark,
            title,
            f"{cost.clock_entries / processes:.1f} (max {cost.clock_entries_max})",
            f"{cost.message_entries / links:.1f} (max {cost.message_entries_max})",
            *([f"{cost.space_entries / processes:.1f}"] if made.kept else []),
        ]

    yield row("", "vector clocks", made.vectors)
    for candidate in made.candidates:
        mark = "*" if candidate.name == made.allocation.name else ""
        yield row(mark, f"{candidate.name}: {TITLES[candidate.name]}", candidate.cost)


def _print_table(headings: list[str], rows: Iterable[list[str]]) -> None:
    """Print a table: with rules on a terminal, otherwise in plain columns that other programs can read."""
    if sys.stdout.isatty():
        try:
            _print_drawn_table(headings, rows)
        except ModuleNotFoundError:
            pass
        else:
            return
    for line in columns([headings, *rows]):
        print(line)


def _print_drawn_table(headings: list[str], rows: Iterable[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*headings)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row), style="bold" if row[0] == "*" else "")
    Console().print(table)
