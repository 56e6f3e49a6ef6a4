"""Who is at the other end: the embedded server of this user, or a program of somebody else.

The port of a server that has ended is free. Any user of the machine can listen there, greet like a NATS server, and
wait for clients that come back with their password. So a client shows the password only after the system has said that
the other end of its connection belongs to the same user. Linux says so in a file; on other systems nobody is asked.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from nats.aio.client import Client
from nats.aio.transport import TcpTransport
from nats.errors import Error as NatsError

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
LOOPBACK = f"{int.from_bytes(bytes((127, 0, 0, 1)), sys.byteorder):08X}"
"""How the tables write 127.0.0.1, which also ends the IPv6 address that stands for it."""
ADDRESS_AT, USER_AT, SOCKET_AT = 1, 7, 9
NO_SOCKET = "0"
"""A connection that nobody has accepted, or that everybody has closed: nobody reads what is sent on it."""


class ForeignServer(NatsError):
    """The server at the other end of a connection belongs to another user."""


def find_users(port: int) -> set[int]:
    """Return the users who have sockets at a port of 127.0.0.1."""
    users: set[int] = set()
    for table in TABLES:
        with suppress(OSError):
            rows = [line.split() for line in table.read_text().splitlines()[1:]]
            users |= {
                int(row[USER_AT]) for row in rows if _is_at(row[ADDRESS_AT], port) and row[SOCKET_AT] != NO_SOCKET
            }
    return users


def _is_at(address: str, port: int) -> bool:
    host, _, number = address.rpartition(":")
    return host.endswith(LOOPBACK) and int(number, 16) == port


def check_server(port: int) -> None:
    """Raise `ForeignServer` if the server at a port of 127.0.0.1 may be of another user.

    Call it on an open connection that the server has answered on: then the socket of the server is in the table.
    """
    if find_users(port) - {os.geteuid()}:
        raise ForeignServer(f"a program of another user listens at 127.0.0.1:{port}")


class OwnServerClient(Client):
    """A client that says nothing to a server of another user."""

    def _connect_command(self) -> bytes:
        """Return what is said to a server that has greeted: this has the password.

        The address of the server is that of the connection itself. The client may have been told of another meanwhile.
        """
        assert isinstance(self._transport, TcpTransport), "an embedded server is reached over TCP"
        assert self._transport._io_writer is not None, "a server has greeted"
        try:
            check_server(self._transport._io_writer.get_extra_info("peername")[1])
        except ForeignServer:
            self._transport.close()  # type: ignore[no-untyped-call]  # the client would leave it open, and make another
            raise
        return super()._connect_command()
