"""The world with roaming hosts: everything is delivered and in order, deterministic, and measured rightly."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from antecede.core.errors import LimitReached, Misuse
from antecede.core.mobile.luggage import Policy
from antecede.core.mobile.protocols import AnyStation, protocols
from antecede.judge.events import Event, parse, read_jsonl, to_json
from antecede.judge.judge import judge
from antecede.sim import Distribution, Groups, Network, Partition, ProcessingCost, RunRecorder, Workload
from antecede.sim.mobile import Header, MobileParameters, MobileResult, MobileWorld, Mobility, simulate_mobile
from antecede.sim.trace import TraceRow, as_event, open_trace
from tests.sim.runs import sends

PROTOCOLS = sorted(protocols())
CALM = MobileParameters(stations=4, hosts=8, messages=150, workload=Workload(Distribution(mean_s=0.05), dests=(1, 4)))
ROUGH = replace(
    CALM,
    wires=Network(Distribution(mean_s=0.007), duplicate=0.1),
    air=Network(Distribution(mean_s=0.0005), bandwidth_bytes_per_s=125_000, loss=0.1, duplicate=0.1),
    mobility=Mobility(Distribution(mean_s=0.2), Distribution(mean_s=1.0), Distribution(mean_s=0.2)),
)
GOLDEN = "c92dfda799d48972d0818066324008eb3a40bfaa36f37c2f32d05d39986599f9"
"""SHA-256 of what hosts do by themselves, whatever the machine and the protocol."""


def recorded(parameters: MobileParameters) -> tuple[MobileResult, list[Event]]:
    rows: list[TraceRow] = []
    result = simulate_mobile(parameters, RunRecorder(rows.extend))
    return result, [as_event("r", row) for row in rows]


def journeys(events: list[Event]) -> list[tuple[str, str, float | None]]:
    return [(event.process, event.kind, event.time) for event in events if event.attributes]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_waiters_are_what_is_held_without_what_it_waits_for(protocol: str) -> None:
    world = MobileWorld(replace(ROUGH, protocol=protocol))
    observe, waited = world.ledger.hold_back.observe_station, 0

    def compare(station: AnyStation, now_s: float) -> None:
        nonlocal waited
        waiters = list(station.waiters())
        assert waiters == [(held.host, held.message) for held in station.held()]
        waited += len(waiters)
        observe(station, now_s)

    world.ledger.hold_back.observe_station = compare  # type: ignore[method-assign]  # to look at every input
    world.run()
    assert waited


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_run_holds_and_leaves_nothing_undelivered(protocol: str, seed: int) -> None:
    result, events = recorded(replace(ROUGH, protocol=protocol, seed=seed, oracle=True))
    verdict = judge(events)
    assert (verdict.verdict, verdict.lost, verdict.duplicates) == ("holds", 0, 0)
    assert (result.undelivered, result.dropped, result.violations) == (0, 0, 0)
    assert result.messages == 150
    assert result.deliveries == verdict.deliveries
    assert min(result.moves, result.disconnections, result.handoffs, result.air_lost, result.duplicated) > 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_only_protocols_that_inhibit_wait_needlessly(protocol: str) -> None:
    """001 Table 1, "inhibition", in a wider sense: 000 §9 has no such queue, and messages wait needlessly there too."""
    result = simulate_mobile(replace(ROUGH, protocol=protocol, oracle=True, messages=300))
    assert result.needless_share is not None
    assert (result.needless_share > 0) == protocols()[protocol].inhibits
    assert result.held_share


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_different_protocols_see_the_same_sends_and_the_same_journeys(protocol: str) -> None:
    _, roam = recorded(ROUGH)
    _, events = recorded(replace(ROUGH, protocol=protocol))
    assert sends(events) == sends(roam)
    assert journeys(events) == journeys(roam)


def test_the_same_parameters_give_the_same_bytes_and_the_trace_reads_back(tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.jsonl", "three.parquet"):
        with open_trace(tmp_path / name, "r") as sink:
            simulate_mobile(ROUGH, RunRecorder(sink))
    text = (tmp_path / "one.jsonl").read_bytes()
    assert text == (tmp_path / "two.jsonl").read_bytes()
    _, events = recorded(ROUGH)
    assert hashlib.sha256(repr((sends(events), journeys(events))).encode()).hexdigest() == GOLDEN
    assert read_jsonl(text.decode().splitlines()) == (events, [])
    assert text.decode().splitlines() == [to_json(event) for event in events]
    assert [
        parse(row) for row in pq.read_table(tmp_path / "three.parquet").to_pylist(maps_as_pydicts="strict")
    ] == events
    assert {event.kind for event in events} == {"send", "deliver", "move", "connect", "disconnect"}


SCRIPT = """
from antecede.core.mobile.protocols import AnyStation, protocols
from antecede.sim import *
from antecede.sim.mobile import *
for protocol in protocols():
    print(simulate_mobile(MobileParameters(
        protocol=protocol, stations=3, hosts=6, messages=80, oracle=True, state_every=20,
        mobility=Mobility(Distribution(mean_s=0.5), Distribution(mean_s=2.0)), cost=ProcessingCost(entry_s=1e-5),
    )))
"""


def test_hashing_has_no_part_in_it() -> None:
    said = []
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", SCRIPT]
        said.append(subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout)
    assert said[0] == said[1]
    assert said[0].count("MobileResult") == len(PROTOCOLS)


STILL = MobileParameters(
    stations=2,
    hosts=2,
    messages=1,
    mobility=Mobility(handoff=None),
    workload=Workload(Distribution("constant", 1.0), dests=(1, 1), payload_bytes=125),
    header=Header(integer_bytes=4, full=True),
)


def across(parameters: MobileParameters) -> MobileParameters:
    """With the first seed that puts the two hosts into different cells."""
    seeds = (replace(parameters, seed=seed) for seed in range(1, 50))
    return next(given for given in seeds if len(set(MobileWorld(given).journeys.homes.values())) == 2)


def test_the_delay_of_a_lone_message_is_that_of_its_three_links() -> None:
    """001 appendix A: 500 us and 1 Mbit/s up and down, 7 ms and 100 Mbit/s between. The header of `av1` is n_h squared
    integers. A frame is the 125 bytes of payload and what it takes to name the message: 12 bytes or so."""
    result = simulate_mobile(across(replace(STILL, protocol="av1")))
    assert (result.entries_mean, result.deliveries) == (4, 1)
    assert result.header_bytes_mean is not None
    wire_bytes = 125 + result.header_bytes_mean
    assert 16 < result.header_bytes_mean < 40
    least = 0.0005 * 2 + 0.007 + 125 * 2 / 125_000 + wire_bytes / 12.5e6
    assert result.delay_mean_s is not None
    assert least < result.delay_mean_s < 1.03 * least


def test_headers_cost_their_time_once_at_each_station() -> None:
    """n_h squared is 4: 0.4 s to make the header and 0.4 s to read it."""
    free = simulate_mobile(across(replace(STILL, protocol="av1")))
    dear = simulate_mobile(across(replace(STILL, protocol="av1", cost=ProcessingCost(entry_s=0.1))))
    assert free.delay_mean_s is not None
    assert dear.delay_mean_s == pytest.approx(free.delay_mean_s + 0.8)


def test_the_sizes_of_table_1() -> None:
    """001 Table 1: n_h^2, n_s^2 and (k n_s)^2 integers; 2 hand-off messages, or all stations: begin, handover, over,
    and notify and last from each of the others."""
    full = replace(CALM, header=Header(4, full=True), mobility=Mobility(Distribution(mean_s=1.0)), messages=400)
    found = {
        name: simulate_mobile(replace(full, protocol=name.partition(":")[0], options=options))
        for name, options in (("av1", {}), ("av2", {}), ("av3:3", {"logical": 3}))
    }
    assert [result.entries_mean for result in found.values()] == [64, 16, 144]
    messages = [result.handoff_messages for result in found.values()]
    assert messages[0] == pytest.approx(2, abs=0.2)
    assert messages[1] == pytest.approx(3 + 2 * 3, abs=0.2)
    assert messages[2] is not None
    assert messages[1] is not None
    assert messages[2] > messages[1]


def test_a_policy_that_drops_is_counted_and_nothing_waits_for_what_was_dropped() -> None:
    result, events = recorded(replace(ROUGH, policy=Policy(when_asleep="drop"), oracle=True))
    verdict = judge(events)
    assert verdict.verdict == "holds"
    assert result.dropped == verdict.lost > 0
    assert (result.undelivered, result.violations) == (0, 0)


def test_the_window_and_the_state_are_measured_as_asked() -> None:
    parts: list[float] = []
    window = replace(CALM, messages=None, warmup=300, deliveries=1_000, state_every=100)
    result = simulate_mobile(window, progress=parts.append)
    assert result.window_deliveries == 1_000
    assert parts[-1] == 1.0
    assert result.state_bytes_mean is not None
    assert 0 < result.window_messages < result.messages


def test_idle_hosts_roam_and_take_no_part_in_the_traffic() -> None:
    _, events = recorded(replace(ROUGH, hosts=9, idle=3))
    busy = {event.process for event in events if event.message}
    assert busy == {f"h{number}" for number in range(1, 7)}
    assert {"h7", "h8", "h9"} <= {event.process for event in events}


@pytest.mark.parametrize("protocol", ["roam", "av1"])
def test_with_a_directory_fewer_messages_go_to_a_place_the_host_has_left(protocol: str) -> None:
    """001 §4.1 sends a message "to the MSS of h_j", and does not say how that is known."""
    without = simulate_mobile(replace(ROUGH, protocol=protocol))
    result, events = recorded(replace(ROUGH, protocol=protocol, directory=True))
    assert judge(events).verdict == "holds"
    assert judge(events).lost == 0
    assert result.passed_on_per_message is not None
    assert without.passed_on_per_message is not None
    assert result.passed_on_per_message < without.passed_on_per_message / 2


@pytest.mark.parametrize("workload", [Workload(groups=Groups(3, 1)), Workload(pattern="conversation", dests=(1, 3))])
def test_groups_and_conversations_roam_as_well(workload: Workload) -> None:
    _, events = recorded(replace(ROUGH, workload=replace(workload, interval=Distribution(mean_s=0.05))))
    assert judge(events).verdict == "holds"
    assert judge(events).lost == 0


def test_a_run_that_can_not_end_ends_at_the_limit() -> None:
    with pytest.raises(LimitReached):
        MobileWorld(replace(CALM, messages=None, deliveries=10**6), events_max=500).run()


@pytest.mark.parametrize(
    "wrong",
    [
        {"protocol": "ks"},
        {"stations": 0},
        {"hosts": 1},
        {"messages": None},
        {"deliveries": 0},
        {"warmup": -1},
        {"hosts": 5, "idle": 4},
        {"wires": Network(loss=0.1)},
        {"wires": Network(retransmit_after_s=1.0, partitions=(Partition(1, 2, frozenset({"h01"})),))},
        {"air": Network(loss=0.95)},
        {"air": Network(retransmit_after_s=1.0)},
    ],
)
def test_parameters_that_have_no_meaning_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(Misuse):
        MobileParameters(**wrong)  # type: ignore[arg-type]  # settings in a dict have no types of their own


def test_mobility_and_headers_that_have_no_meaning_are_refused() -> None:
    with pytest.raises(Misuse):
        Mobility(handoff=Distribution(mean_s=0.0))
    with pytest.raises(Misuse):
        Header(integer_bytes=0)


def test_by_default_wires_may_reorder_the_air_does_not_and_neither_loses() -> None:
    """001 §2."""
    parameters = MobileParameters()
    assert (parameters.wires.fifo, parameters.air.fifo) == (False, True)
    assert parameters.wires.loss == parameters.air.loss == 0.0
