"""The growth of stamps is measured in the steady state, of every algorithm."""

import pytest

from antecede.cli import main
from antecede.core.registry import algorithms
from antecede.lab.claims import judge_claims
from antecede.lab.experiments import find_experiment, growth, sps_tradeoff
from antecede.lab.results import Measurement, Results


def test_a_run_has_a_hundred_messages_of_each_process_after_as_many_of_warm_up() -> None:
    for point in growth.GROWTH.grid:
        assert int(point["each"]) >= 100
        assert int(point["warmup"]) >= 100


def test_every_algorithm_is_measured() -> None:
    """Here, or in an experiment of its own: a stamp of `sps` does not grow."""
    assert {point["algorithm"] for point in (*growth.GROWTH.grid, *sps_tradeoff.SPS.grid)} == set(algorithms())


def test_the_start_of_a_run_is_not_the_steady_state() -> None:
    """What was wrong with two messages of each: logs were still filling."""
    start, steady, longer = (
        growth.measure(growth.make_point("ks", 8, "multicast", 1.0, each=each, warmup=warmup), 1)["entries"]
        for each, warmup in ((2, 0), (40, 40), (40, 80))
    )
    assert start is not None
    assert steady is not None
    assert longer is not None
    assert start < 0.8 * steady
    assert longer == pytest.approx(steady, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("messages", "entries", "size"), [(8_000, "1,202", "1,619"), (12_000, "1,246", "1,932")])
def test_one_destination_is_as_the_experiment_says(
    messages: int, entries: str, size: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = find_experiment("ks-growth").about
    command = f"--algorithm prs --processes 40 --dests 1 --messages {messages} --warmup {messages - 4_000}"
    assert f"--messages {messages} --warmup {messages - 4_000}`" in said
    assert f"{entries} entries and {size} bytes" in said
    assert main(["simulate", *command.split()]) == 0
    shown = capsys.readouterr().out
    assert f"{entries} entries" in shown
    assert f"{size} bytes" in shown


def test_a_longer_warm_up_is_told_from_the_usual_one() -> None:
    rows = tuple(
        Measurement(
            place,
            {**growth.make_point("ks", 10, "multicast", 1.0, each=100, warmup=warmup)},
            1,
            {"entries": float(warmup)},
        )
        for place, warmup in enumerate((100, 200))
    )
    assert [row.measurements["entries"] for row in growth.steady(Results(rows)).rows] == [100.0]


def test_a_warm_up_that_left_nothing_to_measure_is_not_measured() -> None:
    empty = tuple(
        Measurement(place, {**growth.make_point("ks", 10, "multicast", 1.0, each=100, warmup=warmup)}, 1, {})
        for place, warmup in enumerate((100, 200))
    )
    entries = {entry["id"]: entry["outcome"] for entry in judge_claims(growth.GROWTH, Results(empty))}
    assert entries["ks-growth-stationary-ks"] == "not measured"
