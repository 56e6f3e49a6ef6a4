"""A short connection to NATS of somebody who takes part in nothing and only wants to look."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from nats.aio.client import Client
from nats.errors import Error as NatsError

from antecede.runtime.transport.contract import Unreachable
from antecede.runtime.transport.nats.options import NatsOptions, describe_servers
from antecede.runtime.transport.nats.refusals import explain_refusal, explain_silence
from antecede.runtime.transport.nats.tls_client import TlsClient

CONNECT_S = 5.0
NOBODY_THERE = (ConnectionRefusedError, socket.gaierror)
"""Errors by which there is no server. After others, such as a broken connection, it may say why at the next try."""


@asynccontextmanager
async def visit(servers: Sequence[str], options: NatsOptions) -> AsyncIterator[Client]:
    """Connect a client with `options`. Raise `Unreachable` if none of the servers lets it in: each is tried once."""
    client = TlsClient()
    failures: list[Exception] = []

    async def note(error: Exception) -> None:
        """End the attempt to connect, which would go on, if no server can be reached.

        What goes wrong later shows in the answers that do not come.
        """
        failures.append(error)
        if is_connecting and isinstance(error, NOBODY_THERE) and len(failures) >= len(servers):
            raise error

    is_connecting = True
    settings = {"servers": list(servers), "allow_reconnect": False, "error_cb": note, **options.connect}
    try:
        async with asyncio.timeout(CONNECT_S):
            await client.connect(**settings)
    except (TimeoutError, NatsError, OSError) as error:
        with suppress(OSError):  # the server may have closed the connection already
            await client.close()
        where = describe_servers(servers)
        refusals = filter(None, (explain_refusal(one, where) for one in (*failures, error)))
        why = failures[-1] if failures else error
        raise Unreachable(next(refusals, explain_silence(why, where))) from None
    is_connecting = False
    try:
        yield client
    finally:
        await client.close()
