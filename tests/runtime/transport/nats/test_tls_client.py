"""A connection for which TLS was asked is never made in plain text."""

import asyncio
import json
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from antecede.runtime import BrokerLost, NatsOptions, Unreachable, join
from antecede.runtime.roaming.station.serve import serve_station
from antecede.runtime.transport.nats.options import NatsLimits
from antecede.runtime.transport.nats.trace_stream import fetch
from antecede.runtime.watch.status import gather
from tests.paths import CERTIFICATE
from tests.runtime.nodes import eventually, run, take
from tests.runtime.servers import server, tls

GREETING = {"server_id": "X", "version": "2.11.0", "max_payload": 2**20, "auth_required": True, "headers": True}
TRUSTING = {"tls": ssl.create_default_context(cafile=CERTIFICATE)}
ASKING: list[tuple[str, Mapping[str, Any]]] = [("tls", {}), ("nats", TRUSTING), ("tls", TRUSTING)]
"""Schemes and options that ask for TLS."""


def options(connect: Mapping[str, Any]) -> NatsOptions:
    return NatsOptions(connect=connect, limits=NatsLimits(connect_s=2.0))


async def look(way: str, url: str, nats: NatsOptions) -> None:
    """Connect to `url` as somebody who takes part does, or who only looks."""
    if way == "join":
        async with join(url, space="s", process="a", store=None, nats=nats):
            pass
    elif way == "station":
        async with serve_station(url, space="s", name="s1", stations=["s1"], key=b"k" * 16, store=None, nats=nats):
            pass
    elif way == "status":
        await gather([url], nats, wait_s=0.2)
    else:
        async for _ in fetch([url], "t", nats):
            pass


@pytest.mark.parametrize("way", ["join", "station", "status", "trace"])
@pytest.mark.parametrize(("scheme", "connect"), ASKING, ids=["url", "context", "both"])
def test_a_server_without_tls_is_told_nothing(way: str, scheme: str, connect: Mapping[str, Any]) -> None:
    heard: list[bytes] = []

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"INFO " + json.dumps(GREETING).encode() + b"\r\n")
        heard.append(await reader.read(1000))
        writer.close()

    async def test() -> None:
        async with await asyncio.start_server(greet, "127.0.0.1", 0) as listening:
            port = listening.sockets[0].getsockname()[1]
            with pytest.raises(Unreachable, match="does not offer TLS") as why:
                await look(way, f"{scheme}://shop:secret@127.0.0.1:{port}", options(connect))
            assert "secret" not in str(why.value)
            await eventually(lambda: heard != [])
        assert set(heard) == {b""}

    run(test)


def test_a_list_with_one_tls_address_uses_no_server_in_plain_text(tmp_path: Path) -> None:
    async def test() -> None:
        with server(tmp_path, "n") as at, pytest.raises(Unreachable, match="does not offer TLS"):
            await look("join", f"nats://{at},tls://{at}", options({}))

    run(test)


def test_tls_that_a_server_only_offers_is_used(tmp_path: Path) -> None:
    async def test() -> None:
        with server(tmp_path, "n", f"{tls()}\nallow_non_tls: true") as at:
            with pytest.raises(Unreachable, match="certificate verify failed"):
                await look("join", f"tls://{at}", options({}))
            async with join(f"tls://{at}", space="s", process="a", store=None, nats=options(TRUSTING)) as a:
                await a.send({"a"}, b"note")
                assert await take(a, 1) == [b"note"]

    run(test)


def test_a_server_that_comes_back_without_tls_gets_nothing(tmp_path: Path) -> None:
    """The process says why it waits, and goes on when the server offers TLS again."""

    async def test() -> None:
        with server(tmp_path, "n", tls()) as at:
            config = at.home / "nats.conf"
            async with join(f"tls://{at}", space="s", process="a", store=None, nats=options(TRUSTING)) as a:
                at.kill()
                config.write_text(config.read_text().replace(tls(), ""))
                at.start_again()
                await eventually(lambda: "does not offer TLS" in " ".join(map(str, a.problems())))
                assert isinstance(a.problems()[0], BrokerLost)
                at.kill()
                config.write_text(config.read_text() + tls())
                at.start_again()
                await a.send({"a"}, b"later")
                assert await take(a, 1) == [b"later"]

    run(test)
