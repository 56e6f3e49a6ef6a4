"""Giving up a process loses none of its messages that wait in the inbox, and says what it refuses later."""

import logging
from pathlib import Path

import pytest

from antecede.runtime import Limits, MemoryNetwork, RefusedAfterGiveUp, join
from tests.runtime.nodes import eventually, nodes, run, take

SENT = [b"one", b"two", b"three"]


@pytest.mark.parametrize("kind", ["memory", "nats"])
def test_messages_that_wait_in_the_inbox_are_delivered_before_their_sender_is_given_up(
    tmp_path: Path, kind: str
) -> None:
    async def test() -> None:
        network = MemoryNetwork() if kind == "memory" else f"embedded://{tmp_path / 'n'}"
        async with join(network, space="s", process="sink", store=tmp_path):
            pass
        async with join(network, space="s", process="lost", store=None) as lost:
            for payload in SENT:
                await lost.send({"sink"}, payload)
        async with join(network, space="s", process="sink", store=tmp_path) as sink:
            await sink.give_up("lost")
            assert await take(sink, len(SENT)) == SENT
            assert (sink.problems(), sink.counts()["refused"]) == ([], 0)

    run(test)


def test_messages_that_come_after_their_sender_was_given_up_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "sink late", store=tmp_path, limits=Limits(event_lasts_s=1.0)) as (sink, late):
            await sink.give_up("late")
            for payload in SENT:
                await late.send({"sink"}, payload)
            await eventually(lambda: sink.counts()["refused"] == len(SENT))
            (problem,) = sink.problems()
            assert isinstance(problem, RefusedAfterGiveUp)
            assert (problem.sender, problem.count) == ("late", len(SENT))
            await eventually(lambda: "refused that came from late after give_up('late')" in caplog.text)
            assert len(sink._durable.store.read_quarantine()) > 0
            await eventually(lambda: "this is over: 3 packets are refused" in caplog.text)
            assert sink.problems() == []
            assert 'antecede_given_up_total{process="sink"} 3.0' in sink.metrics.text()

    caplog.set_level(logging.WARNING, "antecede")
    run(test)


def test_giving_up_does_not_wait_for_ever_if_the_application_acknowledges_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        network = MemoryNetwork()
        async with nodes(network, "sink lost", store=tmp_path, limits=Limits(inbox=1)) as (sink, lost):
            await lost.send({"sink"}, b"one")
            await eventually(lambda: sink.counts()["inbox"] == 1)
            await lost.send({"sink"}, b"two")
            await lost.flush()
            await sink.give_up("lost")
            assert "its messages that were not taken before will be refused: " in caplog.text

    caplog.set_level(logging.WARNING, "antecede")
    run(test)
