"""What is in a causal barrier: counted beside the simulation, without changing it."""

import pytest

from antecede.lab.experiments.prs import make_point, parameters
from antecede.lab.experiments.prs_barriers import measure
from antecede.sim import simulate

SMALL = {**make_point(n=6, dests=(1, 3)), "warmup": 100, "deliveries": 400}


def test_the_tuples_are_those_that_the_simulator_measures() -> None:
    found = measure(SMALL, 3)
    assert found["of_n_squared"] == pytest.approx(simulate(parameters(SMALL, 3)).of_n_squared, rel=0.02)


def test_with_full_selectivity_there_is_nothing_of_the_other_half() -> None:
    full, uniform = (measure({**SMALL, "selectivity": s}, 3)["other_half_of_n_squared"] for s in (100, 0))
    assert full == 0.0
    assert (uniform or 0) > 0.1
