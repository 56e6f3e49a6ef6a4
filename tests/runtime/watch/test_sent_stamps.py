"""A node that has sent a thousand messages says whether another algorithm would need a third of the control bytes."""

import asyncio
import logging
from functools import partial
from pathlib import Path

import pytest

from antecede.core.registry import create
from antecede.runtime import MemoryNetwork, join
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.state.store import Store
from antecede.runtime.watch.problems import StampsTooLarge
from antecede.runtime.watch.sent_stamps import MEASURED, SAMPLE_MIN, SENDS_MIN, SentStamps, estimate
from tests.runtime.nodes import eventually, run

SEVEN = frozenset("bcdefgh")


def smaller(
    algorithm: str, control_bytes: int, *, processes: int = 100, sample: int = SAMPLE_MIN, ever_sent: int = SENDS_MIN
) -> tuple[str, int, int] | None:
    sizes = SentStamps(algorithm)
    for _ in range(sample):
        sizes.note(control_bytes, SEVEN)
    return sizes.find_smaller(processes, ever_sent)


def test_a_hundred_processes_with_groups_of_eight() -> None:
    """769 bytes were measured there, and 623 for all packets of a message that goes through representatives."""
    assert smaller("ks", 769) == ("hierarchy", 769, 89)
    assert smaller("ks", 769, ever_sent=SENDS_MIN - 1) is None, "too little was sent"
    assert smaller("ks", 769, sample=SAMPLE_MIN - 1) is None, "too little was sent since the last start"
    assert smaller("ks", 3 * 88) is None, "less than three times as much"
    assert smaller("prs", 5_622) == ("hierarchy", 5_622, 89)


def test_few_processes_need_nothing_else() -> None:
    assert smaller("ks", 62, processes=8) is None


@pytest.mark.parametrize("algorithm", MEASURED)
def test_what_was_measured_is_what_is_estimated(algorithm: str) -> None:
    for size, (few, many) in MEASURED[algorithm].items():
        assert (estimate(algorithm, size, 1), estimate(algorithm, size, 7)) == pytest.approx((few, many))
    estimates = [estimate(algorithm, size, 4) for size in (2, 8, 20, 32, 60, 100, 200)]
    assert estimates == sorted(estimates)


def test_messages_to_oneself_have_no_stamp() -> None:
    sizes = SentStamps("ks")
    for _ in range(SENDS_MIN):
        sizes.note(10_000, frozenset())
    assert sizes.find_smaller(100, SENDS_MIN) is None


def test_a_process_counts_what_it_sends() -> None:
    store = Store(None)
    durable = DurableProcess(store, partial(create, "ks", process="a", processes=["a"], multicast=True))
    for _ in range(SENDS_MIN):
        durable.send(SEVEN, b"a payload does not count" * 100)
    found = durable.sent_stamps.find_smaller(2, durable.sent)
    assert found is None, "the stamps of one sender are small"
    store.close()


def test_it_is_a_problem_that_is_logged_also_if_the_process_was_started_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The numbers of its messages count what it has sent; the sizes are those since the last start."""

    async def scenario() -> None:
        network, names = MemoryNetwork(), [f"n{number}" for number in range(100)]
        async with join(network, space="s", process="n0", processes=names, store=tmp_path) as node:
            await asyncio.gather(*(node.send({"n0"}, b"note to self") for _ in range(SENDS_MIN)))
        async with join(network, space="s", process="n0", processes=names, store=tmp_path) as node:
            assert node.problems() == []
            for _ in range(SAMPLE_MIN):
                node._durable.sent_stamps.note(769, SEVEN)  # what it takes 100 processes to come to
            (problem,) = node.problems()
            assert isinstance(problem, StampsTooLarge)
            assert "769 control bytes for each destination" in str(problem)
            assert "about 89 with algorithm='hierarchy'" in str(problem)
            await eventually(lambda: "algorithm='hierarchy'" in caplog.text)
            assert node.problem_counts() == {"larger than needed": 1}

    with caplog.at_level(logging.WARNING, "antecede"):
        run(scenario)
