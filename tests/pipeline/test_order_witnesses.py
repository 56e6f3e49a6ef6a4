"""A witness that is not true of the events is noticed, for each order."""

from __future__ import annotations

import pytest

from antecede.judge.events import Event
from antecede.judge.trace import Run, arrange
from tests.pipeline.order_witnesses import check_words


def run_of(*steps: str) -> Run:
    """Return a run. A step is "a send m b c" or "b deliver m"; the steps of a process are in its order."""
    events = []
    for index, step in enumerate(steps):
        process, kind, message, *dests = step.split()
        events.append(Event("", process, index, kind, message=message, dests=tuple(dests) if kind == "send" else None))
    (run,) = arrange(events)
    return run


RUN = run_of(
    "a send m b d",
    "a send n b c",
    "b deliver n",
    "b deliver m",
    "c deliver n",
    "c send o b d",
    "d deliver o",
    "d deliver m",
    "b deliver o",
    "e send x d b",
    "d deliver x",
    "b deliver x",
    "b deliver n",
)
"""b has n before m, and d has o before m, which may have caused it."""


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("fifo", "b delivered n before m, which the same sender had sent earlier"),
        ("fifo", "b delivered what a sent at 1 before what a sent at 0, which the same sender had sent earlier"),
        ("causal", "d delivered o before m, which may have caused it"),
        ("causal", "b delivered n before m, which may have caused it"),
        ("agreed", "d delivered o before m, and b delivered m before o"),
        ("synchronous", "m and n cannot both be instantaneous: each has an event before an event of the other"),
        (
            "synchronous",
            "m, n, o cannot all be instantaneous: each has an event before an event of the next, and the last before "
            "one of the first",
        ),
        (
            "synchronous",
            "m, n and 1 more cannot all be instantaneous: each has an event before an event of the next, and the last "
            "before one of the first",
        ),
    ],
)
def test_a_true_witness_is_taken(order: str, words: str) -> None:
    check_words(RUN, order, words)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("fifo", "b delivered m before n, which the same sender had sent earlier"),
        ("fifo", "b delivered n before o, which the same sender had sent earlier"),
        ("fifo", "c delivered n before m, which the same sender had sent earlier"),
        ("fifo", "b had n before m"),
        ("causal", "d delivered o before x, which may have caused it"),
        ("causal", "b delivered n before o, which may have caused it"),
        ("agreed", "b delivered n before m, and d delivered m before n"),
        ("agreed", "b delivered o before x, and d delivered x before o"),
        ("synchronous", "o and x cannot both be instantaneous: each has an event before an event of the other"),
        ("synchronous", "m and m cannot both be instantaneous: each has an event before an event of the other"),
        (
            "synchronous",
            "m, o, x cannot all be instantaneous: each has an event before an event of the next, and the last before "
            "one of the first",
        ),
    ],
)
def test_an_untrue_witness_is_not(order: str, words: str) -> None:
    with pytest.raises(AssertionError):
        check_words(RUN, order, words)
