"""Every execution of small worlds whose messages keep to known links, with `ks` and `prs` that are told of them."""

from __future__ import annotations

import pytest

from tests.exhaustive.ordering import OrderingWorld
from tests.exhaustive.search import Explored, explore

ALGORITHMS = pytest.mark.parametrize("algorithm", ["ks", "prs"])
TRIANGLE = (("a", "b"), ("b", "c"), ("a", "c"))
LEAF = (*TRIANGLE, ("c", "d"))
NETWORKS = {
    "triangle": [*TRIANGLE, *((q, p) for p, q in TRIANGLE)],
    "triangle and a leaf": [*LEAF, *((q, p) for p, q in LEAF)],
    "one way, with one link back": [*TRIANGLE, ("b", "d"), ("c", "d"), ("d", "a")],
}


def explore_network(algorithm: str, network: str, messages: int, repeats: int) -> Explored:
    links = NETWORKS[network]
    names = tuple(sorted({name for link in links for name in link}))
    return explore(OrderingWorld(algorithm, messages, repeats, names=names, options={"links": links}))


@ALGORITHMS
@pytest.mark.parametrize("network", NETWORKS)
def test_no_execution_of_two_messages_breaks_a_rule(algorithm: str, network: str) -> None:
    found = explore_network(algorithm, network, 2, 1)
    assert (found.violation, found.states > 500) == ("", True), found.draw()


@pytest.mark.slow
@ALGORITHMS
@pytest.mark.parametrize("network", NETWORKS)
def test_no_execution_of_three_messages_breaks_a_rule(algorithm: str, network: str) -> None:
    found = explore_network(algorithm, network, 3, 1)
    assert (found.violation, found.states > 10_000) == ("", True), found.draw()


@ALGORITHMS
def test_the_worlds_keep_to_the_links(algorithm: str) -> None:
    """Without the third link of the triangle there are fewer executions."""
    whole = explore_network(algorithm, "triangle", 2, 0)
    path = OrderingWorld(algorithm, 2, 0, options={"links": [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")]})
    assert 50 < explore(path).states < whole.states
