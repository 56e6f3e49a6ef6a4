"""The keeper of an embedded NATS server: starts it, starts it again if it dies, and stops it when nobody uses it.

Run as a script, `python keeper.py SERVER FOLDER [--temporary]`, with the standard library alone, so that it is quick
and small. It goes into the background once the server answers; `embedded` tells the rest of the story.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

START_S = 15.0
STOP_S = 10.0
LOOK_S = 0.05
PAYLOAD_BYTES_MAX = 8 * 2**20
PR_SET_PDEATHSIG = 1
USER = "antecede"
SECRET_BYTES = 24
FLUSH = "flush"
"""The file of a folder whose server flushes every message to the disk."""
CONFIG = """
server_name: {name}
listen: "127.0.0.1:{port}"
authorization {{ user: {user}, password: {secret} }}
ports_file_dir: {folder}
log_file: {log}
logfile_size_limit: 10MB
max_payload: {payload}
jetstream {{ store_dir: {store}{sync} }}
"""


class StartFailed(Exception):
    """The server ended, or did not listen in time."""


class Keeper:
    """One server, in one folder."""

    def __init__(self, server: str, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.name = f"antecede-{secrets.token_hex(8)}"
        self.before = self._read_address()
        self.child: subprocess.Popen[bytes] | None = None

    def _read_address(self) -> dict[str, Any]:
        """Return what is known of the server before, whose keeper may have been killed."""
        try:
            return dict(json.loads((self.folder / "address").read_text()))
        except (OSError, ValueError):
            return {}

    def begin(self) -> None:
        """Start the server, at the port of the one before if that is free, and wait until it listens."""
        port = int(str(self.before.get("url", ":-1")).rpartition(":")[2])
        try:
            self._begin_at(port)
        except StartFailed:
            if port < 0:
                raise
            self._begin_at(-1)

    def _begin_at(self, port: int) -> None:
        """Start the server, and write its address to the folder when it listens. Port -1 is any port that is free."""
        config, flushes = self.folder / "nats.conf", (self.folder / FLUSH).exists()
        config.touch(mode=0o600)
        config.write_text(
            CONFIG.format(
                name=self.name,
                port=port,
                user=USER,
                secret=json.dumps(secret_of(self.folder)),
                folder=json.dumps(str(self.folder)),
                log=json.dumps(str(self.folder / "nats.log")),
                payload=PAYLOAD_BYTES_MAX,
                store=json.dumps(str(self.folder)),
                sync=", sync_interval: always" if flushes else "",
            )
        )
        with open(self.folder / "server", "ab") as lock:
            self._wait_for_the_server_before(lock)
            self.child = subprocess.Popen(  # noqa: S603 - the server that the wheel brought
                [self.server, "-c", str(config)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(lock.fileno(),),  # the server has the lock for as long as it lives
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - there are no threads here
            )
        url = self._url(self.child)
        self.before = {"url": url, "name": self.name, "pid": self.child.pid, "keeper": os.getpid(), "flushes": flushes}
        part = self.folder / "address.part"
        part.write_text(json.dumps(self.before))
        part.replace(self.folder / "address")

    def _wait_for_the_server_before(self, lock: IO[bytes]) -> None:
        """Take the lock that a server has while it lives: two servers on one store would ruin it.

        A server that does not end is killed: nobody looks after it any more.
        """
        until = time.monotonic() + STOP_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until and "pid" in self.before:
                    with suppress(ProcessLookupError):
                        os.kill(int(self.before["pid"]), signal.SIGKILL)
                time.sleep(LOOK_S)
            else:
                return

    def _url(self, child: subprocess.Popen[bytes]) -> str:
        ports = self.folder / f"nats-server_{child.pid}.ports"
        until = time.monotonic() + START_S
        while time.monotonic() < until and child.poll() is None:
            try:
                found = json.loads(ports.read_text())
            except (OSError, ValueError):
                time.sleep(0.01)
            else:
                return str(found["nats"][0])
        child.kill()
        child.wait()
        raise StartFailed(f"nats-server did not start; see {self.folder / 'nats.log'}")

    def keep(self, users: IO[bytes]) -> None:
        """Start the server again whenever it dies. Return when no user is left, who would have a lock on `users`."""
        while True:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(LOOK_S)
            else:
                return
            if self.child is not None and self.child.poll() is not None:
                self.begin()  # it died, and is wanted

    def end(self) -> None:
        """Stop the server, and remove its address when it has ended."""
        assert self.child is not None
        self.child.terminate()
        try:
            self.child.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        (self.folder / "address").unlink(missing_ok=True)


def secret_of(folder: Path) -> str:
    """Return the password of the server of a folder. Make one if there is none, which only its owner can read."""
    path = folder / "secret"
    if not path.exists():
        part = folder / f"secret.{secrets.token_hex(8)}"
        with open(part, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(secrets.token_hex(SECRET_BYTES))
        with suppress(FileExistsError):
            os.link(part, path)  # as a whole, or not at all if another was faster
        part.unlink()
    return path.read_text()


def _die_with_parent() -> None:
    """Ask Linux to end the server if the keeper is killed. Do nothing on other systems."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _into_the_background() -> int:
    """Fork, and return in the child, which goes on without a terminal. The parent exits.

    Return a descriptor. The parent waits until the child closes it, and exits with what the child has written to it:
    the reason if the child has failed.
    """
    ready, tell = os.pipe()
    if os.fork():
        os.close(tell)
        with open(ready, "rb") as heard:
            failure = heard.read()
        sys.exit(failure.decode() or None)
    os.close(ready)
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    return tell


def _remove(folder: Path, name: str) -> None:
    """Rename the folder, then remove it, so that nothing is removed from a folder that somebody makes meanwhile."""
    away = folder.with_name(f"{folder.name}-{name}")
    with suppress(OSError):
        folder.rename(away)
    shutil.rmtree(away, ignore_errors=True)


def main(server: str, folder: Path, *, temporary: bool) -> None:
    os.umask(0o077)  # what passes through the server is nobody else's
    tell = _into_the_background()
    keeper = Keeper(server, folder)
    with open(folder / "keeper", "ab") as kept, open(folder / "users", "ab") as users:
        try:
            fcntl.flock(kept, fcntl.LOCK_EX | fcntl.LOCK_NB)  # two servers on one store would ruin it
            keeper.begin()
        except BlockingIOError:
            return  # another was faster, and whoever started it may be dead: its server is as good
        except (OSError, StartFailed) as failure:
            os.write(tell, f"{failure}".encode())
            return
        finally:
            os.close(tell)
        keeper.keep(users)
        keeper.end()
        if temporary:
            _remove(folder, keeper.name)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), temporary="--temporary" in sys.argv[3:])
