"""A node that has sent a thousand messages says whether another algorithm would need a third of the control bytes."""

import logging
from functools import partial

import pytest

from antecede.core.registry import create
from antecede.runtime import MemoryNetwork, join
from antecede.runtime.node.durable_process import DurableProcess
from antecede.runtime.state.store import Store
from antecede.runtime.watch.problems import StampsTooLarge
from antecede.runtime.watch.sent_stamps import MEASURED, SENDS_MIN, SentStamps, estimate
from tests.runtime.nodes import eventually, run

SEVEN = frozenset("bcdefgh")


def sizes_after(algorithm: str, messages: int, control_bytes: int) -> SentStamps:
    sizes = SentStamps(algorithm)
    for _ in range(messages):
        sizes.note(control_bytes, SEVEN)
    return sizes


def test_a_hundred_processes_with_groups_of_eight() -> None:
    """769 bytes were measured there, and 623 for all packets of a message that goes through representatives."""
    assert sizes_after("ks", SENDS_MIN, 769).find_smaller(100) == ("hierarchy", 769, 89)
    assert sizes_after("ks", SENDS_MIN - 1, 769).find_smaller(100) is None, "too little was sent"
    assert sizes_after("ks", SENDS_MIN, 3 * 88).find_smaller(100) is None, "less than three times as much"
    assert sizes_after("prs", SENDS_MIN, 5_622).find_smaller(100) == ("hierarchy", 5_622, 89)


def test_few_processes_need_nothing_else() -> None:
    assert sizes_after("ks", SENDS_MIN, 62).find_smaller(8) is None


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
    assert sizes.find_smaller(100) is None


def test_a_process_counts_what_it_sends() -> None:
    store = Store(None)
    durable = DurableProcess(store, partial(create, "ks", process="a", processes=["a"], multicast=True))
    for _ in range(SENDS_MIN):
        durable.send(SEVEN, b"a payload does not count" * 100)
    found = durable.sent_stamps.find_smaller(2)
    assert found is None, "the stamps of one sender are small"
    store.close()


def test_it_is_a_problem_that_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        names = [f"n{number}" for number in range(100)]
        async with join(MemoryNetwork(), space="s", process="n0", processes=names) as node:
            assert node.problems() == []
            for _ in range(SENDS_MIN):
                node._durable.sent_stamps.note(769, SEVEN)  # what it takes 100 processes to come to
            (problem,) = node.problems()
            assert isinstance(problem, StampsTooLarge)
            assert "769 control bytes for each destination" in str(problem)
            assert "about 89 with algorithm='hierarchy'" in str(problem)
            await eventually(lambda: "algorithm='hierarchy'" in caplog.text)
            assert node.problem_counts() == {"larger than needed": 1}

    with caplog.at_level(logging.WARNING, "antecede"):
        run(scenario)
