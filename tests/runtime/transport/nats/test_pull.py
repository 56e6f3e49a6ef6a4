"""Reading an inbox: as fast as the reader takes it, and no more than it can be given at once."""

import asyncio
from pathlib import Path

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg

from antecede.runtime import Limits, NatsOptions, join
from antecede.runtime.transport.nats import pull
from antecede.runtime.transport.nats.network import NatsTransport
from antecede.runtime.transport.nats.options import NatsLimits
from antecede.runtime.transport.nats.streams import InboxStream
from tests.runtime.nodes import run, take

BATCH, MESSAGES = 8, 50
BRISK = NatsOptions(limits=NatsLimits(batch=BATCH, heartbeat_s=0.5, request_s=1.5, ack_wait_s=1.0))


def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The inboxes that are made, or made again, as they are."""
    names: list[str] = []
    make = InboxStream.make

    async def noted(self: InboxStream, *arguments: object, **settings: object) -> None:
        names.append(self.name)
        await make(self, *arguments, **settings)  # type: ignore[arg-type]  # settings in a dict have no types of their own

    monkeypatch.setattr(InboxStream, "make", noted)
    return names


def test_a_reader_that_takes_nothing_is_sent_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest stays with the broker, though what waits here is redelivered; and the inbox is not missed."""
    inboxes = made(monkeypatch)

    async def test() -> None:
        url = f"embedded://{tmp_path}"
        async with (
            join(url, space="s", process="b", nats=BRISK, limits=Limits(inbox=1)) as b,
            join(url, space="s", process="a", nats=BRISK) as a,
        ):
            for n in range(MESSAGES):
                await a.send({"b"}, b"%d" % n)
                await a.flush()  # each in a frame of its own
            await asyncio.sleep(3)  # long enough for what is not acknowledged to come again twice, and to be missed
            assert isinstance(b._transport, NatsTransport)
            waiting = list(b._transport._pull._arrived)
            assert 0 < len(waiting) <= (1 + pull.AHEAD_MAX) * BATCH
            assert inboxes == ["antecede_s_b", "antecede_s_a"]
            assert await take(b, MESSAGES) == [b"%d" % n for n in range(MESSAGES)]

    run(test)


def test_a_request_that_expired_is_followed_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests end while nothing comes; what comes after that is received, and the inbox was never missed."""
    inboxes = made(monkeypatch)

    async def test() -> None:
        url = f"embedded://{tmp_path}"
        async with (
            join(url, space="s", process="b", nats=BRISK) as b,
            join(url, space="s", process="a", nats=BRISK) as a,
        ):
            for n in range(2):
                await asyncio.sleep(2)  # longer than a request
                await a.send({"b"}, b"%d" % n)
                assert await take(b, 1) == [b"%d" % n]
            assert inboxes == ["antecede_s_b", "antecede_s_a"]

    run(test)


@pytest.mark.parametrize(
    "reply",
    [
        "$JS.ACK.antecede_s_b.antecede.1.77.78.1719992702186105579.0",
        "$JS.ACK._.hash.antecede_s_b.antecede.1.77.78.1719992702186105579.0.random",
        "$JS.ACK.hub.hash.antecede_s_b.antecede.1.77.78.1719992702186105579.0",
    ],
)
def test_the_number_in_the_stream_is_what_the_client_says_it_is(reply: str) -> None:
    msg = Msg(_client=Client(), subject="antecede.s.b.a", reply=reply)
    assert pull._number(msg) == msg.metadata.sequence.stream == 77
