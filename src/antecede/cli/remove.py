"""`antecede remove`: remove a host permanently."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from antecede.cli import broker

EXPLANATION = """\
Tells a station, which tells the others, that a host will never come back. What is kept for it is let go, nothing waits
for its messages any more, and nothing is known of it but its name, which can not be used again. A name that nobody
had yet is taken too: nobody will have it.
"""


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "remove",
        help="remove a roaming host for good",
        description=EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", required=True, metavar="NAME", help="the name of the host")
    parser.add_argument(
        "--station", required=True, metavar="URL", help="ws://host:port or wss://host:port, any of them"
    )
    parser.add_argument("--key", required=True, type=Path, metavar="FILE", help="the key of the stations")
    parser.add_argument("--ca", type=Path, metavar="FILE", help="who signs the certificate of the station")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from antecede.runtime.roaming.remove_host import remove_host
    from antecede.runtime.roaming.tokens import read_key

    tls = None if arguments.ca is None else broker.tls_context(arguments.ca)
    station = asyncio.run(remove_host(arguments.station, arguments.host, read_key(arguments.key), tls=tls))
    print(f"{station} has removed {arguments.host}")
    return 0
