"""`antecede status`: show spaces, processes, messages that are held back or stalled, and hosts that are handed over."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from antecede.cli import broker
from antecede.cli.screen import plain

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.table import Table

COLUMNS = {
    "space": "space",
    "process": "process",
    "kind": "kind",
    "queued": "queued",
    "held_back": "held\nback",
    "inbox": "inbox",
    "outbox": "outbox",
    "connections": "connected",
    "hosts": "hosts",
    "stored": "stored",
    "awaited": "moving",
}
"""A count of the answer, and the head of its column. With names of a usual length, all of them fit into 80 columns."""
TEXT = ("space", "process", "kind")
REFRESH_S = 1.0
NOBODY = (
    "Nobody is there: no node and no station answers, and there is no inbox that this user may see. Give the server "
    "that they use, with the same account and, if they have one, the same --domain."
)

EXPLANATION = """\
Ask every node and station for its state, and show a table. On a terminal, the table is updated until Ctrl-C. A column
is left out if nobody has a value for it. The columns are:

  queued      frames in the inbox at the broker
  held back   messages that wait for a message they depend on
  inbox       messages that the application has not acknowledged
  outbox      packets that are not yet in the inbox of their destination
  connected   hosts that are connected now
  hosts       hosts whose state (luggage) is at this station
  stored      messages that hosts have not acknowledged
  moving      hosts whose state is on its way to this station

Below the table is, for each process, what is wrong, as problems() returns it: at most 20 problems, and the number of
the others. Below a station are also the problems that its hosts tell. Then comes what waits and is not a problem yet:
for which process, and for how long.
"""


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "status",
        help="show the nodes and stations of a NATS system, and what they wait for",
        description=EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, and end")
    parser.add_argument("--once", action="store_true", help="print one table, and end, also on a terminal")
    broker.add(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.json:
        print(json.dumps(summary(_gather(arguments))))
    elif arguments.once or not sys.stdout.isatty():
        from rich.console import Console

        width = None if sys.stdout.isatty() else 200
        Console(width=width).print(show(_gather(arguments)))
    else:
        _watch(arguments)
    return 0


def summary(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return all processes by space, and what shows whether something is wrong."""
    spaces: dict[str, list[Mapping[str, Any]]] = {}
    for one in found:
        spaces.setdefault(str(one["space"]), []).append(one)
    return {
        "spaces": spaces,
        "processes": len(found),
        "running": sum(bool(one["running"]) for one in found),
        "held_back": sum(one.get("held_back", 0) for one in found),
        "problems_more": sum(one.get("problems_more", 0) for one in found),
        "stalls": [{**_identity(one), **stall} for one in found for stall in one.get("stalls", ())],
        "problems": [{**_identity(one), **problem} for one in found for problem in one.get("problems", ())],
        "problems_of_hosts": [{**_identity(one), **told} for one in found for told in one.get("problems_of_hosts", ())],
        "problems_of_hosts_more": sum(one.get("problems_of_hosts_more", 0) for one in found),
        "hand_offs": [{**_identity(one), **move} for one in found for move in one.get("hand_offs", ())],
        "hand_offs_in_progress": sum(one.get("awaited", 0) for one in found),
    }


def _identity(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"space": one["space"], "process": one["process"]}


def show(found: Sequence[Mapping[str, Any]]) -> Group:
    """Return what is printed: the table, and below it what each process waits for."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    if not found:
        return Group(Text(NOBODY))
    shown: list[RenderableType] = [table(found)]
    for one in found:
        notes = list(_notes(one))
        if notes:
            who = plain(f"{one['process']} in {one['space']}")
            shown.append(Text(f"\n{who}:"))
            shown += [Padding(Text(note), (0, 0, 0, 2)) for note in notes]
    return Group(*shown)


def table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Return a row for each process, with the counts that somebody has."""
    from rich.table import Table
    from rich.text import Text

    keys = [key for key in COLUMNS if key in TEXT or any(key in one for one in found)]
    shown = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for key in keys:
        is_text = key in TEXT
        shown.add_column(COLUMNS[key], justify="left" if is_text else "right", overflow="fold", no_wrap=not is_text)
    for one in found:
        shown.add_row(*(Text(plain(str(one.get(key, "")), 60)) for key in keys))
    return shown


def _notes(one: Mapping[str, Any]) -> Iterator[str]:
    if not one["running"]:
        yield "not running"
    problems = one.get("problems", ())
    for problem in problems:
        yield plain(str(problem["text"]))
    if one.get("problems_more"):
        yield f"and {one['problems_more']} more"
    for told in one.get("problems_of_hosts", ()):
        yield plain(f"host {told['host']} tells: {told['text']}")
    if one.get("problems_of_hosts_more"):
        yield f"and {one['problems_of_hosts_more']} more of hosts"
    for stall in one.get("stalls", ()):
        if stall not in problems:
            yield plain(str(stall["text"]))
    for move in one.get("hand_offs", ()):
        yield plain(f"the luggage of {move['host']} from {move['from']}, for {move['since_s']} s", 200)


def _gather(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    from antecede.runtime.transport.urls import servers_of
    from antecede.runtime.watch.status import gather

    return asyncio.run(gather(servers_of(broker.url(arguments)), broker.options(arguments)))


def _watch(arguments: argparse.Namespace) -> None:
    from rich.live import Live

    with Live(show(_gather(arguments)), auto_refresh=False) as live:
        try:
            while True:
                time.sleep(REFRESH_S)
                live.update(show(_gather(arguments)), refresh=True)
        except KeyboardInterrupt:
            return
