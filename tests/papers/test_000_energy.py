"""Prakash, Raynal, Singhal: "An Adaptive Causal Ordering Algorithm Suited to Mobile Computing Environments" (000).

§1: hosts are short of energy, and "wireless communication, especially message send, drains their batteries. The longer
the message, the greater the energy consumption." §9: the station does for the host what it can, which "results in a
conservation of the limited energy supply".
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from antecede.core.errors import Misuse
from antecede.core.mobile.protocols import protocols
from antecede.sim import Distribution, MobileParameters, Mobility, Workload, simulate_mobile
from antecede.sim.mobile import AirEnergy, MobileWorld

PARAMETERS = MobileParameters(
    protocol="prs-mobile",
    stations=4,
    hosts=8,
    messages=200,
    workload=Workload(Distribution("exponential", 0.2), dests=(2, 2), payload_bytes=100),
    mobility=Mobility(handoff=None),
)


def test_1_sending_drains_a_battery_more_than_receiving() -> None:
    """Each byte costs what the model says, in both directions."""
    sent, received = AirEnergy(1.0, 0.0), AirEnergy(5.0, 3.0)
    only = simulate_mobile(replace(PARAMETERS, energy=sent))
    both = simulate_mobile(replace(PARAMETERS, energy=received))
    assert only.host_energy_mean == only.host_sent_bytes_mean == both.host_sent_bytes_mean
    assert both.host_energy_mean == pytest.approx(5 * both.host_sent_bytes_mean + 3 * both.host_received_bytes_mean)
    assert both.host_energy_max >= both.host_energy_mean
    assert AirEnergy().send_per_byte > AirEnergy().receive_per_byte


def test_1_all_bytes_on_the_air_are_sent_or_received_by_a_host() -> None:
    """Hosts stay, the air loses nothing, and there are no beacons: each packet has a host at one end."""
    result = simulate_mobile(PARAMETERS)
    assert 8 * (result.host_sent_bytes_mean + result.host_received_bytes_mean) == result.air_bytes


def test_1_the_longer_the_message_the_greater_the_energy_consumption() -> None:
    """A message goes up once and down twice, so 900 bytes more are 2 x 900 and 2 x 900 units."""
    short = simulate_mobile(PARAMETERS)
    long = simulate_mobile(replace(PARAMETERS, workload=replace(PARAMETERS.workload, payload_bytes=1_000)))
    more = 8 * (long.host_energy_mean - short.host_energy_mean) / 200
    assert more == pytest.approx(3_600, rel=0.02)


@pytest.mark.parametrize("protocol", sorted(protocols()))
def test_9_a_host_spends_no_energy_on_the_order_of_messages(protocol: str) -> None:
    """Whichever protocol its station runs, a host sends and receives the same bytes."""
    assert simulate_mobile(replace(PARAMETERS, protocol=protocol)).host_energy_mean == pytest.approx(
        simulate_mobile(PARAMETERS).host_energy_mean, rel=0.01
    )


def test_beacons_cost_every_host_that_hears_them() -> None:
    world = MobileWorld(replace(PARAMETERS, beacon_s=0.1))
    result, silent = world.run(), simulate_mobile(PARAMETERS)
    assert result.host_sent_bytes_mean == silent.host_sent_bytes_mean
    heard = 8 * (result.host_received_bytes_mean - silent.host_received_bytes_mean)
    in_cells = [list(world.places.values()).count(cell) for cell in world.stations]
    assert heard == pytest.approx(sum(in_cells) / 4 * result.beacon_bytes, rel=0.05)


@pytest.mark.parametrize("wrong", [(-1.0, -2.0), (1.0, 2.0), (float("nan"), 0.0), (1.0, float("inf"))])
def test_energy_that_has_no_meaning_is_refused(wrong: tuple[float, float]) -> None:
    with pytest.raises(Misuse):
        AirEnergy(*wrong)
