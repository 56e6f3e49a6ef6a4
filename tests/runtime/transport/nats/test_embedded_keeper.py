"""The keeper of an embedded server is killed, or its server, or both in any order: everybody meets again."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from antecede.runtime import BrokerLost, Node, join
from antecede.runtime.transport.nats.embedded import EmbeddedServerFailed, address
from tests.runtime.logged import said
from tests.runtime.nodes import WAIT_S, eventually, run, take


def known(folder: Path) -> dict[str, int]:
    return dict(json.loads((folder / "address").read_text()))


def keeper_of(folder: Path) -> int:
    """The process that keeps the server: its parent."""
    status = Path(f"/proc/{known(folder)['pid']}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))


def kill(*pids: int) -> None:
    """Kill processes, and wait until they are gone."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    until = time.monotonic() + WAIT_S
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < until
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


async def talk(one: Node, other: Node, text: bytes) -> None:
    """Each says something to the other, and gets it."""
    async with asyncio.timeout(WAIT_S):
        await one.send({other.process}, text)
        assert await take(other, 1) == [text]
        await other.send({one.process}, b"re: " + text)
        assert await take(one, 1) == [b"re: " + text]


@pytest.mark.parametrize("order", ["keeper", "server", "keeper, server", "server, keeper"])
def test_everybody_meets_again(tmp_path: Path, order: str) -> None:
    """Those who were there before, and one who comes later. Until now the newcomer got a server of its own."""
    folder = tmp_path / "nats"
    url = f"embedded://{folder}"

    async def test() -> None:
        async with join(url, space="s", process="a") as a, join(url, space="s", process="b") as b:
            await talk(a, b, b"before")
            pids = {"server": known(folder)["pid"], "keeper": keeper_of(folder)}
            await asyncio.to_thread(kill, *(pids[name] for name in order.split(", ")))
            async with join(url, space="s", process="c") as c:
                await talk(a, c, b"to the newcomer")
                await talk(c, b, b"from the newcomer")
                await talk(a, b, b"after")
            await talk(b, a, b"without the newcomer")

    run(test)


def test_nobody_comes_and_those_who_are_there_start_the_server_again(tmp_path: Path) -> None:
    folder = tmp_path / "nats"
    url = f"embedded://{folder}"

    async def test() -> None:
        async with join(url, space="s", process="a") as a, join(url, space="s", process="b") as b:
            for text in (b"one", b"two"):
                await asyncio.to_thread(kill, keeper_of(folder), known(folder)["pid"])
                await talk(a, b, text)

    run(test)
    assert address(folder) is None, "the server ends with its last user"


def test_a_server_that_cannot_be_started_again_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is tried every second, and the problem that there is no broker says why it does not succeed."""
    folder = tmp_path / "nats"
    attempts: list[object] = []

    def refuse(*arguments: object, **options: object) -> None:
        attempts.append(arguments)
        raise subprocess.TimeoutExpired("keeper", 20.0)

    async def test() -> None:
        async with join(f"embedded://{folder}", space="s", process="a") as a:
            with monkeypatch.context() as patched:
                patched.setattr(subprocess, "run", refuse)
                await asyncio.to_thread(kill, keeper_of(folder), known(folder)["pid"])
                await eventually(lambda: len(attempts) > 3)
                (problem,) = a.problems()
                assert isinstance(problem, BrokerLost)
                assert "The server cannot be started again: the server of" in problem.reason
                assert said(caplog, "cannot be started again") == 1
            await eventually(lambda: a.problems() == [])
            await eventually(lambda: said(caplog, "this is over: nothing is sent") == 1)

    run(test)
    assert said(caplog, "a: nothing is sent .* cannot be started again") == 1


def _bind(taken: socket.socket, port: int) -> None:
    """Bind to the port as soon as the server that was killed is gone from it."""
    end = time.monotonic() + WAIT_S
    while True:
        try:
            taken.bind(("127.0.0.1", port))
            return
        except OSError:
            if time.monotonic() > end:
                raise
        time.sleep(0.01)


@contextmanager
def occupied(port: int) -> Iterator[None]:
    """Nobody else can listen there, and nobody answers."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of the old server are still there
        _bind(taken, port)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        yield


def test_a_server_whose_port_is_taken_meanwhile_is_followed(tmp_path: Path) -> None:
    folder = tmp_path / "nats"
    url = f"embedded://{folder}"

    async def test() -> None:
        async with join(url, space="s", process="a") as a, join(url, space="s", process="b") as b:
            await talk(a, b, b"before")
            port = int(str(known(folder)["url"]).rpartition(":")[2])
            keeper, server = keeper_of(folder), known(folder)["pid"]
            os.kill(keeper, signal.SIGSTOP)  # it would start the server again at once
            await asyncio.to_thread(kill, server)
            with occupied(port):
                await asyncio.to_thread(kill, keeper)
                async with join(url, space="s", process="c") as c:
                    assert int(str(known(folder)["url"]).rpartition(":")[2]) != port
                    await talk(a, c, b"to the newcomer")
                    await talk(a, b, b"after")

    run(test)


def test_a_new_server_waits_for_the_end_of_the_old_one(tmp_path: Path) -> None:
    """The keeper is killed, and its server takes its time: two servers on one store would ruin it."""
    folder = tmp_path / "nats"
    url = f"embedded://{folder}"

    async def test() -> None:
        async with join(url, space="s", process="a") as a, join(url, space="s", process="b") as b:
            keeper, server = keeper_of(folder), known(folder)["pid"]
            os.kill(server, signal.SIGSTOP)
            await asyncio.to_thread(kill, keeper)
            coming = asyncio.create_task(_come_and_go(url))
            await asyncio.sleep(3)
            assert known(folder)["pid"] == server, "there is no other yet"
            os.kill(server, signal.SIGCONT)
            await coming
            await eventually(lambda: known(folder)["pid"] != server)
            await talk(a, b, b"after")

    run(test)


async def _come_and_go(url: str) -> None:
    async with join(url, space="s", process="c"):
        pass


def flushes(folder: Path) -> bool:
    """Whether the server that runs now was told to flush every message."""
    return "sync_interval: always" in (folder / "nats.conf").read_text() and bool(known(folder)["flushes"])


def test_the_server_flushes_for_whoever_wants_to_survive_a_power_cut(tmp_path: Path) -> None:
    """A server that runs without is started again with it, and those who were there before go on. It stays so."""
    folder = tmp_path / "nats"
    url = f"embedded://{folder}"

    async def scenario() -> None:
        async with join(url, space="power", process="a") as a:
            assert not flushes(folder)
            async with join(url, space="power", process="b", durability="power") as b:
                assert flushes(folder)
                await talk(a, b, b"over a power cut")
                pid = known(folder)["pid"]
                async with join(url, space="power", process="c", durability="power"):
                    assert known(folder)["pid"] == pid, "once is enough"
        async with join(url, space="power", process="a"):
            assert flushes(folder)

    run(scenario)


def test_a_server_that_does_not_start_in_time_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: object, **options: object) -> None:
        raise subprocess.TimeoutExpired("keeper", 20.0)

    async def test() -> None:
        with pytest.raises(EmbeddedServerFailed, match=r"did not start within 20 s; see .*nats\.log, or start again"):
            async with join(f"embedded://{tmp_path}", space="s", process="a", store=tmp_path / "store"):
                pass

    monkeypatch.setattr(subprocess, "run", never)
    run(test)
