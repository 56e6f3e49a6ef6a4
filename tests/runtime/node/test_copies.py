"""A copy of a store takes no place: neither that of the original later, nor beside it while it runs."""

import asyncio
import re
import shutil
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from antecede.core.errors import AntecedeError, Misuse
from antecede.runtime import Faults, Limits, MemoryNetwork, NameLost, Network, Node, Stopped, join
from tests.runtime.logged import said
from tests.runtime.nodes import WAIT_S, eventually, run, take


@pytest.fixture(params=["memory", "embedded"])
def network(request: pytest.FixtureRequest, tmp_path: Path) -> str | Network:
    return MemoryNetwork() if request.param == "memory" else f"embedded://{tmp_path / 'nats'}"


def copy(store: Path, to: Path) -> None:
    """Copy all files of a store as they are, as `cp` or a backup would."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(store, to)


async def send(node: Node, *texts: str) -> None:
    for text in texts:
        await node.send({"b"}, text.encode())
    assert await node.flush()


@pytest.mark.parametrize("moment", ["stopped", "running"])
def test_a_copy_that_is_brought_back_is_refused(network: str | Network, tmp_path: Path, moment: str) -> None:
    """It lacks three messages, whose numbers it would use again: b would get two of the five, and nobody be told.

    The copy is made while the process is stopped, or while it runs.
    """
    store, backup = tmp_path / "stores", tmp_path / "backup"

    async def test() -> None:
        async with join(network, space="s", process="b", store=tmp_path / "b") as b:
            async with join(network, space="s", process="a", store=store) as a:
                await send(a, "first")
                if moment == "running":
                    copy(store, backup)
                    await send(a, "1", "2", "3")
            if moment == "stopped":
                copy(store, backup)
                async with join(network, space="s", process="a", store=store) as a:
                    await send(a, "1", "2", "3")
            copy(backup, store)
            with pytest.raises(Misuse, match=r"is a copy, or older .* Start with the store that was used last") as why:
                async with join(network, space="s", process="a", store=store) as a:
                    await send(a, "4", "5", "6", "7", "8")
            assert "give_up" in str(why.value)
            assert await take(b, 4) == [b"first", b"1", b"2", b"3"]
            assert await b.next_within(0.2) is None

    run(test)


def test_a_clone_and_its_original_do_not_both_go_on(network: str | Network, tmp_path: Path) -> None:
    """The one that starts later has the name; the other notices at once, sends and takes nothing more, and says why."""
    store, clone_store = tmp_path / "stores", tmp_path / "clone"

    async def test() -> None:
        async with join(network, space="s", process="b", store=tmp_path / "b") as b:
            async with join(network, space="s", process="a", store=store) as a:
                await send(a, "first")
                assert await take(b, 1) == [b"first"]
                await asyncio.sleep(1.5)  # what is known of progress is what the copy has
                copy(store, clone_store)
                async with join(network, space="s", process="a", store=clone_store) as clone:
                    with pytest.raises(AntecedeError, match=r"was started somewhere else .* stop one of the two"):
                        await end_of(a)
                    with pytest.raises(AntecedeError, match="was started somewhere else"):
                        await a.send({"b"}, b"of the original")
                    await send(clone, "of the clone")
                    assert await take(b, 1) == [b"of the clone"]
                    await b.send({"a"}, b"answer")
                    assert await take(clone, 1) == [b"answer"]
            with pytest.raises(Misuse, match="another copy of it was started since"):
                async with join(network, space="s", process="a", store=store):
                    pass

    run(test)


def test_an_original_that_is_idle_stops_with_a_reason(
    network: str | Network, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The application makes no call: the log, `problems()`, the metrics and the end of the block say why it stopped."""
    store, clone_store = tmp_path / "stores", tmp_path / "clone"

    async def test() -> None:
        async with join(network, space="s", process="a", store=store) as a:
            copy(store, clone_store)
            async with join(network, space="s", process="a", store=clone_store):
                await eventually(lambda: bool(a.problems()))
                (problem,) = a.problems()
                assert isinstance(problem, Stopped)
                assert re.search("was started somewhere else .* stop one of the two", problem.reason)
                assert (problem.kind, a.problem_counts()) == ("stopped", {"stopped": 1})
                assert 'antecede_problems{kind="stopped",process="a"} 1.0' in a.metrics.text()
                await asyncio.sleep(0.6)  # looked at again, and told once

    with pytest.raises(NameLost, match="was started somewhere else"):
        run(test)
    assert said(caplog, "^a stops: .*was started somewhere else") == 1
    assert said(caplog, "sends and acknowledges nothing more") == 0


@pytest.mark.parametrize("how", ["its own exception", "told by a call"])
def test_the_end_of_a_block_raises_no_failure_that_is_known_or_not_alone(tmp_path: Path, how: str) -> None:
    network, store, clone_store = MemoryNetwork(), tmp_path / "stores", tmp_path / "clone"

    async def test() -> None:
        async with join(network, space="s", process="a", store=store) as a:
            copy(store, clone_store)
            async with join(network, space="s", process="a", store=clone_store):
                await eventually(lambda: bool(a.problems()))
            if how == "its own exception":
                raise ZeroDivisionError
            with pytest.raises(NameLost):
                await a.send({"b"}, b"x")

    with pytest.raises(ZeroDivisionError) if how == "its own exception" else nullcontext():
        run(test)


async def end_of(node: Node) -> None:
    """Wait until a node ends, and raise its reason."""
    async with asyncio.timeout(WAIT_S):
        async for message in node:
            await message.ack()


def test_a_clone_of_a_node_that_has_gone_on_since_is_refused_at_once(network: str | Network, tmp_path: Path) -> None:
    """And the original does not notice anything."""
    store, clone_store = tmp_path / "stores", tmp_path / "clone"

    async def test() -> None:
        async with join(network, space="s", process="b") as b, join(network, space="s", process="a", store=store) as a:
            await send(a, "first")
            copy(store, clone_store)
            await send(a, "second")
            await asyncio.sleep(1.5)
            with pytest.raises(Misuse, match=r"lacks \d steps that were taken since"):
                async with join(network, space="s", process="a", store=clone_store):
                    pass
            await send(a, "third")
            assert await take(b, 3) == [b"first", b"second", b"third"]

    run(test)


def test_an_owner_starts_again_as_often_as_it_likes(network: str | Network, tmp_path: Path) -> None:
    async def test() -> None:
        for _ in range(4):
            async with join(network, space="s", process="a", store=tmp_path / "stores") as a:
                await a.send({"a"}, b"to myself")
                await take(a, 1)

    run(test)


SENDER = """
import asyncio, sys
from antecede.runtime import join

async def main(url, store):
    async with join(url, space="s", process="a", store=store) as a:
        for line in sys.stdin:
            await a.send({"b"}, line.strip().encode())
            await a.flush()
            await asyncio.sleep(1.5)  # the broker hears of progress every second
            print("sent", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def test_a_copy_of_a_process_that_was_killed_is_refused_and_its_store_is_not(tmp_path: Path) -> None:
    """The process had no time to say how far it came; the broker knows it to the second."""
    url, store, backup = f"embedded://{tmp_path / 'nats'}", tmp_path / "stores", tmp_path / "backup"

    async def test() -> None:
        async with join(url, space="s", process="b") as b:
            command = [sys.executable, "-c", SENDER, url, str(store)]
            sender = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            assert sender.stdin is not None
            assert sender.stdout is not None
            for text in (b"first\n", b"second\n"):
                sender.stdin.write(text)
                sender.stdin.flush()
                await asyncio.to_thread(sender.stdout.readline)
                if text == b"first\n":
                    copy(store, backup)
            sender.kill()
            sender.communicate()
            with pytest.raises(Misuse, match="is a copy, or older"):
                async with join(url, space="s", process="a", store=backup):
                    pass
            async with join(url, space="s", process="a", store=store) as a:
                await send(a, "third")
            assert await take(b, 3) == [b"first", b"second", b"third"]

    run(test)


@pytest.mark.parametrize(
    ("dests", "payload"), [({"b"}, b"other content"), ({"b", "c"}, b"second")], ids=["payload", "destinations"]
)
def test_a_number_that_is_used_twice_is_told_and_not_dropped_as_a_repetition(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, dests: set[str], payload: bytes
) -> None:
    """The broker has lost its data, so the copy is not refused. The receiver has what it was sent before."""
    network, store, backup = MemoryNetwork(), tmp_path / "stores", tmp_path / "backup"

    async def test() -> None:
        async with join(network, space="s", process="a", store=store) as a:
            await a.send({"b"}, b"first")
        copy(store, backup)
        async with (
            join(network, space="s", process="b", store=tmp_path / "b") as b,
            join(network, space="s", process="a", store=store) as a,
        ):
            await a.send({"b"}, b"second")
            assert await take(b, 2) == [b"first", b"second"]
        limits = Limits(event_lasts_s=1.0)
        async with join(network, space="s", process="b", store=tmp_path / "b", limits=limits) as b:
            del network.registrations["s", "a"]
            async with join(network, space="s", process="a", store=backup) as a:
                await a.send(dests, payload)
                await eventually(lambda: bool(b.problems()))
                (problem,) = b.problems()
                assert problem.kind == "number used twice"
                assert "a has sent two different messages with number 2" in str(problem)
                assert b.counts()["refused"] == 1
                await eventually(lambda: "number 2, and the second was refused" in caplog.text)
                await eventually(lambda: "this is over: a has sent two different messages" in caplog.text)
                assert b.problems() == []
                assert 'antecede_reused_total{process="b"} 1.0' in b.metrics.text()

    run(test)


def test_a_repetition_is_still_a_repetition() -> None:
    """What arrives twice has the same content, and nobody is told of it."""
    network = MemoryNetwork(faults=Faults(duplicate=1.0))

    async def test() -> None:
        async with join(network, space="s", process="b") as b, join(network, space="s", process="a") as a:
            await send(a, "once", "and again")
            assert await take(b, 2) == [b"once", b"and again"]
            inbox = network.inboxes["s", "b"]
            await eventually(lambda: not inbox.waiting and not inbox.unacknowledged)
            assert (b.problems(), b.counts()["refused"]) == ([], 0)

    run(test)
