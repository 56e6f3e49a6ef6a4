"""The other readings of 000 differ from the printed algorithm where they say so, and nowhere else."""

import pytest

from antecede.lab.experiments.prs import make_point, measure, parameters
from antecede.lab.experiments.prs_readings import make_world
from antecede.sim import simulate

SMALL = {**make_point(n=6, propagation=1.0, dests=(1, 5)), "warmup": 100, "deliveries": 400}


def test_read_as_printed_it_is_the_algorithm_itself() -> None:
    assert make_world(parameters(SMALL, 3), "printed").run() == simulate(parameters(SMALL, 3))


@pytest.mark.parametrize("reading", ["no-8", "no-subtraction", "adds", "adds, no-8"])
def test_a_reading_sends_more_and_delivers_at_the_same_instants(reading: str) -> None:
    """Redundant constraints delay nothing (000 §8.3): only the size of stamps differs."""
    printed, other = (measure({**SMALL, "reading": one}, 3) for one in ("printed", reading))
    assert (other["of_n_squared"] or 0) > (printed["of_n_squared"] or 0)
    assert other["delay_mean_s"] == printed["delay_mean_s"]


def test_links_that_carry_one_at_a_time_make_messages_late() -> None:
    free, queued = (measure({**SMALL, "reading": one, "propagation": 3.0}, 3) for one in ("printed", "links"))
    assert (queued["delay_mean_s"] or 0) > (free["delay_mean_s"] or 0)
