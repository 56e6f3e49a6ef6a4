"""What is wrong with a host is told when it begins and when it is over."""

import asyncio
from pathlib import Path

import pytest

from antecede.runtime import (
    AcknowledgementMissing,
    Host,
    HostRefused,
    MemoryNetwork,
    MessageRefused,
    MoveFailed,
    NeverAcknowledged,
    NotConnected,
)
from antecede.runtime.roaming.home_station import home
from antecede.runtime.roaming.station.serve import serve_station
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.roaming.websocket import AirLimits
from tests.runtime.cells import KEY, cells, host, take, until, url
from tests.runtime.logged import said

FORGOTTEN = "1 message is not acknowledged, although later ones are: the oldest is "


def test_a_host_that_reaches_no_station(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with Host(["ws://127.0.0.1:9"], "ann", issue(KEY, "ann")) as ann:
            await until(ann.problems)
            (problem,) = ann.problems()
            assert isinstance(problem, NotConnected)
            assert "ws://127.0.0.1:9" in problem.reason
            await until(
                lambda: said(caplog, r"ann: no station has served this host for 2\.\d s: ws://127.0.0.1:9") == 1
            )

    asyncio.run(scenario())


def test_a_host_whose_home_station_is_not_running(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        name = next(name for name in ("ann", "bob", "cat", "dan", "eve") if home(name, ["s1", "s2"]) == "s2")
        async with (
            serve_station(MemoryNetwork(), name="s1", stations=["s1", "s2"], key=KEY) as s1,
            Host(["ws://127.0.0.1:9", url(s1)], name, issue(KEY, name)) as ann,
        ):
            await until(ann.problems)
            assert "s1 has answered, and waits for the state (luggage) of this host" in ann.trouble()
            await until(
                lambda: said(caplog, r"no station has served this host for 2\.\d s: s1 has answered, and ") == 1
            )

    asyncio.run(scenario())


def test_a_host_that_closes_with_unsent_messages(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with Host(["ws://127.0.0.1:9"], "ann", issue(KEY, "ann"), path=tmp_path / "ann") as ann:
            await ann.send({"bob"}, b"one")
            await ann.send({"bob"}, b"two")
        async with cells(names=["s1"]) as at:
            async with host(at["s1"], "ann", path=tmp_path / "ann") as ann:
                await ann.drained()
            async with host(at["s1"], "bob") as bob:
                await bob.connected()
                await at["s1"].close()
                await bob.send({"ann"}, b"three")

    asyncio.run(scenario())
    assert said(caplog, "ann: 2 messages are not known to be at a station.*is sent when the host is opened again") == 1
    assert said(caplog, "bob: 1 message is not known to be at a station.*what is left is lost.*drained") == 1
    assert said(caplog, "not known to be at a station") == 2


def test_a_host_with_unsent_messages_whose_token_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            ann = Host(
                [url(at["s1"])],
                "ann",
                issue(b"another key, of another system, for tests", "ann"),
                path=tmp_path / "ann",
            )
            async with ann:
                await ann.send({"bob"}, b"one")
                with pytest.raises(HostRefused):
                    await ann.drained()

    asyncio.run(scenario())
    assert said(caplog, "ann: 1 message is not known to be at a station") == 1


def test_a_host_that_never_acknowledges(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at, host(at["s1"], "ann", path=tmp_path / "ann") as ann:
            await ann.send({"ann"}, b"note to self")
            message = await anext(ann)
            another = asyncio.create_task(anext(ann))
            await until(lambda: said(caplog, "ann: 1 message is taken and none acknowledged.*await message.ack") == 1)
            assert [type(problem) for problem in ann.problems()] == [NeverAcknowledged]
            await message.ack()
            await until(lambda: said(caplog, "this is over: 1 message is taken") == 1)
            another.cancel()

    asyncio.run(scenario())


def test_a_host_that_acknowledges_nothing_and_ends_at_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at, host(at["s1"], "ann", path=tmp_path / "ann") as ann:
            await ann.send({"ann"}, b"note to self")
            await take(ann, 1)

    asyncio.run(scenario())
    assert said(caplog, "ann: 1 message is taken and none acknowledged.*await message.ack") == 1


def test_a_host_without_a_path_need_not_acknowledge(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at, host(at["s1"], "ann") as ann:
            await ann.send({"ann"}, b"note to self")
            await take(ann, 1)
            await ann.drained()

    asyncio.run(scenario())
    assert said(caplog, "ann: ") == 0


def test_a_host_that_forgets_to_acknowledge_one_message(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        settings = {"path": tmp_path / "ann", "forgotten_after_s": 0.2}
        async with cells(names=["s1"]) as at, host(at["s1"], "ann", **settings) as ann:
            for n in range(2):
                await ann.send({"ann"}, b"%d" % n)
            forgotten, later = await anext(ann), await anext(ann)
            await later.ack()
            await until(lambda: said(caplog, f"ann: {FORGOTTEN}ann:1, ") == 1)
            assert [type(problem) for problem in ann.problems()] == [AcknowledgementMissing]
            await forgotten.ack()
            await until(lambda: said(caplog, f"this is over: {FORGOTTEN}") == 1)

    asyncio.run(scenario())


def test_a_move_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with cells(names=["s1", "s2"]) as at, host(at["s1"], "ann") as ann:
            await ann.connected()
            assert await ann.move("ws://127.0.0.1:9") == "s1", "it stays where it is"
            await until(lambda: said(caplog, r"ann: move\('ws://127.0.0.1:9'\) failed: ") == 1)
            (problem,) = ann.problems()
            assert isinstance(problem, MoveFailed)
            assert await ann.move(url(at["s2"])) == "s2"
            await until(lambda: said(caplog, r"this is over: move") == 1)

    asyncio.run(scenario())


def test_a_message_that_went_to_nobody_when_its_sender_ends_at_once(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with (
            cells(names=["s1"], limits=AirLimits(stranger_s=0.05)) as at,
            host(at["s1"], "bobby") as bobby,
            host(at["s1"], "ann") as ann,
        ):
            await bobby.connected()
            await ann.send({"boby"}, b"misspelt")
            await ann.drained()

    asyncio.run(scenario())
    assert said(caplog, r"ann: message ann:1 went to nobody: no host 'boby' was ever .* Did you mean 'bobby'\?") == 1


def test_a_message_that_went_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with (
            cells(names=["s1"], limits=AirLimits(stranger_s=0.05)) as at,
            host(at["s1"], "bobby") as bobby,
            host(at["s1"], "ann") as ann,
        ):
            await bobby.connected()
            await ann.send({"boby"}, b"misspelt")
            words = r"message ann:1 went to nobody: no host 'boby' was ever .* Did you mean 'bobby'\?"
            await until(lambda: said(caplog, words) == 1)
            assert [type(problem) for problem in ann.problems()] == [MessageRefused]
            assert 'antecede_problems{kind="message refused",process="ann"} 1.0' in ann.metrics.text()
            assert 'antecede_connected{process="ann"} 1.0' in ann.metrics.text()
            assert ann.counts() == {"sent": 1, "delivered": 0, "unsent": 0, "connected": 1}
            assert ann.refusals() == [("ann:1", "boby")]
            assert ann.problems() == []

    asyncio.run(scenario())
