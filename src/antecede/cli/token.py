"""`antecede token`: sign the token that a host shows to stations, with the operator's key."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "token",
        help="make a token, with which a host proves its name to stations",
        description="Print a token for a host. Anybody who has the token can act as this host until it expires: "
        "keep it secret.",
    )
    parser.add_argument("--key", required=True, type=Path, metavar="FILE", help="the file with the key of the stations")
    parser.add_argument("--host", required=True, metavar="NAME", help="the name of the host")
    parser.add_argument(
        "--days", type=float, default=30.0, metavar="N", help="the number of days that the token is valid; default: 30"
    )
    parser.add_argument(
        "--policy",
        choices=("store", "drop"),
        help="what to do with messages while the host is away; default: that of the stations",
    )
    parser.add_argument(
        "--stored-max", type=int, metavar="N", help="the most messages kept for the host; stations may allow fewer"
    )


def run(arguments: argparse.Namespace) -> int:
    from antecede.runtime.roaming.tokens import issue, read_key

    key = read_key(arguments.key)
    print(
        issue(
            key,
            arguments.host,
            days=arguments.days,
            when_asleep=arguments.policy,
            stored_max=arguments.stored_max,
        )
    )
    return 0
