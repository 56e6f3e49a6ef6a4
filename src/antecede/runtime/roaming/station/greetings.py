"""Connections that have not said who they are yet, from the first byte or from none: they take no places from hosts.

A connection counts from the moment that it is made, before it has sent an HTTP request, until its hello has come or it
ends. If there are too many, the oldest ends of those whose address has the most: so whoever opens many connections
ends its own first. With TLS, a connection counts from the end of its handshake, which may take `hello_s`.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from websockets.asyncio.server import ServerConnection


class Greetings:
    """The connections without a hello, at most `places` of them."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._addresses: dict[ServerConnection, str] = {}  # the oldest first

    def __len__(self) -> int:
        return len(self._addresses)

    def begin(self, connection: ServerConnection, address: str) -> None:
        """Count a new connection. If that is one too many, end the oldest of the address that has the most."""
        self._addresses[connection] = address
        if len(self._addresses) > self._places:
            ((busiest, _),) = Counter(self._addresses.values()).most_common(1)
            oldest = next(each for each, other in self._addresses.items() if other == busiest)
            self.end(oldest)
            oldest.transport.abort()

    def end(self, connection: ServerConnection) -> None:
        """Count a connection no more, because it has said who it is or has ended."""
        self._addresses.pop(connection, None)

    def connection_class(self) -> type[ServerConnection]:
        """Return the class of connections that count themselves here."""
        greetings = self

        class CountedConnection(ServerConnection):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                super().connection_made(transport)
                peer = transport.get_extra_info("peername")
                greetings.begin(self, str(peer[0]) if peer else "")

            def connection_lost(self, exc: Exception | None) -> None:
                greetings.end(self)
                super().connection_lost(exc)

        return CountedConnection
