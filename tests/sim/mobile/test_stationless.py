"""Hosts without stations: where packets go, what is sent again, and what cannot be declared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from antecede import Misuse
from antecede.sim import Distribution, Mobility, Network, RunRecorder
from antecede.sim.mobile import StationlessParameters, simulate_stationless
from antecede.sim.trace import TraceRow, as_event
from tests.sim.runs import STATIONLESS

STILL = replace(STATIONLESS, mobility=Mobility(handoff=None))


def rows_of(parameters: StationlessParameters) -> list[TraceRow]:
    rows: list[TraceRow] = []
    simulate_stationless(parameters, RunRecorder(rows.extend))
    return rows


def test_equal_parameters_give_equal_runs() -> None:
    assert rows_of(STATIONLESS) == rows_of(STATIONLESS)
    assert rows_of(STATIONLESS) != rows_of(replace(STATIONLESS, seed=2))


def test_hosts_that_stay_are_located_for_each_attempt_and_never_missed() -> None:
    result = simulate_stationless(STILL)
    assert (result.moves, result.missed, result.undelivered) == (0, 0, 0)
    assert 0 <= result.queries - result.packets - result.retransmitted < 20, "few were acknowledged while it answered"


def test_a_packet_to_a_place_that_a_host_has_left_is_sent_again_to_where_the_host_is() -> None:
    still, moving = simulate_stationless(STILL), simulate_stationless(STATIONLESS)
    assert moving.missed > 50
    assert moving.moves > 50
    assert (moving.undelivered, moving.deliveries) == (0, still.deliveries)
    assert moving.retransmitted > still.retransmitted
    assert (moving.delay_mean_s or 0.0) > (still.delay_mean_s or 0.0)


def test_a_slow_location_service_makes_every_message_late_by_its_answer() -> None:
    at_once, slow = (
        simulate_stationless(replace(STILL, algorithm="none", locate=Distribution("constant", locate_s)))
        for locate_s in (0.0, 1.0)
    )
    assert (slow.delay_mean_s or 0.0) == pytest.approx((at_once.delay_mean_s or 0.0) + 1.0)


def test_the_trace_has_the_moves() -> None:
    kinds = [as_event("r", row).kind for row in rows_of(STATIONLESS)]
    assert kinds.count("move") == simulate_stationless(STATIONLESS).moves


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"places": 0}, "0 places: give 1 or more"),
        ({"network": Network()}, "let the network retransmit"),
        ({"mobility": Mobility(connected=Distribution("exponential", 1.0))}, "do not disconnect"),
        ({"processes": 1}, "1 processes: give from 2"),
    ],
)
def test_what_cannot_be_run_is_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(Misuse, match=words):
        replace(STATIONLESS, **wrong)
