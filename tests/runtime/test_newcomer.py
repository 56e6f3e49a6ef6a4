"""What somebody sees in the terminal who makes the usual mistakes: within five seconds, what to do."""

import asyncio
import gc
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from antecede.core.errors import AntecedeError, Misuse
from antecede.runtime import Host, HostRefused, MemoryNetwork, NatsOptions, join, join_sync, serve_station
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.transport.nats.embedded import server_binary
from antecede.runtime.transport.nats.options import NatsLimits
from antecede.runtime.transport.nats.trace_stream import fetch
from antecede.runtime.transport.urls import servers_of
from antecede.runtime.watch.status import gather
from tests.paths import ROOT
from tests.runtime.cells import KEY, cells, url
from tests.runtime.nodes import run
from tests.runtime.ports import free_port

SOON_S = 5.0
START_S = 15.0
"""How long Python and the embedded server may take to start on a busy machine."""
END_S = 40.0
"""How long they may take to end. The keeper of the server gives it ten seconds before it kills it."""
HEED_CTRL_C = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Ctrl-C ends the program, although a shell lets it be ignored by what it starts in the background."""
HEAD = """
import asyncio, sys
import antecede

print("begins", flush=True)
"""
PROGRAMS = {
    "a destination is misspelt": (
        """
async def main():
    async with antecede.join(sys.argv[1], space="orders", process="billing") as node:
        async with antecede.join(sys.argv[1], space="orders", process="stock"):
            print("begins", flush=True)
            await node.send({"stok"}, b"paid")
            await asyncio.sleep(60)
asyncio.run(main())
""",
        "there is no process 'stok' in space 'orders': .* Did you mean 'stock'?",
    ),
    "ack is forgotten": (
        """
async def main():
    async with antecede.join(sys.argv[1], space="orders", process="billing") as node:
        print("begins", flush=True)
        for n in range(3):
            await node.send({"billing"}, b"%d" % n)
        async for message in node:
            pass
asyncio.run(main())
""",
        "3 messages are taken and none acknowledged: .* Call `await message.ack()`",
    ),
    "ack is forgotten for the only message": (
        """
async def main():
    async with antecede.join(sys.argv[1], space="orders", process="billing") as node:
        print("begins", flush=True)
        await node.send({"billing"}, b"paid")
        async for message in node:
            pass
asyncio.run(main())
""",
        "1 message is taken and none acknowledged: .* Call `await message.ack()`",
    ),
    "ack is forgotten, and the program works on": (
        """
async def main():
    async with antecede.join(sys.argv[1], space="orders", process="billing") as node:
        print("begins", flush=True)
        await node.send({"billing"}, b"paid")
        await anext(node)
        await asyncio.sleep(60)
asyncio.run(main())
""",
        "billing: 1 message is taken and not acknowledged for 4 s. Call `await message.ack()`",
    ),
    "ack is forgotten without an event loop, and the program works on": (
        """
import time
with antecede.join_sync(sys.argv[1], space="orders", process="billing") as node:
    print("begins", flush=True)
    node.send({"billing"}, b"paid")
    node.receive()
    time.sleep(60)
""",
        "billing: 1 message is taken and not acknowledged for 4 s. .* `message.ack()`",
    ),
    "a destination is misspelt, and the program ends": (
        """
async def main():
    async with antecede.join(sys.argv[1], space="orders", process="stock"):
        async with antecede.join(sys.argv[1], space="orders", process="billing") as node:
            print("begins", flush=True)
            await node.send({"stok"}, b"paid")
asyncio.run(main())
""",
        "there is no process 'stok' in space 'orders': .* Did you mean 'stock'?",
    ),
    "a destination is misspelt, and the program fails": (
        """
async def main():
    async with antecede.join(sys.argv[1], space="orders", process="billing") as node:
        print("begins", flush=True)
        await node.send({"stok"}, b"paid")
        raise RuntimeError("of the program")
asyncio.run(main())
""",
        "1 packet",  # is not in the inbox of stok, or waits for stok, which is not there
    ),
    "ack is forgotten, and the program ends": (
        """
async def main():
    async with antecede.join(sys.argv[1], space="orders", process="billing") as node:
        print("begins", flush=True)
        await node.send({"billing"}, b"paid")
        await anext(node)
asyncio.run(main())
""",
        "1 message is taken and none acknowledged: .* Call `await message.ack()`",
    ),
    "ack is forgotten for one of two messages, and the program ends": (
        """
async def main():
    async with antecede.join(sys.argv[1], space="orders", process="billing") as node:
        print("begins", flush=True)
        for n in range(2):
            await node.send({"billing"}, b"%d" % n)
        await anext(node)
        await (await anext(node)).ack()
asyncio.run(main())
""",
        "1 message is not acknowledged, although .*: the oldest is billing:1, .* Call `await message.ack()`",
    ),
    "async with is forgotten, with await": (
        """
async def main():
    node = await antecede.join(sys.argv[1], space="orders", process="billing")
asyncio.run(main())
""",
        "not to be awaited: write `async with antecede.join(...) as node:`",
    ),
    "async with is forgotten, without await": (
        """
async def main():
    node = antecede.join(sys.argv[1], space="orders", process="billing")
    await node.send({"stock"}, b"paid")
asyncio.run(main())
""",
        "'send' is not to be had before the block is entered: write `async with antecede.join(...) as node:`",
    ),
    "async with is forgotten, in a loop": (
        """
async def main():
    async for message in antecede.join(sys.argv[1], space="orders", process="billing"):
        pass
asyncio.run(main())
""",
        "nothing in it before it is entered: write `async with antecede.join(...) as node:`",
    ),
    "with is forgotten, in a loop": (
        """
for message in antecede.join_sync(sys.argv[1], space="orders", process="billing"):
    pass
""",
        "nothing in it before it is entered: write `with antecede.join_sync(...) as node:`",
    ),
    "with is forgotten": (
        """
node = antecede.join_sync(sys.argv[1], space="orders", process="billing")
node.send({"stock"}, b"paid")
""",
        "write `with antecede.join_sync(...) as node:`",
    ),
    "async with is forgotten for a host": (
        """
async def main():
    ann = antecede.Host(["ws://127.0.0.1:9"], "ann", "token")
    await ann.send({"bob"}, b"hello")
asyncio.run(main())
""",
        "the host is not open: write `async with Host(...) as host:`",
    ),
}


def pattern(words: str) -> str:
    """What people read, as a regular expression in which only `.*` has a meaning."""
    return re.escape(words).replace(r"\.\*", ".*")


@contextmanager
def started(folder: Path, program: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a program. What it complains about is in `folder/complaints`."""
    settings = {"PYTHONPATH": str(ROOT / "src"), "PYTHONFAULTHANDLER": "1", "PYTHONUNBUFFERED": "1"}
    environment = {**os.environ, **settings}
    command = [sys.executable, "-c", HEED_CTRL_C + HEAD + program, *arguments]
    with open(folder / "complaints", "w") as complaints:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints, text=True, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_end(process: "subprocess.Popen[str]", folder: Path) -> int:
    """Return how a program ended. If it does not end, fail with what its threads do."""
    try:
        return process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        process.wait(START_S)
        pytest.fail(f"it goes on after {END_S} s:\n{(folder / 'complaints').read_text()}")


def wait_for(words: str, folder: Path) -> None:
    """Wait until a program has written these words to the terminal. Fail if that is not soon."""
    until, text = time.monotonic() + SOON_S, ""
    while not re.search(words, text):
        assert time.monotonic() < until, f"after {SOON_S} s there is only {text!r}"
        time.sleep(0.05)
        text = (folder / "complaints").read_text()


@pytest.mark.parametrize("mistake", PROGRAMS)
def test_who_makes_a_mistake_is_told_what_to_do(mistake: str, tmp_path: Path) -> None:
    program, words = PROGRAMS[mistake]
    with started(tmp_path, program, f"embedded://{tmp_path / 'nats'}") as process:
        assert process.stdout is not None
        for _ in range(1 + program.count('print("begins"')):
            assert process.stdout.readline() == "begins\n"
        wait_for(pattern(words), tmp_path)


@contextmanager
def without_jetstream() -> Iterator[str]:
    port = free_port()
    server = subprocess.Popen([server_binary(), "-a", "127.0.0.1", "-p", str(port)], stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.02)
        yield f"nats://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def test_a_server_without_jetstream() -> None:
    async def test(server: str) -> None:
        with pytest.raises(Misuse, match=r"JetStream is not enabled at nats://127.*: start nats-server with -js"):
            async with join(server, space="s", process="a", store=None):
                pass

    with without_jetstream() as server:
        began = time.monotonic()
        asyncio.run(test(server))
        assert time.monotonic() - began < SOON_S


def test_a_trace_on_a_server_without_jetstream() -> None:
    async def test(server: str) -> None:
        with pytest.raises(Misuse, match=r"JetStream is not enabled at nats://127.*: start nats-server with -js"):
            await anext(fetch([server], "shop"))

    with without_jetstream() as server:
        asyncio.run(test(server))


def test_a_server_that_is_not_there_is_told_while_it_is_tried(caplog: pytest.LogCaptureFixture) -> None:
    """The connection is refused: within two seconds somebody knows, and may start the server still."""
    server, limits = f"nats://127.0.0.1:{free_port()}", NatsLimits(connect_s=30.0)

    async def test() -> None:
        block = join(server, space="s", process="a", store=None, nats=NatsOptions(limits=limits))
        joining = asyncio.create_task(block.__aenter__())
        await asyncio.sleep(2)
        joining.cancel()
        await asyncio.gather(joining, return_exceptions=True)

    asyncio.run(test())
    assert re.search(
        r"no NATS server answers at nats://127.* yet: ConnectionRefusedError.* Trying for 30 s; start it with",
        caplog.text,
    )


def forget(make: Callable[[], object]) -> None:
    """Make something, and let it go."""
    make()
    gc.collect()


def test_a_block_that_is_never_entered_is_a_warning() -> None:
    for block in (
        lambda: join(MemoryNetwork(), space="s", process="a"),
        lambda: join_sync(MemoryNetwork(), space="s", process="a"),
        lambda: serve_station(MemoryNetwork(), name="s1", stations=["s1"], key=KEY),
        lambda: Host(["ws://127.0.0.1:9"], "ann", "token"),
    ):
        with pytest.warns(RuntimeWarning, match="was made and never entered: write"):
            forget(block)


def test_blocks_that_are_entered_in_the_other_way() -> None:
    with pytest.raises(Misuse, match="is asynchronous: write `async with"):
        join(MemoryNetwork(), space="s", process="a").__enter__()

    async def test() -> None:
        with pytest.raises(Misuse, match="is not asynchronous: write `with"):
            await join_sync(MemoryNetwork(), space="s", process="a").__aenter__()

    run(test)


def test_a_name_that_is_used_in_two_places(tmp_path: Path) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with join(network, space="s", process="a", store=tmp_path):
            with pytest.raises(Misuse, match=r"open in another process: .* one place at a time\. Stop the other"):
                async with join(network, space="s", process="a", store=tmp_path):
                    pass

    run(test)


def test_the_token_of_another_host() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at, Host([url(at["s1"])], "ann", issue(KEY, "bob")) as ann:
            with pytest.raises(HostRefused, match="the token is for another host: for bob, and not for ann"):
                await ann.connected()

    asyncio.run(scenario())


def test_ctrl_c_ends_the_example_of_the_readme_without_a_traceback(tmp_path: Path) -> None:
    (program,) = re.findall(r"```py\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    program = program.replace("/tmp/ring", str(tmp_path / "ring"))
    with started(tmp_path, program, "alice", "alice") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        assert process.stdout.readline() == "alice: hello from alice\n"
        process.send_signal(signal.SIGINT)
        assert wait_for_end(process, tmp_path) == 0
        assert (tmp_path / "complaints").read_text() == ""


def is_joined(folder: Path, process: str) -> bool:
    """Return whether a process of the embedded server of a folder answers a request for its status."""
    try:
        found = asyncio.run(gather(servers_of(f"embedded://{folder}")))
    except AntecedeError:
        return False  # the server is not there yet
    return any(one["process"] == process and one["running"] for one in found)


@pytest.mark.parametrize("name", ["billing", "stock"])
def test_ctrl_c_ends_the_programs_of_the_guide_without_a_traceback(tmp_path: Path, name: str) -> None:
    """Each of the two processes waits for the other, which nobody starts."""
    page = (ROOT / "docs" / "guide" / "06-enforcing.md").read_text()
    (program,) = re.findall(rf"^`{name}\.py`[^\n]*\n\n```py\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    assert "/tmp/shop" in program
    with started(tmp_path, program.replace("/tmp/shop", str(tmp_path / "shop"))) as process:
        until = time.monotonic() + START_S
        while not is_joined(tmp_path / "shop", name):
            assert time.monotonic() < until, (tmp_path / "complaints").read_text()
        process.send_signal(signal.SIGINT)
        assert wait_for_end(process, tmp_path) == 0
        assert "Traceback" not in (tmp_path / "complaints").read_text()
