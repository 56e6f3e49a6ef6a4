"""Inboxes on real servers: who owns them, where they are, and that the embedded server comes and goes."""

import asyncio
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import Limits, NameTaken, Unreachable, join
from antecede.runtime.transport.nats import embedded, embedded_keeper
from antecede.runtime.transport.nats import network as nats_module
from antecede.runtime.transport.nats.embedded import EmbeddedNetwork, address, server_binary
from antecede.runtime.transport.nats.network import NatsNetwork
from antecede.runtime.transport.nats.options import NatsLimits, NatsOptions
from tests.paths import ROOT
from tests.runtime.nodes import WAIT_S, eventually, run, take
from tests.runtime.servers import server

GUIDE = ROOT / "docs" / "guide" / "06-enforcing.md"
README = ROOT / "README.md"
SOURCE = ROOT / "src"


def programs_of_the_guide(folder: Path) -> dict[str, Path]:
    """The programs as they stand there, by name, but for where the server has its folder."""
    found = re.findall(r"`(\w+)\.py`.*?```py\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    for name, block in found:
        (folder / f"{name}.py").write_text(block.replace("///tmp/", f"//{folder}/"))
    return {name: folder / f"{name}.py" for name, _ in found}


def begin(program: Path, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-W", "error", "-u", str(program), *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"PYTHONPATH": str(SOURCE)}, text=True
    )


def said_by(program: "subprocess.Popen[str]") -> tuple[str, str]:
    """Everything, until it ends."""
    try:
        return program.communicate(timeout=120)
    finally:
        program.kill()
        program.communicate()


def test_the_example_of_the_guide_in_two_processes(tmp_path: Path) -> None:
    programs = programs_of_the_guide(tmp_path)
    started = {name: begin(programs[name]) for name in ("billing", "stock")}
    outputs = {name: said_by(program) for name, program in started.items()}
    assert outputs == {"billing": ("stock: shipped\n", ""), "stock": ("billing: paid\n", "")}


def test_a_program_that_stops_waiting_for_the_start_goes_at_once(tmp_path: Path) -> None:
    """Ctrl-C while the server starts: the node ends as soon as the server is there, and the server ends with it."""

    async def scenario() -> None:
        joining = asyncio.create_task(join(f"embedded://{tmp_path}", space="s", process="a").__aenter__())
        while not (tmp_path / "users").exists():
            await asyncio.sleep(0)
        joining.cancel()
        await asyncio.gather(joining, return_exceptions=True)

    began = time.monotonic()
    asyncio.run(scenario())
    assert time.monotonic() - began < embedded.START_S / 2
    assert not (tmp_path / "address").exists()


def test_pending_names_the_missing_message_as_the_guide_says(tmp_path: Path) -> None:
    """bob prints what carol's message waits for, for as long as alice can not reach him; then he gets both."""
    programs = programs_of_the_guide(tmp_path)
    said = re.findall(r"```text\n((?:alice|carol).*?)```", GUIDE.read_text(), re.DOTALL)
    bob = begin(programs["bob"])
    try:
        assert bob.stdout is not None
        wait_for(tmp_path / "found" / "jetstream" / "$G" / "streams" / "antecede_ring_bob")  # carol tries, and ends
        printed, warned = said_by(begin(programs["friends"], "cut"))
        assert (printed, warned.startswith("alice: 1 packet is not in the inbox of bob, ")) == ("", True)
        assert [bob.stdout.readline(), bob.stdout.readline()] == [said[0], said[0]]
        assert said_by(begin(programs["friends"])) == ("", "")
        lines = iter(bob.stdout.readline, "")
        assert [line for line in (next(lines), *lines_until(lines, "carol: ")) if line != said[0]] == [
            *said[1].splitlines(keepends=True)
        ]
    finally:
        bob.kill()
        bob.communicate()


def wait_for(path: Path) -> None:
    """Wait until there is such a file or folder."""
    until = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < until, f"there is no {path}"
        time.sleep(0.02)


def lines_until(lines: Iterator[str], start: str) -> Iterator[str]:
    for line in lines:
        yield line
        if line.startswith(start):
            return


def test_an_inbox_belongs_to_the_store_it_was_made_with(tmp_path: Path) -> None:
    async def test() -> None:
        url = f"embedded://{tmp_path / 'nats'}"
        async with join(url, space="s", process="a", store=tmp_path / "one"):
            pass
        with pytest.raises(NameTaken, match="cannot be used again"):
            async with join(url, space="s", process="a", store=tmp_path / "other"):
                pass
        async with join(url, space="s", process="a", store=tmp_path / "one"):
            pass

    run(test)


def test_inboxes_on_servers_that_know_nothing_of_each_other(tmp_path: Path) -> None:
    """Each process has its own broker; only the algorithm orders what passes between them."""

    async def test() -> None:
        one, other = EmbeddedNetwork(tmp_path / "one"), EmbeddedNetwork(tmp_path / "other")
        await one.start()
        await other.start()
        here = NatsNetwork([one.url], NatsOptions(addresses={"b": other.url}))
        there = NatsNetwork([other.url], NatsOptions(addresses={"a": one.url}))
        async with (
            join(here, space="s", process="a", store=None) as a,
            join(there, space="s", process="b", store=None) as b,
        ):
            await a.send({"b"}, b"over")
            assert await take(b, 1) == [b"over"]
            await b.send({"a"}, b"and back")
            assert await take(a, 1) == [b"and back"]
        await one.stop()
        await other.stop()

    run(test)


def test_names_that_no_broker_would_take(tmp_path: Path) -> None:
    strange = ["a.b", "c *>", "ü/\\_" + "x" * 200]

    async def test() -> None:
        url = f"embedded://{tmp_path / 'nats'}"
        async with (
            join(url, space="a space.", process=strange[0]) as a,
            join(url, space="a space.", process=strange[1]) as b,
            join(url, space="a space.", process=strange[2]) as c,
        ):
            await a.send(strange[1:], b"hi")
            assert await take(b, 1) == [b"hi"]
            assert await take(c, 1) == [b"hi"]
            await b.leave()
            await eventually(lambda: a.counts()["processes"] == 2 == c.counts()["processes"])

    run(test)


def test_nobody_answers() -> None:
    impatient = NatsOptions(limits=NatsLimits(connect_s=0.5))

    async def test() -> None:
        with pytest.raises(Unreachable, match=r"no NATS server answers at nats://127\.0\.0\.1:1"):
            async with join("nats://127.0.0.1:1", space="s", process="a", store=None, nats=impatient):
                pass

    run(test)


@pytest.mark.parametrize("url", ["embedded://folder", "kafka://x", "orders", ""])
def test_a_url_that_is_none(url: str) -> None:
    async def test() -> None:
        with pytest.raises(Misuse, match="embedded:///folder"):
            async with join(url, space="s", process="a"):
                pass

    run(test)


def test_what_no_server_will_ever_do_is_told_at_once(tmp_path: Path) -> None:
    async def test() -> None:
        url = f"embedded://{tmp_path}"
        with pytest.raises(Misuse, match="not part of a cluster"):
            async with join(url, space="shop", process="a", nats=NatsOptions(replicas=3)):
                pass

    run(test)
    with pytest.raises(Misuse, match="colour"):
        NatsOptions(connect={"colour": "blue"})


def test_the_embedded_server_ends_with_its_last_user(tmp_path: Path) -> None:
    folder = tmp_path / "nats"

    async def test() -> None:
        async with join(f"embedded://{folder}", space="s", process="a"):
            async with join(f"embedded://{folder}", space="s", process="b"):
                first = address(folder)
            assert address(folder) == first
        await eventually(lambda: address(folder) is None)

    run(test)


def test_the_embedded_server_ends_when_its_user_is_killed(tmp_path: Path) -> None:
    program = """
import asyncio, sys
from antecede.runtime import join
async def main():
    async with join(sys.argv[1], space="s", process="a"):
        print("up", flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""
    folder = tmp_path / "nats"
    user = subprocess.Popen([sys.executable, "-c", program, f"embedded://{folder}"], stdout=subprocess.PIPE)
    assert user.stdout is not None
    assert user.stdout.readline() == b"up\n"
    assert address(folder) is not None
    user.kill()
    user.communicate()
    until = time.monotonic() + WAIT_S
    while address(folder) is not None:
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_server_that_died_is_waited_for_and_not_started_twice(tmp_path: Path) -> None:
    """Whoever comes while the keeper starts the server again finds that one: a second on its store would ruin it."""
    folder = tmp_path / "nats"

    async def test() -> None:
        async with join(f"embedded://{folder}", space="s", process="a"):
            for n in range(5):
                os.kill(json.loads((folder / "address").read_text())["pid"], signal.SIGKILL)
                async with join(f"embedded://{folder}", space="s", process=f"b{n}"):
                    pass
        assert (folder / "nats.log").read_text().count("Server is ready") == 6

    run(test)


def test_the_inbox_of_who_left_is_gone_and_stays_gone(tmp_path: Path) -> None:
    """The transport of a process that left notices that its inbox is missing, and does not make it again."""

    async def test() -> None:
        network = EmbeddedNetwork(tmp_path / "nats")
        await network.start()
        onlooker = network.transport("s", "onlooker", "x")
        async with join(network.url, space="s", process="a", store=None) as a:
            await a.leave()
            await asyncio.sleep(3 * nats_module.LOOK_S)
            await onlooker.open()
            assert await onlooker.peers() == ["onlooker"]
        await onlooker.close()
        await network.stop()

    run(test)


def test_a_peer_that_is_not_there_is_a_stall_with_a_name(tmp_path: Path) -> None:
    async def test() -> None:
        url = f"embedded://{tmp_path / 'nats'}"
        async with join(url, space="s", process="a", limits=Limits(stall_after_s=0.1)) as a:
            await a.send({"stok"}, b"misspelt")
            stall = await asyncio.wait_for(anext(a.stalls()), WAIT_S)
            assert (stall.to, stall.reason) == ("stok", "there is no such inbox")

    run(test)


def kill_each_and_start_it_again(program: Path) -> None:
    """Alice and bob greet each other. Each is killed in turn and started again, and is heard by the other."""

    def said(by: "subprocess.Popen[str]") -> str:
        assert by.stdout is not None
        return by.stdout.readline()

    arguments = {"alice": ("alice", "bob"), "bob": ("bob", "alice")}
    heard_of = {name: f"{name}: hello from {name}\n" for name in arguments}
    running = {name: begin(program, *names) for name, names in arguments.items()}
    try:
        assert (said(running["alice"]), said(running["bob"])) == (heard_of["bob"], heard_of["alice"])
        for killed, other in (arguments["bob"], arguments["alice"]):
            running[killed].kill()
            running[killed].communicate()
            running[killed] = begin(program, *arguments[killed])
            assert said(running[other]) == heard_of[killed]
    finally:
        for one in running.values():
            one.kill()
            one.communicate()


def program_of_the_readme(folder: Path) -> str:
    (block,) = re.findall(r"```py\n(.*?)```", README.read_text(), re.DOTALL)
    assert '"embedded:///tmp/ring"' in block
    return str(block).replace("/tmp/ring", str(folder / "ring"))


def test_either_process_of_the_readme_is_killed_and_started_again(tmp_path: Path) -> None:
    program = tmp_path / "ring.py"
    program.write_text(program_of_the_readme(tmp_path))
    kill_each_and_start_it_again(program)


def test_with_nats_the_readme_says_what_to_give_and_that_is_enough(tmp_path: Path) -> None:
    """The same program with a server of one's own: refused without a store, and as durable as before with one."""
    program, embedded_url = tmp_path / "ring.py", f'"embedded://{tmp_path / "ring"}"'
    assert "`store=FOLDER`" in README.read_text()
    with server(tmp_path, "own") as broker:
        block = program_of_the_readme(tmp_path).replace(embedded_url, f'"nats://{broker}"')
        program.write_text(block)
        _, complaint = said_by(begin(program, "alice", "bob"))
        assert "give store=FOLDER, or store=None if this name is for one run only" in complaint
        program.write_text(block.replace("process=me", f"process=me, store={str(tmp_path / 'stores')!r}"))
        kill_each_and_start_it_again(program)


def test_a_server_started_by_somebody_who_died_meanwhile_is_taken(tmp_path: Path) -> None:
    """Found by the fault suite with seed 8: killed between starting a keeper and hearing of its server."""
    folder = tmp_path / "nats"
    folder.mkdir()
    keepers = [
        subprocess.Popen([sys.executable, "-I", "-S", embedded_keeper.__file__, server_binary(), str(folder)])
        for _ in range(4)
    ]

    async def scenario() -> None:
        network = EmbeddedNetwork(folder)
        await network.start()
        assert address(folder) == network.url
        await network.stop()

    asyncio.run(scenario())
    assert [one.wait(30) for one in keepers] == [0, 0, 0, 0]
    assert address(folder) is None


def test_who_waits_in_a_folder_that_is_removed_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node starts while the server of the last one is stopped, and its temporary folder with it."""
    folder = tmp_path / "temporary"
    monkeypatch.setattr(embedded, "_temporary", lambda: folder)

    def is_held(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        fcntl.flock(file, fcntl.LOCK_UN)
        return False

    async def test() -> None:
        folder.mkdir()
        network = EmbeddedNetwork()
        with open(folder / "users", "ab") as users, open(folder / "door", "ab") as door:
            fcntl.flock(users, fcntl.LOCK_EX)  # as a keeper does that stops its server
            starting = asyncio.create_task(network.start())
            await eventually(lambda: is_held(door))
            embedded_keeper._remove(folder, "away")
        await starting
        assert address(folder) == network.url
        await network.stop()
        await eventually(lambda: not list(tmp_path.iterdir()))

    run(test)
