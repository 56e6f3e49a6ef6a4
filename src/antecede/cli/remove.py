"""`antecede remove`: remove a host permanently."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from antecede.cli import broker

EXPLANATION = """\
Remove a host that will never come back. The station tells the other stations. They delete the messages that they keep
for the host, and no message waits for messages of the host any more. The stations keep only the name, which cannot be
used again. A name that no host has had yet can be removed too; then no host can use it.
"""


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "remove",
        help="remove a roaming host for ever",
        description=EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", required=True, metavar="NAME", help="the name of the host")
    parser.add_argument(
        "--station", required=True, metavar="URL", help="the address of any station: ws://host:port or wss://host:port"
    )
    parser.add_argument("--key", required=True, type=Path, metavar="FILE", help="the file with the key of the stations")
    parser.add_argument(
        "--ca", type=Path, metavar="FILE", help="the authority that signed the certificate of the station"
    )


def run(arguments: argparse.Namespace) -> int:
    from antecede.runtime.roaming.remove_host import remove_host
    from antecede.runtime.roaming.tokens import read_key

    tls = None if arguments.ca is None else broker.tls_context(arguments.ca)
    station = asyncio.run(remove_host(arguments.station, arguments.host, read_key(arguments.key), tls=tls))
    print(f"{station} has removed {arguments.host}")
    return 0
