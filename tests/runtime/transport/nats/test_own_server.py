"""The password of an embedded server is for servers of the same user, and for nobody who listens at the same port."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import pytest
from nats.aio.client import Client
from nats.errors import Error as NatsError

from antecede.runtime import join
from antecede.runtime.transport.nats import own_server
from antecede.runtime.transport.nats.embedded import address
from antecede.runtime.transport.nats.own_server import ForeignServer, OwnServerClient, check_server, find_users
from tests.runtime.nodes import eventually, run, take

NAME = "antecede-1"
STRANGER = os.geteuid() + 1
ON_LINUX = sys.platform == "linux"


@asynccontextmanager
async def impostor(heard: list[bytes]) -> AsyncIterator[int]:
    """Listen like a NATS server, and give the port. What anybody says is in `heard`."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        greeting = {"server_name": NAME, "auth_required": True, "max_payload": 2**20, "headers": True}
        writer.write(b"INFO " + json.dumps(greeting).encode() + b"\r\n")
        heard.append(await reader.read(4_096))
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def try_to_connect(client: Client, url: str) -> None:
    """Connect, and close the client, however that ends."""

    async def ignore(error: Exception) -> None:
        del error

    try:
        await client.connect(url, allow_reconnect=False, error_cb=ignore, connect_timeout=2)
    finally:
        await client.close()


@contextmanager
def sockets_at(listening: socket.socket) -> Iterator[int]:
    """Connect to a socket that listens, accept the connection, and give the port."""
    port = listening.getsockname()[1]
    with socket.create_connection(("127.0.0.1", port)), listening.accept()[0]:
        yield port


def test_linux_says_whose_a_server_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, sockets_at(listening) as port:
        assert find_users(port) == ({os.geteuid()} if ON_LINUX else set())
        check_server(port)


def test_a_server_that_listens_on_all_addresses_is_found_too() -> None:
    """With IPv6 it has an address of its own for 127.0.0.1."""
    dual = socket.has_dualstack_ipv6()
    made = socket.create_server(("", 0), family=socket.AF_INET6 if dual else socket.AF_INET, dualstack_ipv6=dual)
    with made as listening, sockets_at(listening) as port:
        assert find_users(port) == ({os.geteuid()} if ON_LINUX else set())


def test_the_other_end_of_a_connection_is_found_after_it_has_said_its_last_word() -> None:
    """It can still hear."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)), listening.accept()[0] as accepted:
            listening.close()
            accepted.shutdown(socket.SHUT_WR)
            assert find_users(port) == ({os.geteuid()} if ON_LINUX else set())


def test_a_server_of_another_user_is_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain client tells it everything."""
    told: list[bytes] = []
    told_by_ours: list[bytes] = []

    async def test() -> None:
        async with impostor(told) as port:
            with suppress(NatsError, OSError):
                await try_to_connect(Client(), f"nats://antecede:password@127.0.0.1:{port}")
        monkeypatch.setattr(own_server, "find_users", lambda port: {STRANGER})
        async with impostor(told_by_ours) as port:
            with pytest.raises(ForeignServer, match="another user"):
                await try_to_connect(OwnServerClient(), f"nats://antecede:password@127.0.0.1:{port}")

    run(test)
    assert [b"password" in said for said in told] == [True]
    assert told_by_ours == [b""]


def test_an_address_at_which_another_user_listens_is_not_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has asked a server before knows the name under which it was started."""
    heard: list[bytes] = []

    async def test() -> None:
        async with impostor(heard) as port:
            url = f"nats://127.0.0.1:{port}"
            (tmp_path / "address").write_text(json.dumps({"url": url, "name": NAME, "pid": 1, "keeper": 1}))
            assert await asyncio.to_thread(address, tmp_path) is not None
            monkeypatch.setattr(own_server, "find_users", lambda port: {STRANGER})
            assert await asyncio.to_thread(address, tmp_path) is None

    run(test)


def test_a_node_waits_while_another_user_has_the_port_of_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with join(f"embedded://{tmp_path / 'nats'}", space="s", process="a") as a:
            with monkeypatch.context() as patch:
                patch.setattr(own_server, "find_users", lambda port: {STRANGER})
                os.kill(json.loads((tmp_path / "nats" / "address").read_text())["pid"], signal.SIGKILL)
                await eventually(lambda: any("a program of another user listens" in str(one) for one in a.problems()))
            await a.send({"a"}, b"after all")
            assert await take(a, 1) == [b"after all"]
            await eventually(lambda: not a.problems())

    run(test)
