"""The address of a station may have a password or a key in it, which no error, problem, notice or log line has."""

import asyncio
import logging
import ssl
from http import HTTPStatus
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from antecede.core.errors import Misuse
from antecede.runtime import Host, HostRefused
from antecede.runtime.roaming.host.link import NoStation, checked_url, open_link
from antecede.runtime.roaming.remove_host import remove_host
from tests.runtime.cells import KEY, cells, host, until

SECRETS = ("ann", "hunter2", "s3cr3t", "k3y")


def with_secrets(port: int) -> str:
    return f"ws://ann:hunter2@127.0.0.1:{port}/there?key=s3cr3t,k3y"


def has_secret(text: object) -> bool:
    return any(secret in str(text) for secret in SECRETS)


def test_a_failed_move_is_told_and_logged_without_them(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "antecede")

    async def scenario() -> None:
        async with cells(names=["s1"]) as at, host(at["s1"], "zoe") as zoe:
            await zoe.connected()
            await zoe.move(with_secrets(9))
            status: Any = at["s1"].status
            await until(lambda: status()["problems_of_hosts"] and "move" in caplog.text)
            (problem,) = zoe.problems()
            for said in (status()["problems_of_hosts"], str(problem), repr(problem), caplog.text, zoe.trouble()):
                assert not has_secret(said), said
            assert "move('ws://127.0.0.1:9/there') failed: ws://127.0.0.1:9/there: [Errno 111]" in str(problem)

    asyncio.run(scenario())


def test_a_host_without_a_station_says_so_without_them(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with Host([with_secrets(9)], "zoe", "token") as zoe:
            await until(lambda: "no station has served this host" in caplog.text)
            assert "ws://127.0.0.1:9/there" in zoe.trouble()
            for said in (zoe.problems(), zoe.trouble(), caplog.text):
                assert not has_secret(said), said

    asyncio.run(scenario())


ANSWERS = {
    "no station": "?",
    "no frame": '{"station": "s1", "frame_bytes": 8192}',
    "gone": None,
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_station_that_answers_wrongly_is_named_without_them(answer: str | None) -> None:
    async def attend(socket: ServerConnection) -> None:
        await socket.recv()
        if answer is not None:
            await socket.send(answer)
            await socket.send("5")

    async def scenario() -> None:
        async with serve(attend, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with Host([with_secrets(port)], "zoe", "token") as zoe:
                await until(zoe.trouble)
                assert not has_secret(zoe.trouble())

    asyncio.run(scenario())


@pytest.mark.parametrize("location", ["http://ann:hunter2@there/?key=s3cr3t", "/#k3y", "//ann:%ff@there/"])
def test_a_station_that_sends_a_host_elsewhere_is_named_without_them(location: str) -> None:
    """What the client says of a redirection has the URL in it."""

    def redirect(connection: ServerConnection, request: Request) -> Response:
        answer = connection.respond(HTTPStatus.FOUND, "")
        answer.headers["Location"] = location
        return answer

    async def attend(socket: ServerConnection) -> None:
        """Nobody comes that far."""

    async def scenario() -> None:
        async with serve(attend, "127.0.0.1", 0, process_request=redirect) as server:
            url = with_secrets(next(iter(server.sockets)).getsockname()[1])
            for attempt in (open_link(url, "zoe", "token", "1", None), remove_host(url, "zoe", KEY)):
                with pytest.raises(NoStation) as why:
                    await attempt
                assert not has_secret(why.value), why.value

    asyncio.run(scenario())


def test_an_order_to_a_station_that_is_not_there_or_is_none_fails_without_them() -> None:
    async def attend(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send("?")

    async def scenario() -> None:
        async with serve(attend, "127.0.0.1", 0) as server:
            for port in (9, next(iter(server.sockets)).getsockname()[1]):
                with pytest.raises((NoStation, HostRefused)) as why:
                    await remove_host(with_secrets(port), "zoe", KEY)
                assert not has_secret(why.value), why.value
                assert f"ws://127.0.0.1:{port}/there" in str(why.value)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "wrong",
    [
        "http://ann:hunter2@there?key=s3cr3t",
        "ws://ann:hunter2@there:0/?key=s3cr3t",
        "ws://ann:hun ter2@there",
        "ws://ann@there",
        "ws://ann:%ff@there",
        "ws://there/#s3cr3t",
        "ws://ann:hunter2/@there",
    ],
)
def test_what_is_not_the_address_of_a_station_is_refused_without_them(wrong: str) -> None:
    with pytest.raises(Misuse, match="is not the address of a station") as why:
        checked_url(wrong, None)
    assert not has_secret(why.value), why.value


def test_an_address_without_encryption_is_refused_without_them() -> None:
    with pytest.raises(Misuse, match="is not encrypted") as why:
        checked_url(with_secrets(9), ssl.create_default_context())
    assert not has_secret(why.value), why.value
