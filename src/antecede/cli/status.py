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
    from rich.table import Table

COLUMNS = {
    "space": "space",
    "process": "process",
    "kind": "kind",
    "queued": "queued",
    "held_back": "held back",
    "inbox": "inbox",
    "outbox": "outbox",
    "connections": "connected",
    "hosts": "hosts",
    "stored": "stored",
    "awaited": "moving",
}
"""A count of the answer, and the head of its column."""
TEXT = ("space", "process", "kind")
REFRESH_S = 1.0

EXPLANATION = """\
Ask every node and station for its state, and show a table. On a terminal, the table is updated until Ctrl-C. The
columns are:

  queued      frames in the inbox at the broker
  held back   messages that wait for a message they depend on
  inbox       messages that the application has not acknowledged
  outbox      packets that are not yet in the inbox of their destination
  connected   hosts that are connected now
  hosts       hosts whose state (luggage) is at this station
  stored      messages that hosts have not acknowledged
  moving      hosts whose state is on its way to this station
  waits for   what waits, for which process, and for how long; and what else is wrong
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
        Console(width=width).print(table(_gather(arguments)))
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
        "stalls": [{**_identity(one), **stall} for one in found for stall in one.get("stalls", ())],
        "problems": [{**_identity(one), **problem} for one in found for problem in one.get("problems", ())],
        "hand_offs": [{**_identity(one), **move} for one in found for move in one.get("hand_offs", ())],
        "hand_offs_in_progress": sum(one.get("awaited", 0) for one in found),
    }


def _identity(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"space": one["space"], "process": one["process"]}


def table(found: Sequence[Mapping[str, Any]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    shown = Table()
    for key, head in COLUMNS.items():
        shown.add_column(head, justify="left" if key in TEXT else "right")
    shown.add_column("waits for", overflow="fold")
    for one in found:
        cells = [plain(str(one.get(key, "")), 60) for key in COLUMNS]
        shown.add_row(*map(Text, (*cells, "\n".join(_notes(one)))))
    return shown


def _notes(one: Mapping[str, Any]) -> Iterator[str]:
    if not one["running"]:
        yield "not running"
    for problem in (*one.get("stalls", ()), *one.get("problems", ())):
        yield plain(str(problem["text"]), 300)
    for move in one.get("hand_offs", ()):
        yield plain(f"the luggage of {move['host']} from {move['from']}, for {move['since_s']} s", 200)


def _gather(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    from antecede.runtime.transport.urls import servers_of
    from antecede.runtime.watch.status import gather

    return asyncio.run(gather(servers_of(broker.url(arguments)), broker.options(arguments)))


def _watch(arguments: argparse.Namespace) -> None:
    from rich.live import Live

    with Live(table(_gather(arguments)), auto_refresh=False) as live:
        try:
            while True:
                time.sleep(REFRESH_S)
                live.update(table(_gather(arguments)), refresh=True)
        except KeyboardInterrupt:
            return
