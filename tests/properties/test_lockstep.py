"""The delay-optimal algorithms deliver at the same instants, which are those of the oracle.

Twice: a state machine, which Hypothesis drives and shrinks; and plain seeded executions, which are longer.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from tests.properties.lockstep import BROADCAST, GROUP, MULTICAST, NAMES, Ensemble, Options, audiences, perform

SETTINGS = settings(max_examples=40, stateful_step_count=40, deadline=None)
names = st.sampled_from(NAMES)


def machine_of(cast: Options) -> Any:
    """A test case that sends, brings, brings again and restarts, in whatever order Hypothesis likes."""

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.ensemble = Ensemble(cast)

        @rule(sender=names, choice=st.integers(0, 63))
        def send(self, sender: str, choice: int) -> None:
            among = audiences(cast, sender)
            self.ensemble.send(sender, among[choice % len(among)])

        @precondition(lambda self: self.ensemble.in_flight)
        @rule(choice=st.integers(0, 255))
        def bring(self, choice: int) -> None:
            flights = self.ensemble.in_flight
            self.ensemble.bring(flights[choice % len(flights)])

        @precondition(lambda self: self.ensemble.brought)
        @rule(choice=st.integers(0, 255))
        def bring_again(self, choice: int) -> None:
            flights = self.ensemble.brought
            self.ensemble.bring(flights[choice % len(flights)])

        @rule(process=names)
        def restart(self, process: str) -> None:
            self.ensemble.restart(process)

        def teardown(self) -> None:
            self.ensemble.finish()

    case = Machine.TestCase
    case.settings = SETTINGS
    return case


TestMulticast = machine_of(MULTICAST)
TestBroadcast = machine_of(BROADCAST)
TestGroups = machine_of(GROUP)


@pytest.mark.parametrize(
    ("cast", "executions"),
    [(MULTICAST, 60), (BROADCAST, 80), (GROUP, 100)],
    ids=["multicast", "broadcast", "groups"],
)
def test_seeded_executions(cast: Options, executions: int) -> None:
    held = 0
    for seed in range(executions):
        ensemble = perform(cast, seed)
        held += sum(len(step.effects) == 0 for step in ensemble.stages["ks"].steps)
    assert held > executions, "nothing was held back: the network was too kind"


def test_an_algorithm_that_does_not_wait_falls_out_of_step() -> None:
    with pytest.raises(AssertionError, match="none at"):
        deque(perform({"ks": {}, "none": {}}, seed) for seed in range(20))
