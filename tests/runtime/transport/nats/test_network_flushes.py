"""With `durability="power"` and `nats://`, what has to be set at the server is said once: no client can see it."""

import asyncio
import json
import logging
from pathlib import Path

import nats
import pytest
from nats.errors import NoRespondersError

from antecede.runtime import NatsNetwork, join, serve_station
from tests.runtime.cells import KEY
from tests.runtime.servers import Server, server

TELL_MOST = (
    "$JS.API.INFO",
    "$JS.API.STREAM.INFO.some",
    "$SYS.REQ.USER.INFO",
    "$SYS.REQ.ACCOUNT.PING.STATZ",
    "$SYS.REQ.ACCOUNT.PING.CONNZ",
)
"""The requests about the server that every account may make."""
FOR_THE_SYSTEM_ACCOUNT = ("$SYS.REQ.SERVER.PING.JSZ", "$SYS.REQ.SERVER.PING.VARZ", "$SYS.REQ.ACCOUNT.PING.JSZ")


def advice(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the warnings about a server that may not flush."""
    return [record.getMessage() for record in caplog.records if record.name == "antecede.durability"]


def test_what_the_server_needs_is_said_once_to_nodes_and_stations(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(url: str) -> None:
        async with join(url, space="orders", process="a", store=tmp_path):
            assert advice(caplog) == [], "nobody asked for it"
        async with (
            join(url, space="orders", process="b", store=tmp_path, durability="power"),
            join(url, space="orders", process="c", store=tmp_path, durability="power"),
            serve_station(url, name="s1", stations=["s1"], key=KEY, store=tmp_path, durability="power"),
        ):
            (said,) = advice(caplog)
            assert all(words in said for words in (url, "sync_interval: always", "cannot see"))

    with caplog.at_level(logging.WARNING, "antecede"), server(tmp_path, "n1") as running:
        asyncio.run(scenario(f"nats://{running}"))


def test_the_password_of_the_server_is_not_said(caplog: pytest.LogCaptureFixture) -> None:
    asyncio.run(NatsNetwork(["nats://me:secret@127.0.0.1:9", "nats://127.0.0.1:10"]).start(flushes=True))
    (said,) = advice(caplog)
    assert "nats://127.0.0.1:9, nats://127.0.0.1:10" in said
    assert "secret" not in said


def test_a_server_does_not_tell_a_client_whether_it_flushes(tmp_path: Path) -> None:
    """If this fails, a later NATS server tells it: then report a server that does not flush as a problem."""

    async def scenario(running: Server) -> None:
        client = await nats.connect(f"nats://{running}")
        try:
            await client.jetstream().add_stream(name="some", subjects=["some"])
            told = [json.dumps(client._server_info)]
            told += [(await client.request(subject, b"")).data.decode() for subject in TELL_MOST]
            assert not [text for text in told if "sync" in text]
            for subject in FOR_THE_SYSTEM_ACCOUNT:
                with pytest.raises(NoRespondersError):
                    await client.request(subject, b"")
        finally:
            await client.close()

    with server(tmp_path, "n1", jetstream="sync_interval: always") as running:
        asyncio.run(scenario(running))
