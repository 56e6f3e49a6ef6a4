"""A short connection to NATS of somebody who takes part in nothing and only wants to look."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from nats.aio.client import Client
from nats.errors import Error as NatsError

from antecede.runtime.transport.contract import Unreachable
from antecede.runtime.transport.nats.options import NatsOptions, shown
from antecede.runtime.transport.nats.refusals import explain_refusal

CONNECT_S = 5.0


@asynccontextmanager
async def visit(servers: Sequence[str], options: NatsOptions) -> AsyncIterator[Client]:
    """A client, connected with `options`; `Unreachable` where there is nobody."""
    client = Client()
    settings = {"servers": list(servers), "allow_reconnect": False, "error_cb": _ignore, **options.connect}
    try:
        async with asyncio.timeout(CONNECT_S):
            await client.connect(**settings)
    except (TimeoutError, NatsError, OSError) as error:
        await client.close()
        where = shown(servers)
        raise Unreachable(explain_refusal(error, where) or f"no NATS server answers at {where}: {error!r}") from None
    try:
        yield client
    finally:
        await client.close()


async def _ignore(error: Exception) -> None:
    """What goes wrong shows in the answers that do not come."""
    del error
