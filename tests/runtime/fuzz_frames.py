"""Malformed and lying frames against a station: `python -m tests.runtime.fuzz_frames --frames 100000 --seed 1`.

Half of them come over the air from a host with a good token, half over the wires. Each has to be refused with a reason
and leave the state as it was, to the byte. So has a frame that stays with the broker, because its first byte may be of
a later release. Damage that happens to leave a frame right is taken like any other, and not counted; nor is text on
the air, which is a notice that is read or ignored. Over the air a frame goes through everything a station does but the
WebSocket library, which every hundredth frame goes through as well.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar, cast

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from antecede.core.mobile.host_and_station_frames import (
    Begin,
    Carried,
    Downlink,
    Got,
    Handover,
    Leave,
    Moved,
    Register,
    RegisterFrom,
    Taken,
    Uplink,
    Welcome,
)
from antecede.core.mobile.luggage import Policy
from antecede.core.ordering.ks import Ks
from antecede.core.types import Message, MessageId, Packet
from antecede.core.wire.packets import encode
from antecede.runtime import frames
from antecede.runtime.roaming import websocket
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.roaming.websocket import AirLimits
from tests.replay import Drawing, explain_failure
from tests.runtime.cells import KEY, cells, host, introduced, state_of

LIAR = "liar"
T = TypeVar("T", bytes, str, bytes | str)
SOCKET_EVERY = 100
NOTICE = '{"problems": [{"kind": "move failed", "text": "gone", "since_s": 3.1}], "more": 0}'
ROUND = 2_000


class Script:
    """What a host says on a connection, and how the connection ended."""

    def __init__(self, said: bytes | str) -> None:
        self._said = [said]
        self.closed: tuple[int, str] | None = None

    async def recv(self) -> str:
        return websocket.hello(issue(KEY, LIAR), "1")

    async def send(self, data: bytes | str) -> None:
        """The answers do not matter."""

    async def close(self, code: int = 1000, reason: str = "") -> None:
        self.closed = self.closed or (code, reason)

    async def __aiter__(self) -> AsyncIterator[bytes | str]:
        for said in self._said:
            yield said


def message(sender: str, seq: int, dests: set[str], payload: bytes = b"hello") -> Message:
    return Message(MessageId(sender, seq), frozenset(dests), payload)


def framed(*packets: Packet) -> bytes:
    return frames.packets(0, [encode(packet) for packet in packets])


def right_air(chance: random.Random) -> Packet:
    """What the host may say."""
    number = chance.randint(0, 3)
    return [
        Packet(LIAR, None, Register(number, "s2")),
        Packet(LIAR, None, RegisterFrom(number, "s2", "s3")),
        Packet(LIAR, None, Leave(number)),
        Packet(LIAR, None, Got(0, number)),
        Packet(LIAR, message(LIAR, number + 1, {"bob"}), Uplink(0)),
    ][chance.randrange(5)]


def lie(chance: random.Random) -> Packet:
    """What no host may say, or not this one."""
    stamp = Ks("bob", multicast=True).stamps(message("bob", 1, {LIAR}), [LIAR])[0]
    return chance.choice(
        [
            Packet("bob", None, Got(1, 1)),
            Packet("bob", message("bob", 1, {LIAR}), Uplink(0)),
            Packet(LIAR, message("bob", 1, {LIAR}), Uplink(0)),
            Packet(LIAR, None, Uplink(0)),
            Packet(LIAR, message(LIAR, 1, {"bob"}), Got(0, 0)),
            Packet(LIAR, None, Welcome(1, 1)),
            Packet(LIAR, None, Taken(5)),
            Packet(LIAR, message(LIAR, 1, {"bob"}), Downlink(1)),
            Packet(LIAR, None, Begin("bob", 9, "s2", 9)),
            Packet(LIAR, None, Handover("bob", 9, b"luggage")),
            Packet("s2", None, Moved("bob", 9, 9, "s3")),
            Packet("s2", message("bob", 1, {LIAR}), Carried(frozenset({LIAR}), 9, stamp)),
            Packet(LIAR, None, Got(10**6, 0)),
            Packet(LIAR, message(LIAR, 1, {"bob"}), Uplink(10**6)),
            Packet(LIAR, message(LIAR, 10**6, {"bob"}), Uplink(0)),
            Packet(LIAR, None, Leave(10**6)),
        ]
    )


def damaged(chance: random.Random, data: bytes) -> bytes:
    """Cut, lengthened, or with bytes changed."""
    kind = chance.randrange(4)
    if kind == 0:
        return data[: chance.randrange(len(data))]
    if kind == 1:
        return data + chance.randbytes(chance.randint(1, 9))
    changed = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def air_frame(chance: random.Random) -> bytes | str:
    made: list[Callable[[], bytes | str]] = [
        lambda: chance.randbytes(chance.randint(0, 60)),
        lambda: damaged(chance, framed(right_air(chance))),
        lambda: framed(lie(chance)),
        lambda: framed(*[right_air(chance) for _ in range(chance.randint(1, 3))], lie(chance)),
        lambda: chance.choice(["", "{}", "[", "null", websocket.hello("x", "y"), "\u2603" * 40]),
        lambda: damaged(chance, NOTICE.encode()).decode(errors="replace"),
        lambda: frames.roster(chance.randrange(99), ["a", "b"]),
        lambda: frames.leaving_word(chance.choice([frames.LEAVING, frames.SETTLED, frames.FAREWELL])),
        lambda: frames.packets(chance.randint(1, 9), [encode(right_air(chance))]),
    ]
    return chance.choice(made)()


def wire_frame(chance: random.Random) -> tuple[str | None, bytes]:
    stamp = Ks("bob", multicast=True).stamps(message("bob", 1, {LIAR}), [LIAR])[0]
    right = [
        Packet("s2", None, Begin("bob", 1, "s2", 0)),
        Packet("s2", None, Handover("bob", 9, b"not luggage at all")),
        Packet("s2", None, Moved("bob", 1, 1, "s3")),
        Packet("s2", message("bob", 1, {LIAR}), Carried(frozenset({LIAR}), 0, stamp)),
    ]
    wrong = [
        right[1],
        Packet("nobody", None, Begin("bob", 1, "s2", 0)),
        Packet("s2", None, Got(1, 1)),
        Packet("s2", message("bob", 1, {LIAR}), Uplink(0)),
        Packet("s2", message("bob", 1, {LIAR}), Carried(frozenset({"ann"}), 0, stamp)),
        Packet("s2", None, Carried(frozenset({LIAR}), 0, stamp)),
        Packet("s2", None, Begin("s1", 1, "s2", 0)),
    ]
    made: list[Callable[[], tuple[str | None, bytes]]] = [
        lambda: ("s2", chance.randbytes(chance.randint(0, 60))),
        lambda: ("s2", damaged(chance, framed(chance.choice(right)))),
        lambda: ("s2", framed(chance.choice(wrong))),
        lambda: (chance.choice([None, "bob", "s9"]), framed(chance.choice(right))),
        lambda: ("s2", b"\x04" + chance.choice([b"", b"[]", b'["s2", "x"]', b"[1, 2]", b'{"a": 1}', b"\xff"])),
        lambda: ("s2", frames.part(1, chance.randint(3, 9), 3, b"part")),
        lambda: ("s2", frames.part(chance.randrange(2**60), 0, 1, chance.randbytes(20))),
    ]
    return chance.choice(made)()


class Fuzz:
    """One station under attack, and what came of it."""

    def __init__(self, stations: dict[str, StationServer], seed: int) -> None:
        self.stations, self.server = stations, stations["s1"]
        self.chance, self.counts = random.Random(seed), Counter[str]()
        self.state = b""
        self.drawing = Drawing()

    async def settle(self) -> None:
        """Until nothing goes on between stations any more, and nothing changes."""
        while True:
            self.state = state_of(self.server)
            await asyncio.sleep(0.02)  # on a busy machine, what is in an inbox may not be taken at once
            owed = any(server._outbox.owed for server in self.stations.values())
            if not owed and LIAR not in self.server._connections and state_of(self.server) == self.state:
                return

    async def over_the_air(self) -> bool:
        said = self._draw(LIAR, air_frame(self.chance))
        script = Script(said)
        await self.server._handle(cast(ServerConnection, script))
        assert script.closed is None or script.closed[0] == websocket.REFUSED, script.closed
        return self._refused("air", script.closed[1] if script.closed is not None else None)

    async def over_a_socket(self) -> bool:
        reason: str | None = None
        async with introduced(self.server, LIAR) as socket:
            await socket.send(self._draw(LIAR, air_frame(self.chance)))
            try:
                while True:
                    await asyncio.wait_for(socket.recv(), 0.2)
            except ConnectionClosed:
                close = socket.protocol.close_rcvd
                assert close is not None
                assert close.code == websocket.REFUSED, close
                reason = close.reason
            except TimeoutError:
                pass  # it was right
        while LIAR in self.server._connections:
            await asyncio.sleep(0.001)
        return self._refused("socket", reason)

    async def over_a_wire(self) -> bool:
        before = self.server.durable.counts["refused"]
        store = self.server.durable.store
        reasons: list[str] = []
        store.quarantine = lambda sender, reason, data: reasons.append(reason)  # type: ignore[method-assign]  # the test listens
        sender, data = wire_frame(self.chance)
        is_taken = self.server.durable.receive(sender, self._draw(str(sender), data))
        found = None if is_taken else self.server.durable.unreadable.find(sender, data)
        if found is not None:
            return self._refused("wire", found.reason)
        return self._refused("wire", reasons[0] if self.server.durable.counts["refused"] > before else None)

    def _draw(self, sender: str, said: T) -> T:
        """Draw what is said to the station, and return it."""
        self.drawing.add(sender, f"say {said!r:.60}")
        return said

    def _refused(self, how: str, reason: str | None) -> bool:
        """Whether it was; then with a reason, and without a change."""
        if reason is None:
            self.counts[f"{how}: right after all"] += 1
            self.drawing.add("s1", "take it")
            return False
        self.drawing.add("s1", f"refuse it: {reason:.60}")
        assert reason.strip(), "refused without a reason"
        assert state_of(self.server) == self.state, f"refused ({reason}), and the state is another"
        self.counts[f"{how}: refused"] += 1
        return True


async def attack(count: int, seed: int) -> Counter[str]:
    """Until `count` frames were refused."""
    never = Policy(stored_max=1_000, retry_s=1e9)  # no timer of the core changes the state meanwhile
    async with cells(limits=AirLimits(stranger_s=0.001), rules=never) as at:
        server = at["s1"]
        async with host(server, "bob") as bob:
            await bob.connected()
            fuzz = Fuzz(at, seed)
            async with introduced(server, LIAR):
                pass
            await fuzz.settle()
            done = number = 0
            while done < count:
                number += 1
                ways: list[Any] = [fuzz.over_the_air, fuzz.over_a_wire]
                way = fuzz.over_a_socket if number % SOCKET_EVERY == 0 else ways[number % 2]
                try:
                    refused = await way()
                except BaseException:
                    command = ["tests.runtime.fuzz_frames", "--frames", str(count), "--seed", str(seed)]
                    print(explain_failure(f"frame {number}", command, fuzz.drawing))
                    raise
                done += refused
                if not refused:
                    await fuzz.settle()
            assert server._commits.failure is None
    return fuzz.counts


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args(argv)
    counts = Counter[str]()
    for first in range(0, arguments.frames, ROUND):  # what was right after all makes the state grow: begin anew
        count = min(ROUND, arguments.frames - first)
        counts += asyncio.run(attack(count, arguments.seed + first // ROUND))
    for name, count in sorted(counts.items()):
        print(f"{count:>9,}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
