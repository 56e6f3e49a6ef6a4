"""NATS as operators run it: TLS, users, tokens, nkeys and credentials; and no secret where it does not belong."""

import asyncio
import json
import logging
import os
import re
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from antecede.core.errors import Misuse
from antecede.runtime import BrokerLost, Host, NatsOptions, Unreachable, join
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.transport.nats.options import NatsLimits, describe_servers, without_secrets
from antecede.runtime.transport.urls import network_of
from antecede.runtime.watch.status import gather
from tests.paths import CERTIFICATE, ROOT
from tests.runtime.nodes import WAIT_S, eventually, run, take
from tests.runtime.servers import KEY, Server, server, tls

GUIDE = ROOT / "docs" / "guide" / "06-enforcing.md"
SPACES = count()
AT_ONCE_S = 5.0
PASSWORD = "correct-horse-battery-staple"
USERS = f"authorization {{ user: shop, password: {PASSWORD} }}"
NKEY_SEED = "SUAATDHD6SGHK5F3YNGGJUVNMYGEQIGUGXTVWUMGXUIU4DZU5WKW3X64H4"
NKEY = "UBW5HKEDFTIPXFCTZF6SBK5G22O6J2XEFAZZK5BFXQJPFKPL2XDY3QN7"


async def talk(url: str, connect: Mapping[str, Any] | None = None) -> None:
    """Two processes at `url` say something to each other, in a space of their own."""
    space, nats = f"space {next(SPACES)}", NatsOptions(connect=connect or {})
    async with (
        join(url, space=space, process="a", store=None, nats=nats) as a,
        join(url, space=space, process="b", store=None, nats=nats) as b,
    ):
        await a.send({"b"}, b"over")
        assert await take(b, 1) == [b"over"]
        await b.send({"a"}, b"and back")
        assert await take(a, 1) == [b"and back"]


async def refused(url: str, connect: Mapping[str, Any] | None = None, connect_s: float = 1.0) -> str:
    """Why nobody can take part at `url`."""
    nats = NatsOptions(connect=connect or {}, limits=NatsLimits(connect_s=connect_s))
    with pytest.raises(Unreachable) as why:
        async with join(url, space="s", process="a", store=None, nats=nats):
            pass
    return str(why.value)


def test_a_user_and_a_password_in_the_url_or_beside_it(tmp_path: Path) -> None:
    async def test() -> None:
        with server(tmp_path, "n", USERS) as address:
            await talk(f"nats://shop:{PASSWORD}@{address}")
            await talk(f"nats://{address}", {"user": "shop", "password": PASSWORD})

    run(test)


@pytest.mark.parametrize("who", ["shop:wrong-secret@", "nobody:wrong-secret@", ""])
def test_a_wrong_user_or_password_is_refused_at_once_with_what_to_do(tmp_path: Path, who: str) -> None:
    """Not after all the time that a first connection may take."""

    async def test() -> None:
        with server(tmp_path, "n", USERS) as address:
            began = time.monotonic()
            why = await refused(f"nats://{who}{address}", connect_s=30.0)
            assert time.monotonic() - began < AT_ONCE_S
            assert f"the NATS server at nats://{address} refused the user or password, or none was given: " in why
            assert "correct it in the URL (nats://USER:PASSWORD@HOST) or in NatsOptions(connect=...)" in why
            assert "wrong-secret" not in why
            with pytest.raises(Unreachable, match="refused the user or password"):
                await gather([f"nats://{who}{address}"], wait_s=0.2)

    run(test)


@pytest.mark.parametrize("way", ["reload", "restart"])
def test_a_password_that_is_changed_while_processes_run(
    tmp_path: Path, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The server is told to read its configuration again, or is started again. The node says what is wrong, though it
    has nothing to send, and goes on when it is let in again.
    """

    def change(at: Server, old: str, new: str) -> None:
        config = at.home / "nats.conf"
        config.write_text(config.read_text().replace(old, new))
        if way == "reload":
            at.process.send_signal(signal.SIGHUP)
        else:
            at.kill()
            at.start_again()

    async def test() -> None:
        with server(tmp_path, "n", USERS) as at:
            url = f"nats://shop:{PASSWORD}@{at}"
            async with (
                join(url, space="s", process="a", store=None) as a,
                join(url, space="s", process="b", store=None) as b,
            ):
                change(at, PASSWORD, "another")
                await eventually(lambda: "refused the user or password" in " ".join(map(str, a.problems())))
                (problem,) = a.problems()
                assert isinstance(problem, BrokerLost)
                await eventually(lambda: "a: nothing is sent and nothing has come for" in caplog.text)
                await a.send({"b"}, b"later")
                change(at, "another", PASSWORD)
                assert await take(b, 1) == [b"later"]
                await b.send({"a"}, b"and back")
                assert await take(a, 1) == [b"and back"]
                await emptied(url, ["a", "b"])
                assert (a.problems(), b.problems()) == ([], [])
                await eventually(lambda: "a: this is over: nothing is sent" in caplog.text)

    caplog.set_level(logging.WARNING, "antecede")
    run(test)


def test_a_token_in_the_url_or_beside_it(tmp_path: Path) -> None:
    async def test() -> None:
        with server(tmp_path, "n", f"authorization {{ token: {PASSWORD} }}") as address:
            await talk(f"nats://{PASSWORD}@{address}")
            await talk(f"nats://{address}", {"token": PASSWORD})

    run(test)


def test_an_nkey(tmp_path: Path) -> None:
    """With the `nkeys` extra it is enough to get in; without it, what to install is said."""
    seed = tmp_path / "seed"
    seed.write_text(NKEY_SEED)

    async def test() -> None:
        with server(tmp_path, "n", f"authorization {{ users: [ {{ nkey: {NKEY} }} ] }}") as address:
            if find_spec("nkeys") is not None:
                await talk(f"nats://{address}", {"nkeys_seed": str(seed)})
                return
            with pytest.raises(Misuse, match=r"pip install 'antecede\[nkeys\]'"):
                await talk(f"nats://{address}", {"nkeys_seed": str(seed)})

    run(test)


def test_tls_with_an_authority_of_ones_own(tmp_path: Path) -> None:
    trusting = ssl.create_default_context(cafile=CERTIFICATE)

    async def test() -> None:
        with server(tmp_path, "n", tls()) as address:
            await talk(f"tls://{address}", {"tls": trusting})
            assert "certificate verify failed" in await refused(f"tls://{address}")

    run(test)


def test_tls_where_the_server_wants_to_see_a_certificate(tmp_path: Path) -> None:
    known = ssl.create_default_context(cafile=CERTIFICATE)
    known.load_cert_chain(CERTIFICATE, KEY)

    async def test() -> None:
        with server(tmp_path, "n", tls(verify=True)) as address:
            await talk(f"tls://{address}", {"tls": known})
            await refused(f"tls://{address}", {"tls": ssl.create_default_context(cafile=CERTIFICATE)})

    run(test)


async def emptied(url: str, names: list[str]) -> None:
    """Wait until all of these, and nobody else, answer `antecede status`, and nothing is left in their inboxes."""
    wanted = dict.fromkeys(names, (True, 0))
    async with asyncio.timeout(WAIT_S):
        while {one["process"]: (one["running"], one["queued"]) for one in await gather([url], wait_s=0.2)} != wanted:
            pass


def test_the_permissions_of_the_guide_are_enough(tmp_path: Path) -> None:
    """Two users who may do no more than it says: they talk, empty their inboxes, are seen, and leave."""
    (block,) = re.findall(r"```text\n +(user: billing.*?)```", GUIDE.read_text(), re.DOTALL)
    users = ", ".join(f"{{ {block.replace('billing', name)} }}" for name in ("billing", "stock"))

    async def test() -> None:
        with server(
            tmp_path, "n", f"authorization {{ users: [ {users}, {{ user: admin, password: p }} ] }}"
        ) as address:
            settings = {"space": "orders", "store": None}
            joined = {
                name: join(f"nats://{name}:secret@{address}", process=name, **settings)  # type: ignore[arg-type]  # settings in a dict have no types of their own
                for name in ("billing", "stock")
            }
            async with joined["billing"] as billing, joined["stock"] as stock:
                await billing.send({"stock"}, b"paid")
                assert await take(stock, 1) == [b"paid"]
                await stock.send({"billing"}, b"shipped")
                assert await take(billing, 1) == [b"shipped"]
                await emptied(f"nats://admin:p@{address}", ["billing", "stock"])
                await billing.leave()
            (left,) = await gather([f"nats://admin:p@{address}"], wait_s=0.2)
            assert left["process"] == "stock"

    run(test)


def test_addresses_are_shown_without_their_secrets() -> None:
    assert (
        describe_servers(["nats://u:p@h:1", "tls://t@h:2", "nats://u:p/@x@h:3"]) == "nats://h:1, tls://h:2, nats://h:3"
    )
    assert describe_servers(["nats:/u:p@h", "u:p@h", "nats://a,u:p@h"]) == "nats:/h, h, nats://a, h"
    assert describe_servers(["wss://u:p@h:1/a?key=s", "ws://h:1/#s", "ws://h"]) == "wss://h:1/a, ws://h:1/, ws://h"
    assert describe_servers(["ws://h:1/?key=s@t", "u:p?q@h", "ws://h#s@t"]) == "ws://..., ..., ws://...", (
        "of whom is the @?"
    )
    said = "moved from ws://u:p@h:1/?a=s,t to 'wss://h:2/?b=s', not to nats:/u:p@h"
    assert without_secrets(said) == "moved from ws://h:1/ to 'wss://h:2/ not to nats:/h"
    assert "secret" not in repr(NatsOptions(connect={"password": "secret"}, addresses={"b": "nats://u:secret@h"}))
    with pytest.raises(Misuse) as why:
        network_of(f"kafka://shop:{PASSWORD}@h:1")
    assert PASSWORD not in str(why.value)


def command(*arguments: str, url: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "ANTECEDE_NATS": url}
    environment |= {"PYTHONASYNCIODEBUG": "1"}
    program = [sys.executable, "-m", "tests.runtime.command", *arguments]
    return subprocess.Popen(
        program, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_a_station_with_tls_on_both_sides_and_no_secret_in_logs_or_traces(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """`antecede station` with the URL from the environment, wss:// to a host that trusts it, `antecede status`; then
    everything that anybody wrote is searched."""
    caplog.set_level(logging.DEBUG)
    key = tmp_path / "key"
    key.write_text("a-key-that-signs-tokens-and-is-secret")
    token = issue(key.read_bytes(), "ann")
    written: list[str] = []

    async def chat(address: str) -> None:
        trusting = ssl.create_default_context(cafile=CERTIFICATE)
        async with Host([address], "ann", token, tls=trusting, path=tmp_path / "ann.db", trace=tmp_path / "t") as ann:
            assert await asyncio.wait_for(ann.connected(), 20) == "s1"
            await ann.send({"ann"}, b"note to self")
            await ann.drained()
        async with Host([address], "ann", token + "x", tls=trusting) as other:
            with pytest.raises(Exception, match="not one of this system") as why:
                await asyncio.wait_for(other.connected(), 20)
            written.append(str(why.value))

    with server(tmp_path / "nats", "n", f"{USERS}\n{tls()}") as at:
        url = f"tls://shop:{PASSWORD}@{at}"
        options = ["--store", str(tmp_path / "stores"), "--key", str(key), "--nats-ca", str(CERTIFICATE)]
        options += ["--tls-cert", str(CERTIFICATE), "--tls-key", str(KEY), "--trace", str(tmp_path / "t")]
        station = command("station", "--name", "s1", "--stations", "s1", *options, url=url)
        try:
            assert station.stdout is not None
            said = station.stdout.readline()
            assert said.startswith("s1 listens at wss://"), said + station.communicate()[1]
            asyncio.run(chat(said.split()[-1]))
            told = command("status", "--json", "--nats-ca", str(CERTIFICATE), url=url).communicate(timeout=30)
            assert json.loads(told[0])["running"] == 1
            wrong = command("status", "--json", "--nats-ca", str(CERTIFICATE), url=url.replace("shop", "shoplifter"))
            failed = wrong.communicate(timeout=30)
            assert "refused the user or password" in failed[1], failed[1]
        finally:
            station.terminate()
            said += "".join(station.communicate(timeout=30))
    written += [said, *told, *failed, caplog.text]
    files = [path for path in sorted(tmp_path.rglob("*")) if path.is_file() and path.name not in ("key", "nats.conf")]
    assert any(path.suffix == ".jsonl" for path in files)
    assert any(path.suffix == ".sqlite" for path in files)
    secrets = (PASSWORD, token, token.split(".")[2], key.read_text())
    for secret in secrets:
        assert not [text for text in written if secret in text]
        assert not [path for path in files if secret.encode() in path.read_bytes()]
