"""Prakash, Raynal, Singhal: "An Adaptive Causal Ordering Algorithm Suited to Mobile Computing Environments" (000).

§9, causal multicast with mobile nodes, as printed and repaired.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from antecede import MessageId, Packet
from antecede.core.mobile.host_and_station_frames import Acknowledge, AcknowledgeAll, Cast, Delete
from antecede.core.mobile.protocols import protocols
from antecede.judge.events import Event
from antecede.judge.judge import judge
from antecede.sim import (
    AccessLink,
    Distribution,
    MobileParameters,
    Mobility,
    RunRecorder,
    Workload,
    simulate_mobile,
)
from antecede.sim.mobile import MobileWorld, simulate_stationless
from antecede.sim.trace import TraceRow, as_event
from tests.core.mobile.script import carries, flush, order, world
from tests.errata import roaming_scenes
from tests.errata.roaming_search import Stations, as_printed
from tests.sim.runs import STATIONLESS

SELDOM = MobileParameters(
    stations=3,
    hosts=9,
    messages=60,
    workload=Workload(Distribution("exponential", 20.0), dests=(1, 1), payload_bytes=100),
    mobility=Mobility(handoff=None),
)
"""Hosts that stay where they are, and send so seldom that a message is delivered before the next one is sent."""
BUSY = replace(
    SELDOM,
    messages=200,
    workload=Workload(Distribution("exponential", 0.2), dests=(1, 4)),
    mobility=Mobility(Distribution("exponential", 0.5)),
    oracle=True,
)


def test_9_1_as_printed_h_recd_never_passes_a_message_for_somebody_else() -> None:
    """a writes to b, then to c: at c the counter of the station stands at the message for b, for ever."""
    scene = roaming_scenes.for_somebody_else(as_printed("prs-mobile"))
    assert [(str(message), host) for message, host in scene.oracle.lost()] == [("a:2", "c")]


def test_9_1_repaired_it_steps_over() -> None:
    scene = roaming_scenes.for_somebody_else(Stations("prs-mobile"))
    assert order(scene, "c") == ["a:2"]
    scene.finished()


def test_9_1_a_delete_may_overtake_its_message() -> None:
    """s3 hears that everybody has m1 before it hears of m1; c, in its cell, still gets what comes after."""
    scene = world("prs-mobile", {"a": "s1", "b": "s2", "c": "s3"})
    m1 = scene.send("a", {"b"})
    flush(scene, lambda _, to, packet: to == "s3" and carries(packet, m1))
    m2 = scene.send("a", {"c"})
    flush(scene, lambda _, to, packet: to == "s3" and carries(packet, m1))
    assert order(scene, "c") == [str(m2)]
    flush(scene)
    scene.finished()
    assert not any(casts.store for s in scene.stations.values() for casts in s.scheme.casts.values())  # type: ignore[union-attr]  # it is there in this scene


def test_9_3_a_message_goes_to_every_station_and_is_acknowledged_and_deleted() -> None:
    scene = world("prs-mobile", {"a": "s1", "b": "s2", "c": "s3"}, cells="s4")
    scene.send("a", {"b", "c"})
    flush(scene)
    assert [scene.counts[f"wire {kind.__name__}"] for kind in (Cast, Acknowledge, Delete)] == [3, 2, 3]


def test_9_3_a_station_sends_one_acknowledgement_for_all_hosts_of_its_cell() -> None:
    """b and c are in the cell of s2, d in that of s3: two acknowledgements instead of three, and no more deletions."""
    homes = {"a": "s1", "b": "s2", "c": "s2", "d": "s3"}
    one_each, combined = world("prs-mobile", homes), world("prs-mobile", homes, combine=True)
    for scene in (one_each, combined):
        scene.send("a", {"b", "c", "d"})
        flush(scene)
        scene.finished()
    kinds = (Acknowledge, AcknowledgeAll, Delete)
    assert [one_each.counts[f"wire {kind.__name__}"] for kind in kinds] == [3, 0, 2]
    assert [combined.counts[f"wire {kind.__name__}"] for kind in kinds] == [0, 2, 2]


def test_9_3_combined_acknowledgements_are_fewer_and_delay_nothing() -> None:
    """20 hosts in 4 cells send to 1 to 10 hosts: 3.9 acknowledgements on the wires for a message, or 2.2 combined."""
    many = replace(BUSY, protocol="prs-mobile", stations=4, hosts=20, workload=replace(BUSY.workload, dests=(1, 10)))
    one_each, combined = simulate_mobile(many), simulate_mobile(replace(many, options={"combine": True}))
    assert (combined.violations, combined.undelivered) == (0, 0)
    assert combined.deliveries == one_each.deliveries
    assert combined.delay_mean_s == pytest.approx(one_each.delay_mean_s, rel=0.01)
    deletes = many.stations - 1
    single, joint = ((result.extra_per_message or 0.0) - deletes for result in (one_each, combined))
    assert 3.5 < single < 4.5
    assert joint < 0.6 * single


SENDING = sorted(protocols())
"""The protocols whose stations send."""


def is_on_its_way_to_s3(message: MessageId) -> Callable[[str, str, Packet], bool]:
    """Return which packets are late: those with this message to station s3."""
    return lambda _, to, packet: to == "s3" and carries(packet, message)


@pytest.mark.parametrize("protocol", SENDING)
def test_9_a_station_itself_multicasts_in_causal_order(protocol: str) -> None:
    """s1 writes to b and c, and b answers to c and s1: c has the message of s1 first, although it is slow."""
    scene = world(protocol, {"b": "s2", "c": "s3"}, cells="s1", stations_send=True)
    asked = scene.send("s1", {"b", "c"})
    late = is_on_its_way_to_s3(asked)
    flush(scene, late)
    answered = scene.send("b", {"c", "s1"})
    flush(scene, late)
    assert (order(scene, "c"), order(scene, "s1")) == ([], [str(answered)])
    flush(scene)
    assert order(scene, "c") == [str(asked), str(answered)]
    scene.finished()


@pytest.mark.parametrize("protocol", SENDING)
def test_9_what_a_station_delivers_itself_comes_before_what_it_sends_then(protocol: str) -> None:
    """b writes to s1 and c; s1 has it and writes to c; c has the message of b first, and s1 uses no air."""
    scene = world(protocol, {"b": "s2", "c": "s3"}, cells="s1", stations_send=True)
    first = scene.send("b", {"c", "s1"})
    late = is_on_its_way_to_s3(first)
    flush(scene, late)
    second = scene.send("s1", {"c", "s1"})
    flush(scene, late)
    assert (order(scene, "c"), order(scene, "s1")) == ([], [str(first), str(second)])
    flush(scene)
    assert order(scene, "c") == [str(first), str(second)]
    assert scene.counts["air Downlink"] == 2
    scene.finished()


def test_9_messages_of_one_station_are_kept_in_its_order_without_need() -> None:
    """a and b, both at s1, have nothing to do with each other; c waits for a's message to have b's."""
    scene = world("prs-mobile", {"a": "s1", "b": "s1", "c": "s2"})
    m1 = scene.send("a", {"c"})

    def late(_: str, to: str, packet: Packet) -> bool:
        return to == "s2" and carries(packet, m1)

    flush(scene, late)
    m2 = scene.send("b", {"c"})
    flush(scene, late)
    assert order(scene, "c") == []
    assert scene.counts["held for nothing"] == 1
    flush(scene)
    assert order(scene, "c") == [str(m1), str(m2)]


def test_9_1_concurrent_messages_of_one_station_in_any_order() -> None:
    """The same as above, and c does not wait."""
    scene = world("prs-mobile", {"a": "s1", "b": "s1", "c": "s2"}, any_order=True)
    m1 = scene.send("a", {"c"})

    def late(_: str, to: str, packet: Packet) -> bool:
        return to == "s2" and carries(packet, m1)

    flush(scene, late)
    m2 = scene.send("b", {"c"})
    flush(scene, late)
    assert order(scene, "c") == [str(m2)]
    flush(scene)
    assert order(scene, "c") == [str(m2), str(m1)]
    assert scene.counts["held for nothing"] == 0
    scene.finished()


def test_9_1_in_any_order_a_message_waits_for_what_precedes_it_only() -> None:
    """Wires that reorder: in the order of stations, a part of the deliveries waits in vain; in any order, none does."""
    wires = replace(BUSY.wires, latency=Distribution("exponential", 0.05))
    base = replace(BUSY, protocol="prs-mobile", wires=wires, messages=400)
    kept, free = simulate_mobile(base), simulate_mobile(replace(base, options={"any_order": True}))
    assert (free.violations, free.undelivered, free.deliveries) == (0, 0, kept.deliveries)
    assert (kept.needless_share or 0.0) > 0.05
    assert free.needless_share == 0.0
    assert (free.delay_mean_s or 0.0) < 0.9 * (kept.delay_mean_s or 0.0)


def record_events(parameters: MobileParameters) -> list[Event]:
    rows: list[TraceRow] = []
    simulate_mobile(parameters, RunRecorder(rows.extend))
    return [as_event("r", row) for row in rows]


def by_telephone(parameters: MobileParameters) -> MobileParameters:
    """Return the same world with station s1 at a telephone line of 3,500 bytes a second."""
    return replace(parameters, wires=replace(parameters.wires, links=(AccessLink("s1", 3_500.0),)))


def test_9_3_a_link_of_low_bandwidth_delays_what_goes_over_it_and_nothing_else() -> None:
    homes = MobileWorld(SELDOM).journeys.homes
    base, slow = record_events(SELDOM), record_events(by_telephone(SELDOM))
    author = {event.message: event.process for event in base if event.kind == "send"}
    assert [event.time for event in slow if event.kind == "send"] == [e.time for e in base if e.kind == "send"]
    times = {(event.message, event.process): event.time for event in slow if event.kind == "deliver"}
    late: list[float] = []
    same: list[float] = []
    for event in base:
        if event.kind == "deliver":
            ends = {homes[event.process], homes[author[event.message]]}
            delay_s = (times[event.message, event.process] or 0.0) - (event.time or 0.0)
            (late if "s1" in ends and len(ends) == 2 else same).append(delay_s)
    assert len(late) > 10
    assert min(late) > 100 / 3_500 - 100 / 12.5e6
    assert max(late) < 200 / 3_500
    assert len(same) > 10
    assert set(same) == {0.0}


@pytest.mark.parametrize("protocol", sorted(protocols()))
def test_9_3_order_holds_with_links_of_different_bandwidth(protocol: str) -> None:
    even = simulate_mobile(replace(BUSY, protocol=protocol))
    verdict = judge(record_events(by_telephone(replace(BUSY, protocol=protocol))))
    assert (verdict.verdict, verdict.lost, verdict.duplicates) == ("holds", 0, 0)
    result = simulate_mobile(by_telephone(replace(BUSY, protocol=protocol)))
    assert (result.violations, result.undelivered) == (0, 0)
    assert result.delay_mean_s is not None
    assert even.delay_mean_s is not None
    assert result.delay_mean_s > even.delay_mean_s
    assert (result.held_share or 0.0) > (even.held_share or 0.0)


@pytest.mark.parametrize("algorithm", ["prs", "ks"])
def test_9_3_without_stations_a_causal_multicast_is_many_causal_unicasts(algorithm: str) -> None:
    """Hosts move every 0.1 s, and are located before each unicast; many packets come after they have moved."""
    rows: list[TraceRow] = []
    result = simulate_stationless(replace(STATIONLESS, algorithm=algorithm), RunRecorder(rows.extend))
    verdict = judge([as_event("r", row) for row in rows])
    assert (verdict.verdict, verdict.lost, verdict.duplicates) == ("holds", 0, 0)
    assert (result.violations, result.undelivered, result.needless_share) == (0, 0, 0.0)
    assert result.packets == result.deliveries
    assert result.queries >= result.packets
    assert result.missed > 50


def test_9_3_without_stations_and_without_an_algorithm_order_is_lost() -> None:
    result = simulate_stationless(replace(STATIONLESS, algorithm="none"))
    assert (result.violations or 0) > 50
