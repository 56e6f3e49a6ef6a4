"""A process may be restored from its snapshot between any two inputs, and nobody can tell."""

from __future__ import annotations

from random import Random

import pytest

import antecede
from tests.stage import Stage, Step, improvise, stage_for

ALGORITHMS = sorted(antecede.algorithms())


def repeat(stage: Stage, steps: list[Step], restart_before: range) -> None:
    """Make the same calls again on new processes, and restore all of them before each of the given steps."""
    nodes = {name: stage.create(name) for name in stage.names}
    for number, step in enumerate(steps):
        if number in restart_before:
            nodes = {name: antecede.restore(node.snapshot()) for name, node in nodes.items()}
        effects = getattr(nodes[step.process], step.call)(*step.arguments)
        assert effects == step.effects, f"step {number}: {step.process}.{step.call}"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_restart_of_every_process_before_every_input(algorithm: str) -> None:
    random = Random(f"restart {algorithm}")
    stage = improvise(stage_for(algorithm, random, processes=4), random, sends=12)
    steps = stage.steps
    for number in range(len(steps)):
        repeat(stage, steps, range(number, number + 1))
    repeat(stage, steps, range(len(steps)))


@pytest.mark.parametrize(
    "algorithm", ["ks", "mr", "mr-scalar", "serial-multicast", "hierarchy", "mf", "rendezvous", "sps"]
)
def test_the_comparison_sees_a_process_that_forgets(algorithm: str) -> None:
    """Beginning anew in the middle is not a restart."""
    random = Random(f"restart {algorithm}")
    stage = improvise(stage_for(algorithm, random, processes=4), random, sends=12)
    half = len(stage.steps) // 2
    with pytest.raises((AssertionError, antecede.AntecedeError)):
        repeat(stage, stage.steps[half:], range(0))
