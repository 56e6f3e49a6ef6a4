"""Removing a host for good: the operator says so to any station, which tells the others.

What is kept for the host is let go, what is still under way from it or to it goes to nobody, and nothing waits for its
messages any more. The stations forget all but its name, which cannot be used again.
"""

from __future__ import annotations

import asyncio
from ssl import SSLContext

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from antecede.core.errors import WireError
from antecede.core.types import ProcessId
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.link import (
    CANNOT_CONNECT,
    CONNECT_S,
    NoStation,
    checked_url,
    explain_end,
    not_connected,
    trust,
)
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.transport.nats.options import shown_address

ORDER_DAYS = 1 / 24
NOBODY = "-"


async def remove_host(url: str, host: ProcessId, key: bytes, *, tls: SSLContext | None = None) -> ProcessId:
    """Remove a host for good, and return the station that took the order.

    When this returns, the removal is durable at that station, and reaches all others.
    """
    order = issue(key, host, days=ORDER_DAYS, removes=True)
    try:
        async with connect(
            checked_url(url, tls),
            ssl=trust(url, tls),
            proxy=None,
            compression=None,
            open_timeout=CONNECT_S,
            logger=websocket.QUIET,
        ) as socket:
            await socket.send(websocket.hello(order, NOBODY, host))
            async with asyncio.timeout(CONNECT_S):
                return websocket.read_removal(await socket.recv()).station
    except ConnectionClosed as error:
        raise explain_end(error) from None
    except CANNOT_CONNECT as error:
        raise not_connected(url, error) from None
    except WireError:
        raise NoStation(f"{shown_address(url)} is not a station") from None
