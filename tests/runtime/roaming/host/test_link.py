"""Who answers a host and is not a station, or says what no station says: the host says so, and tries again."""

import asyncio

import pytest
from websockets.asyncio.server import ServerConnection, serve

from antecede.runtime.roaming.host.host import Host
from antecede.runtime.roaming.tokens import issue
from tests.runtime.cells import KEY, until

GREETING = '{"station": "s1", "frame_bytes": 8192}'


def trouble_with(trouble: str, *said: str) -> None:
    """Wait until a host that keeps no state names a trouble with somebody who says this after the hello."""

    async def attend(socket: ServerConnection) -> None:
        await socket.recv()
        for each in said:
            await socket.send(each)
        await socket.wait_closed()

    async def scenario() -> None:
        async with serve(attend, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            async with Host([f"ws://127.0.0.1:{port}"], "ann", issue(KEY, "ann")) as ann:
                await until(lambda: trouble in ann.trouble())

    asyncio.run(scenario())


@pytest.mark.parametrize("answer", ['{"station": "s1", "frame_bytes": Infinity}', '{"station": "s1"}', "[]", "?"])
def test_who_answers_like_no_station_is_not_one(answer: str) -> None:
    trouble_with("is not a station", answer)


@pytest.mark.parametrize(
    "notice", ['{"sent": -5, "got": 3}', '{"sent": 1e30, "got": 0}', '{"sent": 3}', '{"sent": true, "got": 0}', "5"]
)
def test_a_notice_that_cannot_be_right_is_not_believed(notice: str) -> None:
    """A host that keeps no state would number its messages by it."""
    trouble_with("sent a frame that is not valid", GREETING, notice)
