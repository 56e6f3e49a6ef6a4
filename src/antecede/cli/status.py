"""`antecede status`: spaces, processes, what is held back, what is stalled, and hosts that are being handed over."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = {
    "space": "space",
    "process": "process",
    "kind": "kind",
    "queued": "queued",
    "outbox": "outbox",
    "held_back": "held back",
    "connections": "connected",
    "hosts": "hosts",
    "awaited": "moving",
}
REFRESH_S = 1.0


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "status",
        help="show the nodes and stations of a NATS system, and what they wait for",
        description="Asks every node and station. On a terminal the table stays up to date until Ctrl-C.",
    )
    parser.add_argument("--nats", required=True, metavar="URL", help="nats://host:port")
    parser.add_argument("--json", action="store_true", help="one JSON object, once")
    parser.add_argument("--once", action="store_true", help="one table, also on a terminal")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    servers = arguments.nats.split(",")
    if arguments.json:
        print(json.dumps(summary(_gather(servers))))
    elif arguments.once or not sys.stdout.isatty():
        from rich.console import Console

        Console().print(table(_gather(servers)))
    else:
        _watch(servers)
    return 0


def summary(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Everybody by space, and the sums that tell whether something is wrong."""
    spaces: dict[str, list[Mapping[str, Any]]] = {}
    for one in found:
        spaces.setdefault(str(one["space"]), []).append(one)
    return {
        "spaces": spaces,
        "processes": len(found),
        "running": sum(bool(one["running"]) for one in found),
        "held_back": sum(one.get("held_back", 0) for one in found),
        "stalled": [f"{one['process']}: {text}" for one in found for text in (*_waiting(one), *one.get("blocked", ()))],
        "hand_offs": sum(one.get("awaited", 0) for one in found),
    }


def table(found: Sequence[Mapping[str, Any]]) -> Table:
    from rich.table import Table

    shown = Table(*COLUMNS.values(), "waits for")
    for one in found:
        cells = [str(one.get(key, "")) for key in COLUMNS]
        notes = [*_waiting(one), *one.get("blocked", ()), *(f"the luggage of {host}" for host in one.get("moving", ()))]
        shown.add_row(*cells, "\n".join(notes) if one["running"] else "not running")
    return shown


def _waiting(one: Mapping[str, Any]) -> Sequence[str]:
    return list(one.get("waiting", ()))


def _gather(servers: Sequence[str]) -> list[dict[str, Any]]:
    from antecede.runtime.status import gather

    return list(asyncio.run(gather(servers)))


def _watch(servers: Sequence[str]) -> None:
    from rich.live import Live

    with Live(table(_gather(servers)), auto_refresh=False) as live:
        try:
            while True:
                time.sleep(REFRESH_S)
                live.update(table(_gather(servers)), refresh=True)
        except KeyboardInterrupt:
            return
