"""A client that says nothing over an unencrypted connection if TLS was asked for.

TLS is asked for by a `tls://` or `wss://` URL, and by an `ssl.SSLContext` in the options. The client of nats-py uses
TLS only if the greeting of the server requires it, and otherwise sends its password in plain text without a word. This
one also uses TLS if the server only offers it, and refuses the server if it does not. The check looks at the connection
itself, just before the password is sent, at every connection: also at one that is made again, and at servers that were
heard of from others.
"""

from __future__ import annotations

from typing import Any

from nats.aio.client import Client
from nats.aio.transport import TcpTransport, WebSocketTransport
from nats.errors import SecureConnWantedError

ENCRYPTED_SCHEMES = ("tls", "wss")


class TlsClient(Client):
    """A client that refuses a server without TLS if TLS was asked for."""

    @property
    def _wants_tls(self) -> bool:
        """Return whether the options or any of the URLs ask for TLS: a list of servers has one password for all."""
        return "tls" in self.options or any(one.uri.scheme in ENCRYPTED_SCHEMES for one in self._server_pool)

    @property
    def _is_encrypted(self) -> bool:
        if isinstance(self._transport, WebSocketTransport):
            return bool(self._transport._using_tls)
        assert isinstance(self._transport, TcpTransport), "a server has greeted"
        assert self._transport._io_writer is not None, "a server has greeted"
        return self._transport._io_writer.get_extra_info("ssl_object") is not None

    async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:
        """Take the greeting of a server: if it offers TLS and TLS is wanted, it counts as required."""
        if initial_connection and self._wants_tls and info.get("tls_available"):
            info["tls_required"] = True
        await super()._process_info(info, initial_connection)

    def _connect_command(self) -> bytes:
        """Return what is said to a server that has greeted: this has the password."""
        if self._wants_tls and not self._is_encrypted:
            assert self._transport is not None, "a server has greeted"
            self._transport.close()  # type: ignore[no-untyped-call]  # the client would leave it open, and make another
            raise SecureConnWantedError
        return super()._connect_command()
