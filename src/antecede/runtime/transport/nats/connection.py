"""A connection to NATS: how it is made, and in words why there is none.

The client connects again for ever after a lost connection. It does not after an error that the server sends on a
connection that was up, such as that the password was changed: then the client is closed, and `connect` makes another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from nats.aio.client import Client
from nats.errors import Error as NatsError

from antecede.runtime.background import BackgroundTasks, run_beside
from antecede.runtime.transport.contract import Unreachable
from antecede.runtime.transport.nats.options import NatsOptions, describe_servers
from antecede.runtime.transport.nats.refusals import IF_NOBODY_ANSWERS, explain_refusal, explain_silence
from antecede.runtime.transport.nats.tls_client import TlsClient

LOGGER = logging.getLogger("antecede")
TELL_S = 1.0
"""How long a first connection may take before somebody is told that it takes long."""
PENDING_BYTES_MAX = 32 * 2**20

Callback = Callable[[], Awaitable[None]]


class NatsConnection:
    """A client of `servers`, and the last error that it had. `name` is what the servers show of it.

    `disconnected` and `reconnected` are called when the connection is lost, and when the client has made it again.
    `failed` is called with a fault of our own in what the connection does by itself. `make_client` makes another kind
    of client.
    """

    def __init__(
        self,
        servers: Sequence[str],
        name: str,
        options: NatsOptions,
        *,
        failed: Callable[[Exception], None],
        disconnected: Callback | None = None,
        reconnected: Callback | None = None,
        make_client: Callable[[], Client] = TlsClient,
    ) -> None:
        self.servers, self._name, self._options = list(servers), name, options
        self._disconnected, self._reconnected = disconnected, reconnected
        self._make_client = make_client
        self.client = make_client()
        self.last_error: Exception | None = None
        self.last_error_at = 0.0
        self._is_first = True
        self._background = BackgroundTasks(failed)

    @property
    def outage(self) -> str:
        """Return why there is no connection now, or an empty string if there is one."""
        if self.client.is_connected:
            return ""
        if self.last_error is None:
            return f"the connection to {describe_servers(self.servers)} is lost"
        return self._explain(self.last_error)

    def move(self, server: str) -> None:
        """Connect to this server from now on."""
        self.servers = [server]
        if not self.client.is_closed:
            self.client.set_server_pool(self.servers)

    async def connect(self, *, is_quiet: bool = False) -> None:
        """Connect a new client. Raise `Unreachable` if no server lets it in: at once if one refuses the user.

        Log that it takes long, unless `is_quiet`.
        """
        self._begin_anew()
        settings: dict[str, Any] = {
            "servers": self.servers,
            "name": self._name,
            "max_reconnect_attempts": -1,
            "reconnect_time_wait": 0.2,
            "connect_timeout": 2,
            "ping_interval": self._options.limits.ping_s,
            "max_outstanding_pings": 2,
            "pending_size": PENDING_BYTES_MAX,
            "error_cb": self._note_error,
            "skip_subject_validation": True,  # subjects are made of tokens
            "disconnected_cb": self._disconnected,
            "reconnected_cb": self._is_back,
            **self._options.connect,
        }
        try:
            await self._attempt(self.client.connect(**settings), is_quiet)
            self._is_first = False
        except (TimeoutError, NatsError, OSError) as error:
            with suppress(Exception):
                await self.client.close()
            self.last_error = self.last_error or error
            raise Unreachable(explain_silence(self.last_error, describe_servers(self.servers))) from None

    def _begin_anew(self) -> None:
        self.client, self.last_error, self._is_first = self._make_client(), None, True

    async def _attempt(self, connect: Coroutine[Any, Any, None], is_quiet: bool) -> None:
        """Connect, and log it if that takes long. The client tries for ever, and may not stop if it is cancelled."""
        limit_s = self._options.limits.connect_s
        async with run_beside(connect) as connecting:
            done, _ = await asyncio.wait((connecting,), timeout=min(TELL_S, limit_s))
            if not done and not is_quiet:
                why = "no answer" if self.last_error is None else repr(self.last_error)
                LOGGER.warning(
                    "no NATS server answers at %s yet: %s. Trying for %g s; %s",
                    describe_servers(self.servers),
                    why,
                    limit_s,
                    IF_NOBODY_ANSWERS,
                )
            if not done:
                done, _ = await asyncio.wait((connecting,), timeout=max(0.0, limit_s - TELL_S))
        if not done:
            raise TimeoutError
        connecting.result()

    async def _is_back(self) -> None:
        self.last_error = None
        if self._reconnected is not None:
            await self._reconnected()

    async def _note_error(self, error: Exception) -> None:
        """Remember the last error, which says why no answer comes.

        What a server said, such as that a password is wrong, tells more than that it then closed the connection.
        """
        if not (isinstance(error, OSError) and isinstance(self.last_error, NatsError)):
            self.last_error, self.last_error_at = error, asyncio.get_running_loop().time()
        if explain_refusal(error, "") is not None:
            if self._is_first:
                raise error  # ends the attempt to connect, which would go on
            self._background.start(partial(_close, self.client))  # it would try again with an open socket each time

    def _explain(self, error: Exception) -> str:
        where = describe_servers(self.servers)
        return explain_refusal(error, where) or f"no NATS server answers at {where}: {error!r}"


async def _close(client: Client) -> None:
    """Close a client. It is closed also if the server does not hear of it."""
    with suppress(NatsError, OSError):
        await client.close()
