"""Runs whose messages keep to links of which the algorithm is told: what is refused, and which links are used."""

from __future__ import annotations

import pytest

from antecede.core.errors import Misuse
from antecede.core.known_links import KnownLinks
from antecede.locality import Graph
from antecede.sim import Parameters, World
from tests.sim.runs import recorded

LINKS = Graph.of([("p1", "p2"), ("p2", "p3"), ("p3", "p1"), ("p3", "p4")])


@pytest.mark.parametrize("algorithm", ["ks", "prs"])
@pytest.mark.parametrize("clocks", [None, LINKS])
def test_messages_keep_to_the_links_and_the_algorithm_is_told(algorithm: str, clocks: Graph | None) -> None:
    parameters = Parameters(algorithm=algorithm, processes=4, messages=60, links=LINKS, local_clocks=clocks)
    assert all(isinstance(node, KnownLinks) for node in World(parameters).nodes.values())
    result, events = recorded(parameters)
    assert {(event.process, dest) for event in events for dest in event.dests or ()} == set(LINKS.links)
    assert result.undelivered == 0


def test_local_clocks_alone_are_not_told_to_the_algorithm() -> None:
    parameters = Parameters(processes=4, messages=60, local_clocks=LINKS, options={"multicast": True})
    assert parameters.settings == {"multicast": True}
    assert parameters.graph == LINKS


def test_links_that_cannot_be_told_are_refused() -> None:
    with pytest.raises(Misuse, match="rst cannot be told of links; prs and ks can"):
        Parameters(algorithm="rst", links=LINKS)
    with pytest.raises(Misuse, match="messages cannot keep to two graphs"):
        Parameters(processes=4, links=LINKS, local_clocks=Graph.of([("p1", "p2")]))
    with pytest.raises(Misuse, match="'p5' has no link"):
        World(Parameters(processes=5, links=LINKS))
    with pytest.raises(Misuse, match="the graph names 'p4'; the processes are p1 to p3"):
        World(Parameters(processes=3, links=LINKS))
