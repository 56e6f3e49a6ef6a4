"""Alagar, Venkatesan: "Causally Ordered Message Delivery in Mobile Systems" (001).

§2: "Every MSS periodically broadcasts a beacon", and a host "discovers that it is in the cell of s_2 after receiving
the beacon broadcast by s_2".
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from antecede.core.errors import Misuse
from antecede.core.mobile.protocols import protocols
from antecede.judge.judge import judge
from antecede.sim import Distribution, MobileParameters, Mobility, Network, RunRecorder, Workload, simulate_mobile
from antecede.sim.mobile import MobileWorld
from antecede.sim.trace import TraceRow, as_event

BEACON_S = 0.25
SILENT = MobileParameters(
    stations=4,
    hosts=8,
    messages=400,
    workload=Workload(Distribution("exponential", 0.5), dests=(1, 3)),
    mobility=Mobility(Distribution("exponential", 3.0)),
)
"""A world without beacons, in which a host notices its cell at once."""
WITH_BEACONS = replace(SILENT, beacon_s=BEACON_S)
ROUGH = replace(
    WITH_BEACONS,
    messages=150,
    wires=Network(Distribution(mean_s=0.007), duplicate=0.1),
    air=Network(Distribution(mean_s=0.0005), bandwidth_bytes_per_s=125_000, loss=0.2, duplicate=0.1),
    mobility=Mobility(Distribution(mean_s=0.5), Distribution(mean_s=2.0), Distribution(mean_s=0.3)),
    oracle=True,
)
"""A world in which hosts often leave a cell before they have noticed it, and in which beacons get lost."""


def test_2_every_station_broadcasts_a_beacon_periodically() -> None:
    """A beacon is one packet on the air, however many hosts hear it."""
    result, silent = simulate_mobile(WITH_BEACONS), simulate_mobile(SILENT)
    assert result.beacons == pytest.approx(4 * result.duration_s / BEACON_S, rel=0.05)
    assert 3 <= result.beacon_bytes / result.beacons <= 12
    assert (silent.beacons, silent.beacon_bytes, silent.notice_mean_s) == (0, 0, None)
    assert result.air_packets > silent.air_packets + 0.9 * result.beacons
    assert result.air_bytes > silent.air_bytes + 0.9 * result.beacon_bytes


def test_2_a_host_discovers_its_cell_at_the_next_beacon_and_is_without_a_station_until_then() -> None:
    result, silent = simulate_mobile(WITH_BEACONS), simulate_mobile(SILENT)
    assert result.notice_mean_s == pytest.approx(BEACON_S / 2, rel=0.2)
    assert result.notice_max_s is not None
    assert result.notice_max_s <= BEACON_S + 0.01
    assert result.handoff_mean_s is not None
    assert silent.handoff_mean_s is not None
    assert result.handoff_mean_s == pytest.approx(silent.handoff_mean_s + BEACON_S / 2, rel=0.2)


def test_2_the_fewer_beacons_the_longer_messages_take() -> None:
    delays = [simulate_mobile(replace(SILENT, beacon_s=every_s)).delay_mean_s or 0.0 for every_s in (0.1, 0.5, 2.0)]
    assert delays == sorted(delays)
    assert delays[0] > (simulate_mobile(SILENT).delay_mean_s or 0.0)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("protocol", sorted(protocols()))
def test_2_order_holds_while_hosts_do_not_know_where_they_are(protocol: str, seed: int) -> None:
    rows: list[TraceRow] = []
    world = MobileWorld(replace(ROUGH, protocol=protocol, seed=seed), RunRecorder(rows.extend))
    result, verdict = world.run(), judge([as_event("r", row) for row in rows])
    assert (verdict.verdict, verdict.lost, verdict.duplicates) == ("holds", 0, 0)
    assert (result.undelivered, result.dropped, result.violations) == (0, 0, 0)
    assert min(result.moves, result.disconnections, result.handoffs, result.beacons) > 0
    assert {name: host.cell for name, host in world.hosts.items()} == world.places
    assert sum(host.move for host in world.hosts.values()) < result.moves + result.disconnections


def test_2_a_beacon_is_periodic() -> None:
    with pytest.raises(Misuse, match="a beacon after a time"):
        MobileParameters(beacon_s=0.0)
