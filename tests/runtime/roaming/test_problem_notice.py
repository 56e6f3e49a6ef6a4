"""A host tells its station what is wrong with it, and the status of the station shows it; nobody else is harmed."""

import asyncio
import io
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from websockets.asyncio.server import ServerConnection, serve

from antecede.cli.status import show, summary
from antecede.core.errors import WireError
from antecede.core.mobile.host_and_station_frames import Register, Welcome
from antecede.core.types import Packet
from antecede.core.wire.packets import encode
from antecede.runtime import Host, MoveFailed, frames
from antecede.runtime.roaming.problem_notice import (
    MORE_MAX,
    SINCE_S_MAX,
    ToldProblem,
    ToldProblems,
    read_notice,
    write_notice,
)
from antecede.runtime.roaming.station.server import StationServer
from antecede.runtime.roaming.tokens import issue
from antecede.runtime.roaming.websocket import AirLimits
from tests.runtime.cells import KEY, WAIT_S, cells, host, introduced, until, url
from tests.runtime.logged import said as said_in

PROBLEM = {"kind": "k", "text": "t", "since_s": 1.5}
HOSTILE = [
    "",
    "[]",
    "{}",
    "[" * 8_000,
    json.dumps({"problems": []}),
    json.dumps({"problems": [], "more": True}),
    json.dumps({"problems": [], "more": -1}),
    json.dumps({"problems": [], "more": 0, "station": "s1"}),
    json.dumps({"problems": {}, "more": 0}),
    json.dumps({"problems": [PROBLEM] * 6, "more": 0}),
    json.dumps({"problems": ["p"], "more": 0}),
    *(
        json.dumps({"problems": [{**PROBLEM, **wrong}], "more": 0})
        for wrong in (
            {"kind": 1},
            {"kind": "k" * 41},
            {"text": None},
            {"text": "t" * 301},
            {"host": "bob"},
            {"since_s": "1"},
            {"since_s": True},
            {"since_s": -1},
            {"since_s": float("nan")},
            {"since_s": float("inf")},
            {"since_s": 10**400},
        )
    ),
]


def told_by(server: StationServer) -> Any:
    return server.status()["problems_of_hosts"]


def test_a_station_shows_the_problems_that_its_hosts_tell_until_they_are_over() -> None:
    async def scenario() -> None:
        async with cells(names=["s1", "s2"]) as at, host(at["s1"], "ann") as ann, host(at["s1"], "bob") as bob:
            await ann.connected()
            await bob.connected()
            assert told_by(at["s1"]) == []
            await ann.move("ws://127.0.0.1:9")
            await until(lambda: told_by(at["s1"]))
            (told,) = told_by(at["s1"])
            (problem,) = ann.problems()
            assert (told["host"], told["kind"], told["text"]) == ("ann", "move failed", str(problem))
            assert 0 <= told["since_s"] < 20
            answer = {"space": "roam", "process": "s1", "kind": "station", "running": True, **at["s1"].status()}
            console = Console(width=300, record=True, file=io.StringIO())
            console.print(show([answer]))
            assert f"host ann tells: {problem}" in console.export_text()
            assert [one["host"] for one in summary([answer])["problems_of_hosts"]] == ["ann"]
            await ann.move(url(at["s2"]))
            await until(lambda: not told_by(at["s1"]))
            assert told_by(at["s2"]) == []

    asyncio.run(scenario())


def test_a_problem_that_is_over_is_taken_back_on_the_same_connection() -> None:
    async def scenario() -> None:
        limits = AirLimits(stranger_s=0.05)
        async with cells(names=["s1"], limits=limits) as at, host(at["s1"], "ann") as ann:
            await ann.send({"nobody"}, b"x")
            await until(lambda: [one["kind"] for one in told_by(at["s1"])] == ["message refused"])
            ann.refusals()
            await until(lambda: not told_by(at["s1"]))
            assert (ann.station, at["s1"].counts()["closed"]) == ("s1", 0)

    asyncio.run(scenario())


def test_a_station_that_does_not_take_problems_is_told_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As those of earlier releases, which refuse every text. What the host has logged, it would have told by then."""
    heard: list[bytes | str] = []

    async def attend(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(json.dumps({"station": "s1", "frame_bytes": 8192}))
        heard.append(await socket.recv())
        await socket.send(frames.packets(0, [encode(Packet("s1", None, Welcome(1, 0)))]))
        while True:
            heard.append(await socket.recv())

    async def scenario() -> None:
        async with serve(attend, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            address, path = f"ws://127.0.0.1:{port}", tmp_path / "ann.sqlite"
            async with Host([address], "ann", issue(KEY, "ann"), path=path) as ann, asyncio.timeout(WAIT_S):
                await ann.connected()
                await ann.move("ws://127.0.0.1:9")
                await until(lambda: said_in(caplog, "ann: move"))
                for _ in range(2):  # packets go before a notice that waits, and after one that waited before them
                    count = len(heard)
                    await ann.send({"bob"}, b"x")
                    await until(lambda count=count: len(heard) > count)

    asyncio.run(scenario())
    assert heard
    assert all(isinstance(said, bytes) for said in heard)


@pytest.mark.parametrize("said", HOSTILE, ids=range(len(HOSTILE)))
def test_a_notice_that_no_host_sends_is_refused(said: str) -> None:
    with pytest.raises(WireError):
        read_notice(said)


def test_a_notice_that_cannot_be_read_is_ignored_counted_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """What the host told before stands, and its messages are taken as before."""

    async def scenario() -> None:
        async with cells(names=["s1"]) as at:
            s1 = at["s1"]
            async with introduced(s1, "liar") as socket:
                await socket.send(json.dumps({"problems": [PROBLEM], "more": 0}))
                for said in HOSTILE:
                    await socket.send(said)
                await socket.send(frames.packets(0, [encode(Packet("liar", None, Register(1, "-")))]))
                assert isinstance(await socket.recv(), bytes), "it is welcome"
                assert [one["text"] for one in told_by(s1)] == ["t"]
                assert (s1.counts()["notices_ignored"], s1.counts()["closed"]) == (len(HOSTILE), 0)
                assert f'antecede_notices_ignored_total{{process="s1"}} {len(HOSTILE)}.0' in s1.metrics.text()

    asyncio.run(scenario())
    assert said_in(caplog, "s1: a notice of host liar cannot be read and is ignored") == 1


def test_a_clock_that_was_set_back_is_not_seen_in_a_notice() -> None:
    problems = [MoveFailed(since_s, "ws://there", "gone") for since_s in (-5.0, -1e300, 1e300, 2.0)]
    told = read_notice(write_notice(problems, 8_192)).problems
    assert [problem.since_s for problem in told] == [0.0, 0.0, SINCE_S_MAX, 2.0]


def test_a_host_whose_clock_goes_back_goes_on() -> None:
    now = [1_000.0]

    async def scenario() -> None:
        async with cells(names=["s1"]) as at, host(at["s1"], "ann", clock=lambda: now[0]) as ann:
            await ann.connected()
            await ann.move("ws://127.0.0.1:9")
            await until(lambda: told_by(at["s1"]))
            now[0] = 0.0
            at["s1"]._connections["ann"].told = ToldProblems()
            await ann.send({"nobody"}, b"a second problem, and so a second notice")
            await until(lambda: len(told_by(at["s1"])) == 2)
            assert (ann.station, at["s1"].counts()["notices_ignored"]) == ("s1", 0)

    asyncio.run(scenario())


def test_many_hosts_that_tell_much_are_shown_up_to_a_limit() -> None:
    notice = json.dumps({"problems": [PROBLEM] * 5, "more": 7})

    async def scenario() -> None:
        async with cells(names=["s1"]) as at, AsyncExitStack() as stack:
            for number in range(5):
                socket = await stack.enter_async_context(introduced(at["s1"], f"liar{number}"))
                for _ in range(3):
                    await socket.send(notice)
            await until(lambda: at["s1"].status()["problems_of_hosts_more"] == 5 + 5 * 7)
            assert len(told_by(at["s1"])) == 20
            assert at["s1"].problems() == [], "they are not the station's own"

    asyncio.run(scenario())


def test_a_host_that_tells_much_hides_no_other() -> None:
    """One problem of each host comes first, and the number of the others cannot be made absurd."""
    many = json.dumps({"problems": [{**PROBLEM, "text": f"{n}"} for n in range(5)], "more": 10**300})

    async def scenario() -> None:
        async with cells(names=["s1"]) as at, AsyncExitStack() as stack:
            for name in ("a1", "a2", "a3", "a4", "zoe"):
                socket = await stack.enter_async_context(introduced(at["s1"], name))
                await socket.send(many if name != "zoe" else json.dumps({"problems": [PROBLEM], "more": 0}))
            await until(lambda: at["s1"].status()["problems_of_hosts_more"] == 1 + 4 * MORE_MAX)
            told = [(one["host"], one["text"]) for one in told_by(at["s1"])]
            assert told[:6] == [("a1", "0"), ("a2", "0"), ("a3", "0"), ("a4", "0"), ("zoe", "t"), ("a1", "1")]
            assert told[-1] == ("a3", "4")

    asyncio.run(scenario())


def test_what_is_told_can_be_printed() -> None:
    said = json.dumps({"problems": [{"kind": "a\n", "text": "\x1b[2J \ud800", "since_s": 0}], "more": 0})
    assert read_notice(said) == ToldProblems((ToldProblem("a?", "?[2J ?", 0),), 0)


def test_a_notice_fits_into_the_frame_that_the_station_takes() -> None:
    problems = [MoveFailed(1.0, f"ws://there:{number}", "\u2603" * 400) for number in range(9)]
    for bytes_max, count in ((256, 0), (2_500, 1), (8_192, 4), (20_000, 5)):
        notice = write_notice(problems, bytes_max)
        told = read_notice(notice)
        assert len(notice.encode()) <= bytes_max
        assert (len(told.problems), told.more) == (count, 9 - count)
    assert write_notice(problems, 3) == ""
