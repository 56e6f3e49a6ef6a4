"""`antecede trace`: get the trace that nodes and stations wrote to a stream of NATS, for `antecede check`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Any, TextIO

from antecede.cli import broker
from antecede.core.errors import Misuse

EXPLANATION = """\
Write the events that are in a trace stream so far as JSON Lines, each event once:

    antecede trace shop --nats nats://localhost:4222 --out shop.jsonl
    antecede check shop.jsonl

The trace of a station says when hosts connect, move and leave. Messages are sent and delivered at hosts, which write
traces of their own. Check the traces of the hosts, or both together: traces of stations alone cannot be judged.
"""


def add(subparsers: Any) -> None:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "trace",
        help="copy a trace from a NATS stream to a file",
        description=EXPLANATION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("stream", metavar="NAME", help="the NAME of jetstream:NAME, where the trace was written")
    parser.add_argument("--out", metavar="FILE", help="the file to write; default: standard output")
    broker.add(parser)


def run(arguments: argparse.Namespace) -> int:
    from antecede.runtime.transport.nats.trace_stream import Once, fetch
    from antecede.runtime.transport.urls import servers_of

    once = Once()
    lines = fetch(servers_of(broker.url(arguments)), arguments.stream, broker.options(arguments), once)
    with ExitStack() as stack:
        out: TextIO = sys.stdout
        if arguments.out is not None:
            try:
                out = stack.enter_context(open(arguments.out, "w", encoding="utf-8"))
            except OSError as error:
                raise Misuse(
                    f"cannot write {arguments.out}: {error.strerror}; give a file in a folder that exists"
                ) from error
        count = asyncio.run(_write(lines, out))
    left_out = f"; {once.broken:,} lines that are not events were left out" if once.broken else ""
    print(f"{count:,} events{left_out}", file=sys.stderr)
    return 0


async def _write(lines: AsyncIterator[str], out: TextIO) -> int:
    """Write the lines to `out` and return how many there were."""
    count = 0
    async for line in lines:
        out.write(f"{line}\n")
        count += 1
    return count
