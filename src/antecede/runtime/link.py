"""A host's end of the WebSocket to a station: connected, and introduced."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from ssl import SSLContext

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from antecede.core.errors import AntecedeError, WireError
from antecede.core.types import ProcessId
from antecede.runtime import air

CONNECT_S = 5.0
PING_S = 20.0
CLOSE_S = 1.0
FRAME_BYTES_MAX = 2**20
TOO_BIG = 1009
QUIET = logging.getLogger("antecede.air")
QUIET.setLevel(logging.CRITICAL + 1)


class HostRefused(AntecedeError):
    """The station will not serve this host, now or later; the message is its reason."""


class NoStation(AntecedeError):
    """The station can not be reached now."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """An open connection to `station`, which takes frames of `frame_bytes`."""

    socket: ClientConnection
    url: str
    station: ProcessId
    frame_bytes: int


async def open_link(url: str, token: str, incarnation: str, tls: SSLContext | None) -> Link:
    """`NoStation` where there is none now, `HostRefused` where it will not have us."""
    try:
        socket = await connect(
            url,
            ssl=tls,
            proxy=None,
            compression=None,
            max_size=FRAME_BYTES_MAX,
            open_timeout=CONNECT_S,
            ping_interval=PING_S,
            ping_timeout=PING_S,
            close_timeout=CLOSE_S,
            logger=QUIET,
        )
    except (OSError, TimeoutError, WebSocketException) as error:
        raise NoStation(f"{url}: {error}") from None
    try:
        await socket.send(air.hello(token, incarnation))
        async with asyncio.timeout(CONNECT_S):
            answer = air.read_text(await socket.recv())
        return Link(socket, url, str(answer["station"]), int(answer["frame_bytes"]))
    except (ConnectionClosed, TimeoutError) as error:
        await socket.close()
        raise ended(error) from None
    except (WireError, KeyError, ValueError, TypeError):
        await socket.close()
        raise NoStation(f"{url} is not a station") from None


def ended(error: Exception) -> AntecedeError:
    """What the end of a connection means."""
    close = error.rcvd if isinstance(error, ConnectionClosed) else None
    if close is not None and close.code in (air.REFUSED, air.REPLACED, TOO_BIG):
        return HostRefused(f"the station closed the connection: {close.reason or close.code}")
    return NoStation(f"the connection ended: {type(error).__name__}")
