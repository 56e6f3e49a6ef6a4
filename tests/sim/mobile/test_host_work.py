"""What a host computes, in steps: 001 §1.1, F1."""

from dataclasses import replace

import pytest

from antecede.core.mobile.host_and_station_frames import Downlink, Got, Register, Taken, Uplink, Welcome
from antecede.core.mobile.protocols import host, protocols
from antecede.core.ordering.none import NoStamp
from antecede.core.ordering.rst import RstStamp
from antecede.core.types import Packet
from antecede.sim import Distribution, MobileParameters, Mobility, Workload, simulate_mobile
from antecede.sim.mobile.host_work import HostWork, count_entries

STILL = MobileParameters(
    stations=2,
    hosts=4,
    messages=50,
    workload=Workload(Distribution("constant", 10.0), dests=(1, 1)),
    mobility=Mobility(handoff=None),
)


def test_an_entry_is_a_field_of_a_frame_or_an_entry_of_a_causal_stamp() -> None:
    assert [count_entries(stamp) for stamp in (NoStamp(), Uplink(3), Taken(3), Downlink(1))] == [0, 1, 1, 1]
    assert [count_entries(stamp) for stamp in (Got(1, 2), Welcome(1, 2), Register(1, "s"))] == [2, 2, 2]
    assert count_entries(RstStamp({"a": {"b": 1}, "b": {"a": 2, "c": 1}})) == 4


def test_a_host_compares_what_was_taken_with_every_message_that_it_keeps() -> None:
    keeper, work = host("h", "s"), HostWork()
    for _ in range(5):
        keeper.send(["other"], b"")
    work.count_heard(Packet("s", None, Taken(1)), keeper)
    assert work.steps == 1 + 1 + 5


@pytest.mark.parametrize("protocol", sorted(protocols()))
def test_of_a_lone_message_hosts_do_the_same_whichever_protocol_stations_run(protocol: str) -> None:
    """A send, its packet (2), that it is taken (2), compared with one kept, its timer; there a packet (2) and Got (3).

    These are 12 steps for a message that is sent and delivered.
    """
    found = simulate_mobile(replace(STILL, protocol=protocol))
    assert found.messages == found.deliveries == 50
    assert found.host_steps_mean == 12 / 2


def test_hosts_that_move_or_hear_beacons_do_more() -> None:
    moving = simulate_mobile(replace(STILL, mobility=Mobility(Distribution(mean_s=5.0))))
    hearing = simulate_mobile(replace(STILL, beacon_s=1.0))
    for found in (moving, hearing):
        assert (found.host_steps_mean or 0) > 7
    away = Mobility(Distribution(mean_s=5.0), Distribution(mean_s=5.0), Distribution(mean_s=5.0))
    sleeping = simulate_mobile(replace(STILL, mobility=away))
    assert (sleeping.host_steps_mean or 0) > (moving.host_steps_mean or 0)


def test_steps_are_decided_by_the_seed() -> None:
    roaming = replace(STILL, mobility=Mobility(Distribution(mean_s=5.0)))
    assert simulate_mobile(roaming).host_steps_mean == simulate_mobile(roaming).host_steps_mean
    assert simulate_mobile(roaming).host_steps_mean != simulate_mobile(replace(roaming, seed=2)).host_steps_mean
