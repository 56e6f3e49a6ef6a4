"""Every causal algorithm through every scenario that its addressing can express.

The scenarios that do not apply are listed, not skipped, and each of them is shown not to apply.
"""

from __future__ import annotations

import pytest

import antecede
from antecede import Misuse
from antecede.judge.judge import Verdict
from tests.conformance.antecede_system import AntecedeSystem
from tests.conformance.play import Play, faults
from tests.conformance.scenarios import SCENARIOS

CAUSAL = sorted(name for name, info in antecede.algorithms().items() if info.causal)

ONE_GROUP_ONLY = [
    "triangle",
    "relay chain of three",
    "self send alone",
    "subset multicast",
    "overlapping groups",
    "groups that share two",
    "restart with packets held back",
    "late joiner by unicast",
]
"""What a broadcast to everybody can not express: it goes to some."""
ONE_DESTINATION_ONLY = [
    "triangle of broadcasts",
    "relay chain of broadcasts",
    "self send",
    "subset multicast",
    "overlapping groups",
    "groups that share two",
    "restart in a broadcast",
    "late joiner",
]
"""What a unicast can not express: it goes to several."""
FIXED_GROUPS_ONLY = ["late joiner by unicast"]
"""What groups can not express: there is none of the newcomer and one other."""

DO_NOT_APPLY = {
    (algorithm, scenario)
    for algorithm, scenarios in {
        "vector": ONE_GROUP_ONLY,
        "prs-broadcast": ONE_GROUP_ONLY,
        "mr-broadcast": ONE_GROUP_ONLY,
        "serial-broadcast": ONE_GROUP_ONLY,
        "mf": ONE_DESTINATION_ONLY,
        "rendezvous": ONE_DESTINATION_ONLY,
        "isis": FIXED_GROUPS_ONLY,
        "mr": FIXED_GROUPS_ONLY,
        "mr-scalar": FIXED_GROUPS_ONLY,
    }.items()
    for scenario in scenarios
}
APPLY = [(a, s) for a in CAUSAL for s in SCENARIOS if (a, s) not in DO_NOT_APPLY]


def perform(algorithm: str, scenario: str) -> Verdict:
    play = Play(AntecedeSystem(algorithm))
    SCENARIOS[scenario](play)
    return play.verdict()


@pytest.mark.parametrize(("algorithm", "scenario"), APPLY)
def test_conforms(algorithm: str, scenario: str) -> None:
    verdict = perform(algorithm, scenario)
    assert verdict.verdict == "holds"
    assert faults(verdict) == {}


@pytest.mark.parametrize(("algorithm", "scenario"), sorted(DO_NOT_APPLY))
def test_what_does_not_apply_can_not_be_expressed(algorithm: str, scenario: str) -> None:
    with pytest.raises(Misuse):
        perform(algorithm, scenario)


def test_chain2_fails_the_relay_chain_of_three_and_not_the_triangle() -> None:
    assert perform("chain2", "triangle").verdict == "holds"
    assert perform("chain2", "relay chain of three").verdict == "violated"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_none_fails_every_scenario(scenario: str) -> None:
    """So that no scenario is too kind."""
    assert perform("none", scenario).verdict == "violated"


class Careless(AntecedeSystem):
    """A system that hands duplicates to the application, and forgets what it held when it is restarted."""

    def arrive(self, message: str, to: str) -> None:
        again = (message, to) in self.brought
        super().arrive(message, to)
        if again:
            self.given[to].append(message)

    def restart(self, process: str) -> None:
        self.nodes[process] = self._create(process)


@pytest.mark.parametrize(
    ("scenario", "fault"), [("duplicate and reorder", "duplicates"), ("restart with packets held back", "lost")]
)
def test_a_careless_system_is_caught(scenario: str, fault: str) -> None:
    play = Play(Careless("ks"))
    SCENARIOS[scenario](play)
    assert faults(play.verdict())[fault] > 0
