"""Alagar, Venkatesan: "Causally Ordered Message Delivery in Mobile Systems" (001).

The example of §5.2, what does not hold or waits needlessly as it is printed or read, and Table 1 by counting.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from bench.mobile.drive import Setting, measure

from antecede import Packet, encode
from antecede.core.mobile.effects import Radio
from antecede.core.mobile.handoff import SETTLING
from antecede.core.mobile.host import ENTERING, IN
from antecede.core.mobile.host_and_station_frames import Handover, Last, Register, RegisterFrom
from antecede.core.mobile.logical import Cluster
from antecede.core.mobile.protocols import host, protocols
from antecede.core.mobile.station import Station
from antecede.lab.printed.roaming import leaving_host, printed_station
from tests.core.mobile.script import carries, content, flush, order, world
from tests.errata import roaming_scenes
from tests.errata.roaming_search import Stations, as_printed
from tests.mobile_worlds import rough, run

ALL = sorted(protocols())


@pytest.mark.parametrize("protocol", ALL)
def test_5_2_a_message_to_the_old_cell_comes_before_what_it_caused(protocol: str) -> None:
    """h3 sends m1 to h1 and m2 to h2; h1 moves to s2 before m1 arrives; h2, having m2, sends m3 to h1."""
    scene = world(protocol, {"h1": "s1", "h2": "s2", "h3": "s3"})
    m1 = scene.send("h3", {"h1"})

    def m1_to_s1(sender: str, to: str, packet: Packet) -> bool:
        return (sender, to) == ("s3", "s1") and carries(packet, m1)

    flush(scene, m1_to_s1)
    m2 = scene.send("h3", {"h2"})
    scene.enter("h1", "s2")
    flush(scene, m1_to_s1)
    m3 = scene.send("h2", {"h1"})
    flush(scene, m1_to_s1)
    assert order(scene, "h2") == [str(m2)]
    if protocol == "prs-mobile":  # m1 went to s2 as well
        assert order(scene, "h1") == [str(m1), str(m3)]
    else:
        assert order(scene, "h1") == []
    flush(scene)
    assert order(scene, "h1") == [str(m1), str(m3)]
    scene.finished()


def test_2_a_host_names_the_station_of_the_cell_that_it_left() -> None:
    """h moves from s1 to s2 and on to s3 before s2 has heard of it. Ours names s1 too, where it was last welcome."""
    for make_host, registers in (
        (leaving_host, (Register(1, "s1"), Register(2, "s2"))),
        (host, (Register(1, "s1"), RegisterFrom(2, "s1", "s2"))),
    ):
        moving = make_host("h", "s1")
        for place, register in zip(("s2", "s3"), registers, strict=True):
            assert Radio(place, Packet("h", None, register)) in moving.enter(place)
    assert leaving_host("h", "s1").enter("s1") == [], "the beacon of its own cell is nothing new"


@pytest.mark.parametrize("protocol", ALL)
def test_2_a_hand_off_follows_whichever_station_a_host_names(protocol: str) -> None:
    """Our stations, and hosts that name the cell they left, whose station may not have heard of them, and never may."""
    for seed in range(25):
        calm = replace(rough(Random(seed)), restarts=False)  # such a host cannot be stored
        run(protocol, seed, calm=calm, make_host=leaving_host)


@pytest.mark.parametrize("protocol", ["av1", "prs-mobile", "roam"])
def test_2_a_host_that_names_a_station_which_never_heard_it_is_found_by_a_detour(protocol: str) -> None:
    """Ours names s2, which has what is kept for h. The cell that h left is that of s3, which never heard of h."""
    for make_host, questions in ((host, 1), (leaving_host, 3)):
        scene = roaming_scenes.unheard_in_a_cell(Stations(protocol, make_host=make_host))
        assert scene.counts["wire Begin"] == questions
        assert order(scene, "h") == ["a:1", "a:2"]
        scene.finished()


@pytest.mark.parametrize("protocol", ["av1", "prs-mobile", "roam"])
def test_2_the_cell_that_was_left_is_asked_if_the_station_that_was_asked_is_silent(protocol: str) -> None:
    """s1 has given the luggage of h to s2 and is down. The welcome of s2 did not reach h, who is at s3 now."""
    scene = world(protocol, {"a": "s2", "h": "s1"}, cells="s3")
    scene.enter("h", "s2")
    flush(scene, lambda _, to, __: to == "h")
    scene.enter("h", "s3")

    def from_or_to_s1(sender: str, to: str, _: Packet) -> bool:
        return "s1" in (sender, to)

    flush(scene, from_or_to_s1)
    assert scene.hosts["h"].state == ENTERING
    scene._tick(scene.now + 2.0)
    flush(scene, from_or_to_s1)
    assert scene.hosts["h"].state == IN
    message = scene.send("a", {"h"})
    flush(scene, from_or_to_s1)
    assert order(scene, "h") == [str(message)]
    flush(scene)
    scene.finished()


def test_2_as_printed_a_host_whose_registration_is_lost_gets_nothing_more() -> None:
    scene = roaming_scenes.unheard_in_a_cell(as_printed("av2"))
    assert order(scene, "h") == ["a:1"]
    assert scene.hosts["h"].state == ENTERING


def test_5_2_as_printed_one_move_keeps_the_order() -> None:
    scene = world("av2", {"h1": "s1", "h2": "s2", "h3": "s3"}, make_station=printed_station, make_host=leaving_host)
    m1 = scene.send("h3", {"h1"})
    flush(scene, lambda sender, _, packet: carries(packet, m1) and sender == "s3")
    m2 = scene.send("h3", {"h2"})
    scene.enter("h1", "s2")
    flush(scene, lambda sender, _, packet: carries(packet, m1) and sender == "s3")
    m3 = scene.send("h2", {"h1"})
    flush(scene, lambda sender, _, packet: carries(packet, m1) and sender == "s3")
    assert order(scene, "h2") == [str(m2)]
    flush(scene)
    assert order(scene, "h1") == [str(m1), str(m3)]


def test_5_2_as_printed_a_stale_notification_puts_the_location_back() -> None:
    scene = roaming_scenes.two_moves(as_printed("av2"))
    assert order(scene, "h") == ["y:1", "x:1"]
    assert scene.oracle.violations == 1


@pytest.mark.parametrize("protocol", ALL)
def test_5_2_repaired_two_moves_keep_the_order(protocol: str) -> None:
    scene = roaming_scenes.two_moves(Stations(protocol))
    assert scene.oracle.violations == 0
    assert order(scene, "h") == ["x:1", "y:1"]
    scene.finished()


def test_5_2_if_notify_is_separate_unicasts_a_station_not_yet_notified_overtakes_one_that_is() -> None:
    scene = roaming_scenes.one_by_one(as_printed("av2"))
    assert order(scene, "h") == ["y:1", "x:1"]
    assert scene.oracle.violations == 1


@pytest.mark.parametrize("protocol", ALL)
def test_5_2_repaired_all_are_notified_at_once_or_none(protocol: str) -> None:
    scene = roaming_scenes.one_by_one(Stations(protocol))
    assert scene.oracle.violations == 0
    scene.finished()


@pytest.mark.parametrize("printed", [True, False])
def test_4_1_as_printed_a_message_may_wait_needlessly_with_algorithm_1(printed: bool) -> None:
    """a writes to c, and then to b. The second is in the air to b when b writes to c, who may have that at once.

    The paper does not call this inhibition (Table 1), which it defines by MSS_PENDING, the queue of Algorithm 2.
    """
    scene = roaming_scenes.in_the_air(as_printed("av1") if printed else Stations("av1"))
    assert order(scene, "c") == ([] if printed else ["b:1"])
    assert scene.counts["held for nothing"] == (1 if printed else 0)
    flush(scene)
    scene.finished()


def test_table_1_header_grows_with_the_square_of_hosts_stations_and_logical_stations() -> None:
    """O(n_h^2), O(n_s^2), O(k^2 n_s^2) are bounds: entries stay below them, and what should not matter does not."""

    def entries(protocol: str, **setting: int) -> float:
        return measure(Setting(protocol, watch=False, warm_s=4, duration_s=8, send_s=0.1, **setting)).header_entries

    assert 8**2 / 2 < entries("av1", hosts=8, stations=3) < 8**2
    assert 16**2 / 2 < entries("av1", hosts=16, stations=3) < 16**2
    assert 3**2 / 2 < entries("av2", hosts=8, stations=3) <= 3**2
    assert 3**2 / 2 < entries("av2", hosts=16, stations=3) <= 3**2
    assert (2 * 3) ** 2 / 2 < entries("av3", hosts=8, stations=3, logical=2) <= (2 * 3) ** 2


@pytest.mark.parametrize(
    ("protocol", "logical", "messages"),
    [
        ("av1", 1, lambda stations: 2),
        ("roam", 1, lambda stations: 2),
        ("prs-mobile", 1, lambda stations: 2),
        ("av2", 1, lambda stations: 3 + 2 * (stations - 1)),
        ("av2-ks", 1, lambda stations: 3 + 2 * (stations - 1)),
        ("av3", 1, lambda stations: 3 + 2 * (stations - 1)),
        ("av3", 2, lambda stations: 3 + 3 * (stations - 1)),  # two logical stations of a cell share a notify
    ],
)
@pytest.mark.parametrize("stations", [3, 6])
def test_table_1_hand_off_messages(protocol: str, logical: int, messages: object, stations: int) -> None:
    """O(1) messages for Algorithm 1; for Algorithm 2 begin, enable, over, and a notify and a last for each other."""
    options: dict[str, Any] = {"logical": logical} if protocol == "av3" else {}
    homes = {f"h{n}": f"s{n}" for n in range(stations)}
    scene = world(protocol, homes, **options)
    scene.enter("h0", "s1")
    flush(scene)
    wired = sum(count for what, count in scene.counts.items() if what.startswith("wire "))
    assert callable(messages)
    assert wired == messages(stations)


def test_table_1_inhibition_decreases_with_k() -> None:
    """No inhibition with Algorithm 1; some with 2; less with 3, the more logical stations."""

    def needless(protocol: str, k: int = 1) -> float:
        setting = Setting(protocol, hosts=16, stations=2, logical=k, send_s=0.1, move_s=5, warm_s=1, duration_s=4)
        share = measure(setting).needless_share
        assert share is not None
        return share

    assert needless("av1") == needless("roam") == 0
    assert needless("av2") > needless("av3", 2) > needless("av3", 4) > 0


def test_roam_costs_no_more_than_algorithm_1_and_a_quarter_of_its_header() -> None:
    """Beyond the paper: the same run, to the packet, with KS in place of RST."""
    setting = {"hosts": 40, "stations": 5, "warm_s": 6.0, "duration_s": 8.0, "send_s": 0.25, "watch": True}
    av1 = measure(Setting("av1", **setting))  # type: ignore[arg-type]  # settings in a dict have no types of their own
    roam = measure(Setting("roam", **setting))  # type: ignore[arg-type]  # settings in a dict have no types of their own
    assert (roam.deliveries, roam.handoffs, roam.delay_ms) == (av1.deliveries, av1.handoffs, av1.delay_ms)
    assert roam.header_bytes * 4 <= av1.header_bytes
    assert roam.handoff_messages <= av1.handoff_messages
    assert roam.needless_share == av1.needless_share == 0


@pytest.mark.parametrize("protocol", ALL)
def test_4_2_a_host_retransmits_to_its_new_station_what_was_not_acknowledged(protocol: str) -> None:
    """m1 does not reach s1. No timer expires: it is the move that brings it."""
    scene = world(protocol, {"a": "s1", "b": "s3"}, cells="s2")
    m1 = scene.send("a", {"b"})
    scene.lose_frames("a")
    scene.enter("a", "s2")
    flush(scene)
    assert order(scene, "b") == [str(m1)]
    scene.finished()


def test_4_3_a_hand_off_of_algorithm_1_carries_the_square_of_the_hosts() -> None:
    """O(1) messages of O(n_h^2) numbers: with twice the hosts, about four times the bytes."""
    sizes = []
    for count in (8, 16):
        hosts = {f"h{n:02}": f"s{n % 2}" for n in range(count)}
        scene = world("av1", hosts)
        for sender in hosts:
            for to in hosts:
                if to != sender:
                    scene.send(sender, {to})
                    flush(scene)
        scene.enter("h00", "s1")
        flush(scene, lambda _, __, packet: isinstance(packet.stamp, Handover))
        (handover,) = scene.wires["s0", "s1"]
        sizes.append(len(encode(handover)))
    assert 3 < sizes[1] / sizes[0] < 5


def test_5_3_during_a_hand_off_a_host_goes_on_to_receive_old_messages_and_to_send() -> None:
    """Reasons (i) and (ii): s1 still waits for the last of s3, so that the hand-off is not over."""
    scene = world("av2", {"a": "s1", "b": "s3"}, cells="s2")
    m1 = scene.send("b", {"a"})

    def last_or_m1(_: str, __: str, packet: Packet) -> bool:
        return isinstance(content(packet).stamp, Last) or carries(packet, m1)

    flush(scene, lambda sender, to, packet: (sender, to) == ("s3", "s1") and last_or_m1(sender, to, packet))
    scene.enter("a", "s2")
    flush(scene, lambda sender, to, packet: (sender, to) == ("s3", "s1") and last_or_m1(sender, to, packet))
    m2 = scene.send("a", {"b"})
    flush(scene, lambda sender, to, packet: (sender, to) == ("s3", "s1") and last_or_m1(sender, to, packet))
    assert order(scene, "b") == [str(m2)]
    assert order(scene, "a") == []
    flush(scene, lambda _, __, packet: isinstance(content(packet).stamp, Last))
    assert order(scene, "a") == [str(m1)]
    station = scene.stations["s2"]
    assert isinstance(station, Station)
    assert station.berths["a"].state == SETTLING
    flush(scene)
    scene.finished()


def test_6_a_host_is_allocated_to_the_logical_station_with_the_least_load() -> None:
    scene = world("av3", {"a": "s1", "b": "s1", "c": "s2", "d": "s2", "e": "s2"}, logical=2)
    cell = scene.stations["s1"]
    assert isinstance(cell, Cluster)
    for moved in ("c", "d", "e"):
        scene.enter(moved, "s1")
        flush(scene)
        loads = sorted(len(list(station.served())) for station in cell.logical)
        assert loads[-1] - loads[0] <= 1
    assert sum(len(list(station.served())) for station in cell.logical) == 5
