"""The worst case of `ks` is what the paper says."""

import pytest

from antecede.lab.experiments import ks_cost


@pytest.mark.parametrize("n", [5, 10])
def test_the_worst_case_has_a_fact_for_each_sender_and_destination(n: int) -> None:
    found = ks_cost.measure({"n": n}, 1)
    assert found["entries"] == (n - 1) * (n - 2)
    assert all((found[number] or 0) > 0 for number in ks_cost.TIMED)
