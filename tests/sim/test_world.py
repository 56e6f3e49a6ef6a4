"""The world: deterministic, the same for every algorithm, and measured rightly."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import antecede
from antecede.core.errors import LimitReached, Misuse
from antecede.judge.judge import judge
from antecede.sim import (
    Distribution,
    Groups,
    Network,
    Parameters,
    Partition,
    ProcessingCost,
    RunRecorder,
    Workload,
    World,
    simulate,
)
from antecede.sim.trace import open_trace
from tests.sim.runs import recorded, sends, times

ALGORITHMS = sorted(antecede.algorithms())
CAUSAL = [name for name in ALGORITHMS if antecede.algorithms()[name].causal]
OPTIMAL = [name for name in CAUSAL if antecede.algorithms()[name].delay_optimal]
MULTICAST = [name for name in ALGORITHMS if antecede.algorithms()[name].addressing == "multicast"]
SMALL = Parameters(processes=6, messages=150)

GOLDEN = "ee0eb057292879a549066c9406dbc5113f54d32d32425a41059d55f2cc6b03cd"
"""SHA-256 of a trace, whatever the machine. With `none`, so that it changes only when the simulator does."""


def trace(parameters: Parameters, path: Path) -> bytes:
    with open_trace(path, "r") as sink:
        simulate(parameters, RunRecorder(sink))
    return path.read_bytes()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_parameters_give_the_same_trace_byte_for_byte(algorithm: str, tmp_path: Path) -> None:
    parameters = replace(SMALL, algorithm=algorithm)
    again = replace(SMALL, algorithm=algorithm)
    assert trace(parameters, tmp_path / "one.jsonl") == trace(again, tmp_path / "two.jsonl")
    other = trace(replace(parameters, seed=2), tmp_path / "three.jsonl")
    assert other != trace(parameters, tmp_path / "one.jsonl")


def test_the_trace_is_this_one_on_every_machine(tmp_path: Path) -> None:
    assert hashlib.sha256(trace(replace(SMALL, algorithm="none"), tmp_path / "t.jsonl")).hexdigest() == GOLDEN


SCRIPT = """
import sys
from antecede.sim import *
from antecede.sim.trace import open_trace
network = Network(loss=0.1, duplicate=0.1, retransmit_after_s=3.0)
for algorithm in ("ks", "history", "hierarchy", "mr", "serial-multicast"):
    parameters = Parameters(algorithm=algorithm, processes=6, messages=60, network=network, oracle=True)
    with open_trace(sys.argv[1], "r") as sink:
        result = simulate(parameters, RunRecorder(sink))
    sys.stdout.write(open(sys.argv[1]).read() + repr(result))
"""


def test_hashing_has_no_part_in_it(tmp_path: Path) -> None:
    """Sets of names iterate in another order in every interpreter; no output may follow it."""
    said = []
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / "t.jsonl")]
        said.append(subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout)
    assert said[0] == said[1] == said[2]
    assert len(said[0]) > 10_000


@pytest.mark.parametrize("algorithm", MULTICAST)
def test_different_algorithms_see_the_same_sends_and_the_same_latencies(algorithm: str) -> None:
    _, control = recorded(replace(SMALL, algorithm="none"))
    _, events = recorded(replace(SMALL, algorithm=algorithm))
    assert sends(events) == sends(control)
    if algorithm not in ("hierarchy", "serial-multicast", "sps"):  # their packets leave later, or go another way
        assert times(events, "receive") == times(control, "receive")


def test_a_message_that_leaves_later_still_takes_the_time_it_would_have_taken() -> None:
    """`mf` keeps messages back; the time from leaving to arriving is that of `none` for the same copy."""
    unicast = replace(SMALL, workload=Workload(dests=(1, 1)), messages=40)
    _, control = recorded(replace(unicast, algorithm="none"))
    _, events = recorded(replace(unicast, algorithm="mf"))
    sent = {message: time for _, time, message, _ in sends(control)}
    assert sends(events) == sends(control)
    received = times(events, "receive")
    for (message, process), time in times(control, "receive").items():
        late = received[message, process]
        assert late is not None
        assert time is not None
        assert late >= time or late == pytest.approx(time)
    firsts = [f"p{number}:1" for number in range(1, 7)]
    assert all(received[key] == time for key, time in times(control, "receive").items() if key[0] in firsts)
    assert len(sent) == 40


@pytest.mark.parametrize("algorithm", CAUSAL)
def test_every_causal_algorithm_delivers_everything_in_causal_order(algorithm: str) -> None:
    result, events = recorded(replace(SMALL, algorithm=algorithm, oracle=True))
    verdict = judge(events)
    assert (verdict.verdict, verdict.lost, verdict.duplicates, verdict.spurious) == ("holds", 0, 0, 0)
    assert (result.violations, result.undelivered) == (0, 0)
    assert result.deliveries == verdict.deliveries


def test_the_control_breaks_causal_order_and_the_observer_counts_as_the_judge_does() -> None:
    result, events = recorded(replace(SMALL, algorithm="none", oracle=True))
    verdict = judge(events)
    assert result.violations == verdict.violations > 0


@pytest.mark.parametrize("algorithm", OPTIMAL)
def test_a_delay_optimal_algorithm_never_waits_needlessly(algorithm: str) -> None:
    result = simulate(replace(SMALL, algorithm=algorithm, oracle=True, messages=400))
    assert (result.needless_share, result.needless_mean_s) == (0.0, 0.0)
    assert result.held_mean_s is not None
    assert result.held_mean_s > 0


@pytest.mark.parametrize("algorithm", ["mr", "mr-broadcast", "mr-scalar", "serial-multicast", "hierarchy"])
def test_the_others_do_wait_needlessly(algorithm: str) -> None:
    result = simulate(replace(SMALL, algorithm=algorithm, oracle=True, messages=400))
    assert result.needless_share is not None
    assert result.needless_share > 0


BY_HAND = Parameters(
    algorithm="prs",
    processes=3,
    messages=6,
    network=Network(
        latency=Distribution("constant", 1.0),
        partitions=(Partition(0.5, 1.5, frozenset({"p1"}), frozenset({"p3"})),),
        retransmit_after_s=5.0,
    ),
    workload=Workload(interval=Distribution("constant", 1.0), dests=(2, 2), payload_bytes=3),
    oracle=True,
)
"""p1, p2 and p3 send to both others at 1 s and at 2 s, and a packet takes 1 s. Nothing passes between p1 and p3 at 1 s:
p1:1 reaches p3, and p3:1 reaches p1, only at 7 s, having been sent again at 6 s."""


def test_metrics_agree_with_a_run_computed_by_hand() -> None:
    """Until 7 s p3 holds back p1:2 and p2:2, and p1 holds back p2:2 and p3:2, which arrived at 3 s. The delays are 1 s
    six times; 6 s twice; 5 s four times. Barriers (000 §5.2): empty for the first three; p1:2 carries (2,1) for p1,
    (1,1) for p2, (1,1) and (2,1) for p3; p3:2 likewise; p2:2, who has heard both, two for each process."""
    result = simulate(BY_HAND)
    assert (result.messages, result.deliveries, result.undelivered) == (6, 12, 0)
    assert result.duration_s == 7.0
    assert result.delay_mean_s == pytest.approx((6 * 1 + 2 * 6 + 4 * 5) / 12)
    assert (result.delay_median_s, result.delay_99_s, result.delay_max_s) == (1.0, 6.0, 6.0)
    assert result.held_share == pytest.approx(4 / 12)
    assert result.held_mean_s == pytest.approx(4 * 4 / 12)
    assert (result.held_max_s, result.needless_mean_s) == (4.0, 0.0)
    assert result.entries_mean == pytest.approx((4 + 6 + 4) / 6)
    assert result.entries_max == 6
    assert result.of_n_squared == pytest.approx(14 / 6 / 9)
    assert result.entries_per_copy_mean == result.entries_mean
    assert (result.packets, result.control_packets) == (12, 0)
    assert (result.lost, result.retransmitted, result.acknowledgements) == (2, 2, 12)


def test_the_trace_agrees_with_the_run_computed_by_hand() -> None:
    _, events = recorded(BY_HAND)
    at_p3 = [(event.kind, event.message, event.time) for event in events if event.process == "p3"]
    assert at_p3 == [
        ("send", "p3:1", 1.0),
        ("receive", "p2:1", 2.0),
        ("deliver", "p2:1", 2.0),
        ("send", "p3:2", 2.0),
        ("receive", "p1:2", 3.0),
        ("receive", "p2:2", 3.0),
        ("receive", "p1:1", 7.0),
        ("deliver", "p1:1", 7.0),
        ("deliver", "p1:2", 7.0),
        ("deliver", "p2:2", 7.0),
    ]
    assert [event.index for event in events if event.process == "p3"] == list(range(10))
    stamps = {event.message: event.control_entries for event in events if event.kind == "send"}
    assert stamps == {"p1:1": 0, "p2:1": 0, "p3:1": 0, "p1:2": 4, "p2:2": 6, "p3:2": 4}
    assert {event.payload_bytes for event in events if event.kind == "send"} == {3}


def test_the_window_discards_the_warm_up_and_measures_exactly_what_it_is_asked_for() -> None:
    """000 §7: the first deliveries of the system are discarded, the next are measured."""
    window = Parameters(algorithm="prs", processes=8, messages=None, warmup=300, deliveries=500)
    result = simulate(window)
    assert result.window_deliveries == 500
    assert result.deliveries >= 800
    without = simulate(replace(window, warmup=0))
    assert without.entries_mean is not None
    assert result.entries_mean is not None
    assert without.entries_mean < result.entries_mean  # barriers begin empty


def test_the_window_is_part_of_the_same_run() -> None:
    whole, events = recorded(Parameters(processes=6, messages=None, deliveries=600))
    _, late = recorded(Parameters(processes=6, messages=None, warmup=200, deliveries=400))
    assert late == events
    assert whole.window_deliveries == 600


def test_group_algorithms_and_multicast_algorithms_carry_the_same_group_traffic() -> None:
    grouped = replace(SMALL, workload=Workload(groups=Groups(3, 1)))
    _, isis = recorded(replace(grouped, algorithm="isis"))
    _, ks = recorded(replace(grouped, algorithm="ks"))
    assert sends(isis) == sends(ks)
    assert [event.group for event in isis] == [event.group for event in ks]
    assert {event.group for event in isis if event.kind == "send"} == {"g1", "g2", "g3"}


def test_headers_that_cost_time_delay_what_comes_behind_them() -> None:
    free = simulate(replace(SMALL, algorithm="rst"))
    dear = simulate(replace(SMALL, algorithm="rst", cost=ProcessingCost(entry_s=0.002)))
    same = simulate(replace(SMALL, algorithm="none", cost=ProcessingCost(entry_s=0.002)))
    control = simulate(replace(SMALL, algorithm="none"))
    assert free.delay_mean_s is not None
    assert dear.delay_mean_s is not None
    assert dear.delay_mean_s > free.delay_mean_s
    assert same.delay_mean_s == control.delay_mean_s


def test_a_header_is_made_once_and_read_by_everyone() -> None:
    """One message from p1 to two, 0.5 s for each packet: it leaves after 0.5 s, takes 1 s, and is read in 0.5 s."""
    parameters = Parameters(
        algorithm="none",
        processes=3,
        messages=1,
        cost=ProcessingCost(packet_s=0.5),
        network=Network(latency=Distribution("constant", 1.0)),
        workload=Workload(dests=(2, 2)),
    )
    result = simulate(parameters)
    assert result.delay_median_s == pytest.approx(2.0)
    assert result.delay_max_s == pytest.approx(2.0)


def test_algorithms_that_ask_for_timers_get_them() -> None:
    """003 §3.5: with a timer, a process resynchronises only if it has not sent meanwhile."""
    at_once = simulate(replace(SMALL, algorithm="mr", messages=400))
    patient = replace(SMALL, algorithm="mr", messages=400, options={"resynch_after_s": 0.5})
    result, events = recorded(patient)
    assert judge(events).verdict == "holds"
    assert result.undelivered == 0
    assert 0 < result.control_packets < at_once.control_packets


def test_state_is_measured_when_asked_for() -> None:
    result = simulate(replace(SMALL, state_every=50))
    assert result.state_bytes_mean is not None
    assert result.state_bytes_max is not None
    assert 0 < result.state_bytes_mean <= result.state_bytes_max
    assert simulate(SMALL).state_bytes_mean is None


def test_progress_goes_from_nothing_to_all() -> None:
    parts: list[float] = []
    simulate(Parameters(algorithm="none", processes=10, messages=None, deliveries=5_000), progress=parts.append)
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
    assert len(parts) == 5


def test_a_run_that_can_not_end_ends_at_the_limit() -> None:
    hopeless = Parameters(algorithm="none", processes=2, messages=None, deliveries=5, network=Network(loss=0.999999))
    with pytest.raises(LimitReached):
        World(hopeless, events_max=1_000).run()


@pytest.mark.parametrize(
    "wrong",
    [
        {"algorithm": "kss"},
        {"processes": 1},
        {"messages": None},
        {"messages": 0},
        {"deliveries": 0},
        {"warmup": -1},
        {"network": Network(partitions=(Partition(1, 2, frozenset({"nobody"})),))},
    ],
)
def test_parameters_that_have_no_meaning_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(Misuse):
        Parameters(**wrong)  # type: ignore[arg-type]  # settings in a dict have no types of their own
