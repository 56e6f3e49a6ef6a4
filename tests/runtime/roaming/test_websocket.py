"""What a station refuses: who is not who it says, who says what it may not, and who says too much."""

import asyncio
import ssl
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from antecede.core.errors import Misuse
from antecede.core.mobile.host_and_station_frames import Got, Leave, Register, Uplink
from antecede.core.types import Message, MessageId, Packet
from antecede.core.wire.packets import encode
from antecede.runtime import frames
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.host.host import Host
from antecede.runtime.roaming.host.link import HostRefused, NoStation, open_link
from antecede.runtime.roaming.station.connection import QUEUE_MAX, Connection, TokenBucket
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.tokens import TokenRefused, holder, issue, read_key
from antecede.runtime.roaming.websocket import AirLimits
from tests.paths import CERTIFICATE
from tests.runtime.cells import KEY, WAIT_S, cells, host, introduced, state_of, stored, taken, until, url
from tests.runtime.fuzz_frames import attack


async def closed_with(server: StationServer, first: str | bytes) -> tuple[int, str]:
    """How a connection ends on which `first` is said first."""
    async with connect(url(server), proxy=None) as socket:
        await socket.send(first)
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(socket.recv(), 10)
        close = socket.protocol.close_rcvd
        assert close is not None
        return close.code, close.reason


def test_tokens_that_are_no_good() -> None:
    """Expired, of another key, unsigned, of another kind, or none: refused before anything is known of the host."""

    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            state = state_of(at["s1"])
            old = issue(KEY, "ann", days=1, now=time.time() - 90_000)
            other = issue(b"another key, which is just as long as it", "ann")
            unsigned = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4iLCJleHAiOjk5OTk5OTk5OTl9."
            ends = [
                await closed_with(at["s1"], websocket.hello(token, "1")) for token in (old, other, unsigned, "", "\0")
            ]
            assert ends[0] == (websocket.REFUSED, "the token has expired: ask for another")
            assert (
                ends[1:]
                == [
                    (
                        websocket.REFUSED,
                        "the token is not one of this system: make one with `antecede token` and its key",
                    )
                ]
                * 4
            )
            assert await closed_with(at["s1"], websocket.hello(issue(KEY, "s1"), "1")) == (
                websocket.REFUSED,
                "the token has the name of a station",
            )
            assert state_of(at["s1"]) == state

    asyncio.run(scenario())


@pytest.mark.parametrize("said", ["", "{", "[]", "{}", '{"antecede": 1}', '{"antecede": 2, "token": "t"}', b"\x01\x02"])
def test_a_first_frame_that_is_no_hello(said: str | bytes) -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            code, reason = await closed_with(at["s1"], said)
            assert code == websocket.REFUSED
            assert reason

    asyncio.run(scenario())


def test_a_host_is_told_why_it_was_refused() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at, Host([url(at["s1"])], "ann", "nonsense") as ann:
            with pytest.raises(HostRefused, match="not one of this system"):
                await ann.connected()
            with pytest.raises(HostRefused):
                await ann.send({"bob"}, b"")

    asyncio.run(scenario())


def test_a_name_is_not_used_with_another_store(tmp_path: Path) -> None:
    """Whoever lost the counters of a host cannot go on in its name: its messages would be taken for old ones."""

    async def scenario() -> None:
        async with cells() as at:
            async with host(at["s1"], "ann", **stored(tmp_path, "ann")) as ann:
                await ann.connected()
            await until(lambda: all(server.counts()["known"] for server in at.values()))
            async with host(at["s2"], "ann", **stored(tmp_path, "another")) as ann:
                with pytest.raises(HostRefused, match="another store"):
                    await ann.connected()
            async with host(at["s2"], "ann", **stored(tmp_path, "ann")) as ann:
                await ann.connected()

    asyncio.run(scenario())


def test_a_lying_frame_closes_that_connection_and_no_other() -> None:
    async def scenario() -> None:
        async with cells() as at, host(at["s1"], "ann") as ann, host(at["s1"], "bob") as bob:
            await ann.connected()
            await bob.connected()
            forged = Message(MessageId("ann", 1), frozenset({"bob"}), b"I am ann")
            async with introduced(at["s1"], "liar") as socket:
                await socket.send(frames.packets(0, [encode(Packet("ann", forged, Uplink(0)))]))
                with pytest.raises(ConnectionClosed):
                    await socket.recv()
                close = socket.protocol.close_rcvd
                assert close is not None
                assert (close.code, close.reason) == (websocket.REFUSED, "a packet in the name of another host")
            assert at["s1"].counts()["closed"] == 1
            await ann.send({"bob"}, b"I am ann, really")
            assert await taken(bob, 1) == [b"I am ann, really"]
            assert ann.station == bob.station == "s1"

    asyncio.run(scenario())


def ann_says(seq: int) -> Packet:
    return Packet("ann", Message(MessageId("ann", seq), frozenset({"bob"}), b"hello"), Uplink(0))


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([ann_says(2)], "message 2 comes after 0"),
        ([ann_says(1), ann_says(2), ann_says(1), ann_says(4)], "message 4 comes after 2"),
        ([Packet("ann", None, Got(1, 0))], "1 messages are said to have come, of 0"),
        ([Packet("ann", None, Leave(2))], "it leaves from move 2, and has registered with 1"),
    ],
)
def test_counters_that_can_not_be_right_close_the_connection(said: list[Packet], reason: str) -> None:
    async def scenario() -> None:
        async with cells() as at, host(at["s1"], "bob") as bob, introduced(at["s1"], "ann") as socket:
            await bob.connected()
            await socket.send(frames.packets(0, [encode(Packet("ann", None, Register(1, "-")))]))
            await socket.recv()
            await socket.send(frames.packets(0, [encode(packet) for packet in said]))
            with pytest.raises(ConnectionClosed):
                await socket.recv()
            close = socket.protocol.close_rcvd
            assert close is not None
            assert (close.code, close.reason) == (websocket.REFUSED, reason)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await anext(bob)

    asyncio.run(scenario())


def test_a_connection_that_says_nothing_ends_soon() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"], limits=AirLimits(hello_s=0.1)) as at:
            async with connect(url(at["s1"]), proxy=None) as socket:
                with pytest.raises(ConnectionClosed):
                    await asyncio.wait_for(socket.recv(), 10)
                close = socket.protocol.close_rcvd
                assert close is not None
                assert (close.code, close.reason) == (websocket.LATER, "no hello within 0.1 s")
            await until(lambda: at["s1"]._attending == {})

    asyncio.run(scenario())


def test_so_many_connections_and_no_more() -> None:
    async def scenario() -> None:
        async with (
            cells(names=["s1"], limits=AirLimits(connections=2)) as at,
            introduced(at["s1"], "ann"),
            introduced(at["s1"], "bob"),
        ):
            with pytest.raises(InvalidStatus, match="503"):
                await connect(url(at["s1"]), proxy=None)

    asyncio.run(scenario())


def test_so_many_hosts_and_no_more() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"], limits=AirLimits(hosts=1)) as at, introduced(at["s1"], "ann"):
            assert await closed_with(at["s1"], websocket.hello(issue(KEY, "bob"), "1")) == (
                websocket.LATER,
                "this system has reached its limit of hosts",
            )

    asyncio.run(scenario())


def test_a_frame_that_is_too_long_ends_the_connection() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"], limits=AirLimits(frame_bytes=1_000)) as at, host(at["s1"], "ann") as ann:
            await ann.connected()
            with pytest.raises(Misuse, match="split it"):
                await ann.send({"ann"}, bytes(10_000))
            await ann.send({"ann"}, bytes(2_000))
            with pytest.raises(HostRefused):
                await ann.drained()

    asyncio.run(scenario())


def test_a_newer_connection_replaces_the_older_one() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at, introduced(at["s1"], "ann") as old, introduced(at["s1"], "ann") as new:
            with pytest.raises(ConnectionClosed):
                await old.recv()
            close = old.protocol.close_rcvd
            assert close is not None
            assert close.code == websocket.REPLACED
            await new.send(frames.packets(0, [encode(Packet("ann", None, Register(1, "-")))]))
            assert await new.recv()

    asyncio.run(scenario())


def test_a_rate_is_kept_by_waiting() -> None:
    now = [0.0]
    bucket = TokenBucket(10.0, lambda: now[0])
    assert bucket.spend(10) == 0.0
    assert bucket.spend(5) == pytest.approx(0.5)
    now[0] = 1.0
    assert bucket.spend(1) == 0.0
    now[0] = 100.0
    assert bucket.spend(11) == pytest.approx(0.1)


def test_keys(tmp_path: Path) -> None:
    path = tmp_path / "key"
    with pytest.raises(Misuse, match="cannot be read"):
        read_key(path)
    path.write_bytes(b"short\n")
    with pytest.raises(Misuse, match="at least 32") as refused:
        read_key(path)
    assert "short" not in str(refused.value)
    path.write_bytes(KEY + b"\n")
    assert read_key(path) == KEY
    assert holder(KEY, issue(KEY, "ann")) == "ann"
    with pytest.raises(Misuse):
        issue(KEY, "")
    with pytest.raises(TokenRefused):
        holder(KEY, issue(KEY, "ann") + "x")
    for wrong in ({"policy": "forget"}, {"stored_max": 0}, {"stored_max": "many"}, {"stored_max": True}, {"sub": 7}):
        claims = {"sub": "ann", "exp": int(time.time()) + 100, **wrong}
        with pytest.raises(TokenRefused):
            holder(KEY, jwt.encode(claims, KEY, algorithm="HS256"))


def test_hosts_and_stations_speak_tls() -> None:
    """With a certificate of the tests' own; a host that does not trust it does not speak to the station."""
    ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.load_cert_chain(CERTIFICATE, CERTIFICATE.with_suffix(".key"))

    async def scenario() -> None:
        async with cells(names=["s1"], tls=ours) as at:
            address = [f"wss://127.0.0.1:{at['s1'].port}"]
            trusting = ssl.create_default_context(cafile=CERTIFICATE)
            async with Host(address, "ann", issue(KEY, "ann"), tls=trusting) as ann:
                assert await ann.connected() == "s1"
                with pytest.raises(NoStation):
                    await open_link(address[0], "ann", issue(KEY, "ann"), "1", ssl.create_default_context())

    asyncio.run(scenario())


@pytest.mark.parametrize("seed", range(2))
def test_malformed_frames_change_nothing(seed: int) -> None:
    counts = asyncio.run(attack(400, seed))
    assert counts["air: refused"] > 100
    assert counts["wire: refused"] > 100
    assert counts["socket: refused"] > 0


def test_the_token_of_another_host_is_noticed_before_it_is_taken_for_its_own() -> None:
    """Or the store of the one would be bound to the name of the other for good."""

    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            state = state_of(at["s1"])
            async with Host([url(at["s1"])], "ann", issue(KEY, "bob")) as wrong:
                with pytest.raises(HostRefused, match="for another host"):
                    await wrong.connected()
            assert state_of(at["s1"]) == state
            async with Host([url(at["s1"])], "bob", issue(KEY, "bob")) as bob:
                assert await bob.connected() == "s1"

    asyncio.run(scenario())


def test_a_name_that_is_not_text_is_refused_in_words() -> None:
    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            said = websocket.hello(issue(KEY, "ann"), "incarnation", "\ud800")
            code, reason = await closed_with(at["s1"], said)
            assert (code, "for another host" in reason) == (websocket.REFUSED, True)

    asyncio.run(scenario())


def test_a_host_that_is_gone_before_it_was_greeted_is_gone() -> None:
    """Reset right after the hello: the station must not take it for connected."""

    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            for number in range(20):
                socket = await connect(url(at["s1"]), proxy=None, compression=None)
                await socket.send(websocket.hello(issue(KEY, f"h{number}"), "1"))
                socket.transport.abort()
            await until(lambda: not at["s1"].counts()["connections"])

    asyncio.run(scenario())


@pytest.mark.parametrize("wrong", ["garbage", "http://127.0.0.1:1", "ws://", "ws://h:99999", "ws://[::1", None])
def test_what_is_no_address_of_a_station_is_told_at_once(wrong: Any) -> None:
    with pytest.raises(Misuse, match="not the address of a station"):
        Host([wrong], "ann", "token")


def test_what_a_host_can_not_do_is_told_before_it_connects() -> None:
    with pytest.raises(Misuse, match="folder"):
        Host(["ws://127.0.0.1:9"], "ann", "token", trace="jetstream:trace")
    with pytest.raises(Misuse, match="name"):
        Host(["ws://127.0.0.1:9"], 5, "token")  # type: ignore[arg-type]  # the wrong type is the test


def test_a_host_says_why_it_is_not_connected() -> None:
    async def scenario() -> None:
        async with Host(["ws://127.0.0.1:9"], "ann", issue(KEY, "ann")) as ann:
            await until(lambda: "127.0.0.1:9" in ann.trouble())

    asyncio.run(scenario())


def test_limits_have_to_be_numbers() -> None:
    wrongs: list[dict[str, Any]] = [{"packets_per_s": float("nan")}, {"ping_s": float("inf")}, {"ping_s": 0.0}]
    for wrong in wrongs:
        with pytest.raises(Misuse):
            AirLimits(**wrong)


def test_nobody_waits_for_a_host_to_take_what_it_can_not() -> None:
    """The queue is too long, and the connection is gone."""

    class Gone:
        async def send(self, _: bytes) -> None:
            raise ConnectionClosed(None, None)

    async def scenario() -> None:
        socket: Any = Gone()
        connection = Connection(socket, "ann", TokenBucket(1.0, time.monotonic))
        for _ in range(QUEUE_MAX + 2):
            connection.tell("{}")
        waiting = asyncio.create_task(connection.room())
        with pytest.raises(ConnectionClosed):
            await connection.write()
        async with asyncio.timeout(WAIT_S):
            await waiting

    asyncio.run(scenario())
