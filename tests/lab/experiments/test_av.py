"""The experiments of 001: what they measure, and what becomes of claims whose points failed."""

import pytest

from antecede.core.mobile.protocols import protocols
from antecede.lab.claims import judge_claims
from antecede.lab.experiments import av, av_factors, av_fig1, av_fig2, av_table1
from antecede.lab.results import MissingResult, Results
from antecede.sim import simulate_mobile

SMALL = {"hosts": 8, "stations": 2, "send_s": 0.1, "wires": "exponential", "warmup": 100, "deliveries": 400}


def test_if_every_point_of_a_sweep_failed_a_claim_about_it_is_not_measured() -> None:
    with pytest.raises(MissingResult, match="av3 was not measured over k"):
        av_table1.decrease_with_k(Results(()))
    entries = judge_claims(av_table1.TABLE1, Results(()))
    assert {entry["outcome"] for entry in entries} == {"not measured"}


def test_table_1_has_many_more_hosts_than_stations() -> None:
    assert all(int(point["hosts"]) >= 5 * int(point["stations"]) for point in av_table1.TABLE1.grid)


def test_figure_1_has_all_nine_pairs_of_times() -> None:
    pairs = {(point["send_s"], point["move_s"]) for point in av_fig1.FIG1.grid if point["setting"] == ""}
    assert pairs == {(send_s, move_s) for send_s in (0.1, 1.0, 10.0) for move_s in (0.1, 1.0, 10.0)}


def test_a_run_of_figure_2_lasts_for_many_moves_of_a_host() -> None:
    for point in av_fig2.FIG2.grid:
        seconds = float(point["deliveries"]) * float(point["send_s"]) / float(point["hosts"])
        assert seconds >= 20 * float(point["move_s"])


@pytest.mark.parametrize("declared", [av_table1.TABLE1, av_fig1.FIG1, av_fig2.FIG2, av_factors.FACTORS])
def test_messages_go_to_one_host_as_in_the_paper(declared: object) -> None:
    for point in declared.quick:  # type: ignore[attr-defined]  # an Experiment
        if point["protocol"] not in ("both", av_factors.AT_HOSTS):
            assert av.parameters(point, 1).workload.dests == (1, 1)


def test_algorithms_see_the_same_messages_and_journeys_with_a_seed() -> None:
    """So that differences can be taken seed by seed."""
    found = [simulate_mobile(av.parameters(av.make_point(name, **SMALL), 3)) for name in ("av1", "av2")]  # type: ignore[arg-type]  # settings in a dict have no types of their own
    assert abs(found[0].messages - found[1].messages) <= 0.05 * found[0].messages


def test_storage_load_and_air_are_measured() -> None:
    one, two = (av_table1.measure(av.make_point(name, **SMALL), 1) for name in ("av1", "av2"))  # type: ignore[arg-type]  # settings in a dict have no types of their own
    for number in ("storage_bytes", "load_percent", "air_bytes", "host_bytes"):
        assert (one[number] or 0) > 0
    assert (one["storage_bytes"] or 0) > (two["storage_bytes"] or 0)
    assert (one["load_percent"] or 0) > (two["load_percent"] or 0)


def test_the_crossing_is_the_last_change_of_sign() -> None:
    assert av_fig1.crossing((10, 20, 40), (-1.0, -1.0, 1.0)) == 30.0
    assert av_fig1.crossing((10, 20, 40), (1.0, 1.0, 1.0)) == 10.0
    assert av_fig1.crossing((10, 20, 40), (-1.0, -1.0, -1.0)) == 40.0
    assert av_fig1.crossing((10, 20, 40), (1.0, -1.0, 1.0)) == 30.0


def test_hosts_that_are_away_stay_in_the_header_of_algorithm_1() -> None:
    point = av.make_point("av1", **{**SMALL, "warmup": 300})  # type: ignore[arg-type]  # settings in a dict have no types of their own
    there, away = (av_factors.measure({**point, "away_s": away_s}, 1)["integers"] for away_s in (0.0, 0.5))
    assert (away or 0) > 0.9 * (there or 0)


@pytest.mark.parametrize("quick", [False, True])
def test_all_four_factors_are_measured_of_every_roaming_protocol(quick: bool) -> None:
    """001 §1.1: F1 to F3 over the number of hosts, and F4 with hosts that disconnect."""
    points = av_factors.FACTORS.points(quick)
    sizes = {point["hosts"] for point in points}
    assert len(sizes) > 1
    for protocol in protocols():
        own = [point for point in points if point["protocol"] == protocol]
        assert {point["hosts"] for point in own if point["over"] == "hosts"} == sizes
        assert {point["away_s"] for point in own if point["over"] == "away"} == {0.0, av_factors.AWAY_S}
    for number in ("host_steps", "host_bytes", "air_bytes", "integers"):
        assert any(
            chart.y == number and all(chart.names[protocol] for protocol in protocols())
            for chart in av_factors.FACTORS.charts
        )


def test_there_is_a_claim_about_each_factor_of_every_roaming_protocol() -> None:
    claims = {claim.id for claim in av_factors.FACTORS.claims}
    for number in ("host-steps", "host-bytes", "air-bytes", "away"):
        assert {f"av-factors-{number}-{protocol}" for protocol in protocols()} <= claims
    assert all(
        {f"av-factors-{name}-{protocol}" for name in ("scalable", "integers")} & claims for protocol in protocols()
    )


def test_hosts_that_order_messages_themselves_compute_more_and_the_more_of_them_there_are_the_more() -> None:
    """001 §1.1: hosts that execute the traditional algorithm do not satisfy F1."""
    few, many = (
        av_factors.measure(av.make_point(av_factors.AT_HOSTS, **{**SMALL, "hosts": hosts}), 1)  # type: ignore[arg-type]  # settings in a dict have no types of their own
        for hosts in (4, 16)
    )
    thin = av_factors.measure(av.make_point("av1", **SMALL), 1)  # type: ignore[arg-type]  # settings in a dict have no types of their own
    assert (few["host_steps"] or 0) > 12
    assert (many["host_steps"] or 0) > 8 * (few["host_steps"] or 0)
    assert (many["host_bytes"] or 0) > (few["host_bytes"] or 0)
    assert (thin["host_steps"] or 0) < 8


@pytest.mark.parametrize("protocol", sorted(protocols()))
@pytest.mark.parametrize("away_s", [0.0, 0.5])
def test_every_factor_of_a_protocol_has_a_number(protocol: str, away_s: float) -> None:
    point = av.make_point(protocol, **{**SMALL, "warmup": 20, "deliveries": 100})  # type: ignore[arg-type]  # settings in a dict have no types of their own
    found = av_factors.measure({**point, "away_s": away_s}, 1)
    numbers = ("host_steps", "host_bytes", "air_bytes", "energy", "integers")
    assert all((found[number] or 0.0) > 0 for number in numbers)


@pytest.mark.parametrize(
    ("protocol", "over", "size", "across"),
    [
        ("av1", "hosts", 20, 20),
        ("av1", "stations", 2, 60),
        ("av2", "stations", 8, 8),
        ("av2", "hosts", 80, 4),
        ("av3", "stations", 8, 16),
        ("av3", "k", 4, 16),
    ],
)
def test_the_diagonal_of_a_header_is_added_to_what_is_not_zero(
    protocol: str, over: str, size: int, across: int
) -> None:
    assert av_table1.diagonal(protocol, over, size) == across
