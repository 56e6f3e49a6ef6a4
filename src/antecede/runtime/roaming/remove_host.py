"""Removing a host for good: the operator says so to any station, which tells the others.

What is kept for the host is let go, what is still under way from it or to it goes to nobody, and nothing waits for its
messages any more. The stations forget all but its name, which cannot be used again.
"""

from __future__ import annotations

import asyncio
from ssl import SSLContext

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from antecede.core.errors import WireError
from antecede.core.types import ProcessId
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.link import CONNECT_S, NoStation, checked_url, ended, trust
from antecede.runtime.roaming.tokens import issue

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
        raise ended(error) from None
    except (OSError, TimeoutError, WebSocketException) as error:
        raise NoStation(f"{url}: {error}") from None
    except WireError:
        raise NoStation(f"{url} is not a station") from None
