"""Only the owner of the folder gets into the embedded server: nobody else has its password, or can put in another."""

import asyncio
import os
import stat
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest
from nats.aio.client import Client
from nats.errors import Error as NatsError

from antecede.core.errors import Misuse
from antecede.runtime import join
from antecede.runtime.transport.nats.embedded import EmbeddedNetwork, address
from antecede.runtime.transport.urls import servers_of
from tests.runtime.nodes import run, take


async def get_in(url: str) -> bool:
    """Try to connect and to list the streams, as a process without access to the folder would."""
    client = Client()
    ignored: list[Exception] = []

    async def ignore(error: Exception) -> None:
        ignored.append(error)

    try:
        async with asyncio.timeout(5):
            await client.connect(url, allow_reconnect=False, error_cb=ignore, connect_timeout=2)
            await client.jetstream().streams_info()
    except (NatsError, TimeoutError):
        return False
    finally:
        await client.close()
    return True


@pytest.mark.parametrize("credentials", ["", "antecede:guess@", "guess@"])
def test_a_process_that_cannot_read_the_folder_does_not_get_in(tmp_path: Path, credentials: str) -> None:
    """It knows the port, which anybody can find."""

    async def test() -> None:
        async with join(f"embedded://{tmp_path / 'nats'}", space="s", process="a"):
            url = address(tmp_path / "nats")
            assert url is not None
            assert await get_in(url)
            assert not await get_in(f"nats://{credentials}127.0.0.1:{urlsplit(url).port}")

    run(test)


@pytest.mark.parametrize("umask", [0o022, 0o002, 0o000], ids=oct)
def test_files_with_secrets_are_private(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "nats"

    async def test() -> None:
        async with join(f"embedded://{folder}", space="s", process="a") as a:
            await a.send({"a"}, b"to myself")
            await take(a, 1)
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            files = [path for path in folder.rglob("*") if path.is_file()]
            assert [path for path in files if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)] == []

    old = os.umask(umask)
    try:
        run(test)
    finally:
        os.umask(old)


def test_the_password_is_in_no_address_that_is_shown(tmp_path: Path) -> None:
    async def test() -> None:
        network = EmbeddedNetwork(tmp_path / "nats")
        await network.start()
        secret = (tmp_path / "nats" / "secret").read_text()
        assert secret in network.url
        assert len(secret) >= 32
        transport = network.transport("s", "a", "1")
        assert secret not in repr(transport)
        with pytest.raises(Misuse) as why:
            servers_of(network.url.replace("nats://", "kafka://"))
        assert secret not in str(why.value)
        await network.stop()

    run(test)


STRANGER = """
import asyncio, os, sys
import concurrent.futures.thread  # now, because another user may not be able to read this Python
from antecede.core.errors import Misuse
from antecede.runtime import join
from antecede.runtime.transport.urls import servers_of

if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
else:
    stranger = os.geteuid() + 1
    os.geteuid = lambda: stranger

async def main(url):
    async with join(url, space="s", process="a"):
        pass

for try_it in (lambda: asyncio.run(main(sys.argv[1])), lambda: servers_of(sys.argv[1])):
    try:
        try_it()
    except Misuse as error:
        print(error)
"""
"""Tries to get into the folder of another user. It is another user, if it is started by root."""


def test_a_folder_of_another_user_is_refused() -> None:
    """Another user may look into the folder, and into those above it, as on many machines."""
    with TemporaryDirectory() as above:
        folder = Path(above) / "nats"
        folder.mkdir()
        for each in (Path(above), folder):
            each.chmod(0o755)
        command = [sys.executable, "-c", STRANGER, f"embedded://{folder}"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()
        refusal = f"{folder} belongs to another user: give a folder of your own for the embedded server"
        assert said == [refusal, refusal]
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("mode", "who"), [(0o777, "every user"), (0o707, "every user"), (0o770, "a group"), (0o775, "a group")]
)
def test_a_folder_that_others_can_write_to_is_refused_with_what_to_do(tmp_path: Path, mode: int, who: str) -> None:
    folder = tmp_path / "nats"
    folder.mkdir()
    folder.chmod(mode)

    async def test() -> None:
        with pytest.raises(Misuse, match=f"{who} can write to .* take that right .chmod go-w {folder}"):
            async with join(f"embedded://{folder}", space="s", process="a"):
                pass

    run(test)
    assert list(folder.iterdir()) == []


def test_a_folder_that_others_can_only_read_is_taken(tmp_path: Path) -> None:
    """What is in it is private to its owner."""
    folder = tmp_path / "nats"
    folder.mkdir()
    folder.chmod(0o755)

    async def test() -> None:
        async with join(f"embedded://{folder}", space="s", process="a"):
            assert address(folder) is not None

    run(test)


def test_a_secret_that_others_could_read_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "nats"
    folder.mkdir()
    (folder / "secret").write_text("anybody can read this")
    (folder / "secret").chmod(0o644)

    async def test() -> None:
        with pytest.raises(Misuse, match="is not private to its owner: remove it"):
            async with join(f"embedded://{folder}", space="s", process="a"):
                pass

    run(test)


def test_the_password_stays_when_the_server_is_started_again(tmp_path: Path) -> None:
    secrets = set()

    async def test() -> None:
        for _ in range(2):
            async with join(f"embedded://{tmp_path / 'nats'}", space="s", process="a"):
                secrets.add((tmp_path / "nats" / "secret").read_text())

    run(test)
    assert len(secrets) == 1


@pytest.mark.parametrize("folder", ["file", "file/below"])
def test_a_folder_that_cannot_be_one_is_refused_with_what_to_do(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()

    async def test() -> None:
        with pytest.raises(Misuse, match=f"{folder} cannot be the folder of .*: Not a directory. Give a folder"):
            async with join(f"embedded://{tmp_path / folder}", space="s", process="a"):
                pass

    run(test)
