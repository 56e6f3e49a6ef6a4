"""Local clocks in a simulation: what the trace tells of two deliveries is what the judge's happened-before tells."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from antecede.core.errors import Misuse
from antecede.judge.events import Event, parse, read_jsonl, to_json
from antecede.judge.judge import judge
from antecede.lab.topologies import star
from antecede.locality import Graph, Order, read_arrival
from antecede.sim import Distribution, Network, Parameters, RunRecorder, Workload, simulate
from antecede.sim.local_clocks import LocalClocks
from antecede.sim.trace import open_trace
from tests.sim.local_clock_traces import NAMES, draw_parameters, graph_of, text_of, trace_verdicts
from tests.sim.runs import recorded


def parameters(algorithm: str, seed: int, graph: Graph | None = None, **more: object) -> Parameters:
    values: dict[str, object] = {
        "algorithm": algorithm,
        "processes": len(NAMES),
        "seed": seed,
        "messages": 60,
        "local_clocks": graph or graph_of(seed),
        "workload": Workload(dests=(1, 1)) if seed % 2 else Workload(),
        **more,
    }
    return Parameters(**values)  # type: ignore[arg-type]  # the fields of Parameters, by name


def check_verdicts(events: list[Event]) -> list[Order]:
    """Compare every two deliveries of one process, and return the verdicts, which are all true."""
    verdicts = list(trace_verdicts(events))
    assert [one for one in verdicts if one.said is not one.true] == []
    return [one.said for one in verdicts]


@pytest.mark.parametrize("algorithm", ["none", "ks", "hierarchy"])
@pytest.mark.parametrize("seed", range(40))
def test_the_trace_tells_what_happened_before_what(algorithm: str, seed: int) -> None:
    _, events = recorded(parameters(algorithm, seed))
    delivers = [event for event in events if event.kind == "deliver"]
    assert len(delivers) >= 60
    assert all(event.attributes is not None for event in delivers)
    assert all(event.attributes is None for event in events if event.kind != "deliver")
    check_verdicts(events)


def test_random_runs_of_every_algorithm_that_can_have_clocks_tell_the_truth() -> None:
    """`tests.fuzz_locality` has such a run in each execution."""
    drawn = [draw_parameters(seed) for seed in range(60)]
    assert {"ks", "mf", "none", "rendezvous"} < {one.algorithm for one in drawn}
    assert any(one.network.is_lossy and one.network.retransmit_after_s is None for one in drawn)
    assert sum(len(check_verdicts(recorded(one)[1])) for one in drawn) > 5000


def test_the_verdicts_are_of_all_three_kinds() -> None:
    """Deliveries of `none` overtake their causes. The star's centre is a gateway, which notes when it knew."""
    star_of_seven = Graph.both_ways(("p1", name) for name in NAMES[1:])
    for graph in (None, star_of_seven):
        verdicts = [v for seed in range(6) for v in check_verdicts(recorded(parameters("none", seed, graph))[1])]
        assert set(verdicts) == (set(Order) if graph is None else {*verdicts, Order.BEFORE, Order.CONCURRENT})
    _, events = recorded(parameters("ks", 1, star_of_seven))
    texts = [text_of(event) for event in events if event.attributes]
    assert any(read_arrival(text)[1].known_at for text in texts)


@pytest.mark.parametrize("algorithm", ["none", "ks"])
def test_lost_repeated_and_duplicated_packets_do_not_confuse_the_clocks(algorithm: str) -> None:
    network = Network(Distribution("exponential", 1.0), loss=0.2, duplicate=0.3, retransmit_after_s=4.0)
    for seed in range(6):
        check_verdicts(recorded(parameters(algorithm, seed, network=network))[1])
    lossy = Network(Distribution("exponential", 1.0), loss=0.2, duplicate=0.3)
    for seed in range(6):
        check_verdicts(recorded(parameters("none", seed, network=lossy))[1])


def test_messages_keep_to_the_links() -> None:
    graph = graph_of(3)
    _, events = recorded(parameters("ks", 3, graph))
    used = {(event.process, dest) for event in events for dest in event.dests or ()}
    assert used <= set(graph.links)
    assert len(used) > 0.8 * len(graph.links)


def test_clocks_change_nothing_but_the_attributes() -> None:
    """On a complete graph the traffic is that of a run without clocks."""
    links = [(p, q) for p in NAMES for q in NAMES if p != q]
    with_clocks = parameters("ks", 2, Graph.of(links))
    without = Parameters(algorithm="ks", processes=len(NAMES), seed=2, messages=60)
    (one, noted), (other, plain) = recorded(with_clocks), recorded(without)
    assert one == other
    assert [to_json(event).partition(',"attributes"')[0].rstrip("}") for event in noted] == [
        to_json(event).rstrip("}") for event in plain
    ]
    assert simulate(with_clocks) == one


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_a_trace_carries_the_arrivals(suffix: str, tmp_path: Path) -> None:
    path, asked = tmp_path / f"t{suffix}", parameters("none", 4)
    with open_trace(path, "r") as sink:
        simulate(asked, RunRecorder(sink))
    if suffix == ".jsonl":
        assert path.read_text().splitlines() == [to_json(event) for event in recorded(asked)[1]]
        events, _ = read_jsonl(path.read_text().splitlines())
    else:
        rows = pq.read_table(path).to_pylist(maps_as_pydicts="strict")
        events = [event for row in rows if isinstance(event := parse(row), Event)]
    assert events == recorded(asked)[1]
    assert check_verdicts(events)
    assert judge(events).quarantined == 0


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"algorithm": "vector"}, "this algorithm is for broadcast"),
        ({"algorithm": "mr"}, "this algorithm is for group"),
        ({"graph": star(3)}, "the graph names 'centre'; the processes are p1 to p7"),
        ({"workload": Workload(pattern="request")}, "no groups, no selectivity, no own copies and no answers"),
        ({"workload": Workload(own=True)}, "no groups, no selectivity, no own copies and no answers"),
        ({"workload": Workload(selectivity=0.5)}, "no groups, no selectivity, no own copies and no answers"),
    ],
)
def test_traffic_that_cannot_keep_to_links_is_refused(more: dict[str, object], words: str) -> None:
    with pytest.raises(Misuse, match=words):
        recorded(parameters(**{"algorithm": "ks", "seed": 2, **more}))  # type: ignore[arg-type]  # by name


def test_more_entries_than_a_trace_takes_are_refused() -> None:
    graph = Graph.of([(p, q) for p in NAMES for q in NAMES if p != q])
    with pytest.raises(Misuse, match=r"a message would carry \d clock entries, and a trace takes 3 at most"):
        LocalClocks(graph, NAMES, fifo=True, is_lossy=False, entries_max=3)
