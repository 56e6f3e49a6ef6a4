"""The traffic: rates, destinations, parity, groups, requests and conversations."""

from collections import Counter
from dataclasses import replace

import pytest

from antecede.core.errors import Misuse
from antecede.judge.judge import judge
from antecede.sim import Distribution, Groups, Parameters, Workload, simulate
from antecede.sim.workload import Traffic
from tests.sim.runs import recorded, sends

NAMES = [f"p{number}" for number in range(1, 9)]
BASE = Parameters(algorithm="none", processes=8, messages=2_000)


def odd(name: str) -> bool:
    return int(name[1:]) % 2 == 1


def test_processes_send_at_the_rate_they_are_asked_to() -> None:
    result, events = recorded(replace(BASE, workload=Workload(interval=Distribution("exponential", 0.5))))
    last = sends(events)[-1][1]
    assert last == pytest.approx(2_000 * 0.5 / 8, rel=0.08)
    assert result.messages == 2_000


def test_odd_processes_send_three_times_as_often_and_the_mean_rate_stays() -> None:
    """000 §7.3: the mean inter-message time is the reciprocal of the mean rate."""
    _, events = recorded(replace(BASE, workload=Workload(ratio=3.0)))
    by_odd = Counter(odd(process) for process, *_ in sends(events))
    assert by_odd[True] / by_odd[False] == pytest.approx(3.0, rel=0.12)
    assert sends(events)[-1][1] == pytest.approx(2_000 / 8, rel=0.08)


def test_destinations_are_others_and_their_number_is_uniform() -> None:
    _, events = recorded(replace(BASE, workload=Workload(dests=(2, 4))))
    sizes: Counter[int] = Counter()
    to: Counter[str] = Counter()
    for process, _, _, dests in sends(events):
        assert dests is not None
        assert process not in dests
        sizes[len(dests)] += 1
        to.update(dests)
    assert sorted(sizes) == [2, 3, 4]
    assert all(count == pytest.approx(2_000 / 3, rel=0.12) for count in sizes.values())
    assert all(count == pytest.approx(2_000 * 3 / 8, rel=0.12) for count in to.values())


@pytest.mark.parametrize("selectivity", [0.0, 0.95, 1.0])
def test_selectivity_keeps_messages_within_the_parity_of_their_sender(selectivity: float) -> None:
    """000 §7.2. At random, two other processes are both of the sender's parity in (3/7)(2/6) of the cases."""
    _, events = recorded(replace(BASE, workload=Workload(dests=(2, 2), selectivity=selectivity)))
    own = sum(all(odd(dest) == odd(process) for dest in dests or ()) for process, _, _, dests in sends(events))
    expected = selectivity + (1 - selectivity) * (3 / 7) * (2 / 6)
    assert own / 2_000 == pytest.approx(expected, abs=0.03)


def test_groups_lie_around_a_ring_and_neighbours_share_what_is_asked() -> None:
    groups = Groups(4, 2).members_by_group(NAMES)
    assert groups == {
        "g1": ["p1", "p2", "p3", "p4"],
        "g2": ["p3", "p4", "p5", "p6"],
        "g3": ["p5", "p6", "p7", "p8"],
        "g4": ["p1", "p2", "p7", "p8"],
    }
    assert Groups(9).members_by_group(NAMES) == {"g1": NAMES}
    apart = Groups(2).members_by_group(NAMES)
    assert [member for members in apart.values() for member in members] == NAMES


def test_a_request_is_answered_by_everyone_it_reaches_and_answers_are_not() -> None:
    workload = Workload(dests=(3, 3), pattern="request", interval=Distribution("exponential", 50.0))
    _, events = recorded(replace(BASE, algorithm="ks", messages=400, workload=workload))
    requests = [dests for _, _, _, dests in sends(events) if len(dests or ()) == 3]
    answers = [dests for _, _, _, dests in sends(events) if len(dests or ()) == 1]
    assert len(requests) + len(answers) == 400
    assert len(answers) / len(requests) == pytest.approx(3.0, rel=0.1)


def test_a_conversation_goes_on_among_the_same_for_as_many_turns_as_asked() -> None:
    workload = Workload(
        dests=(3, 3), pattern="conversation", turns=5, interval=Distribution("exponential", 400.0),
        think=Distribution("constant", 0.25),
    )  # fmt: skip
    result, events = recorded(replace(BASE, algorithm="ks", messages=500, workload=workload))
    circles = Counter(frozenset([process, *(dests or ())]) for process, _, _, dests in sends(events))
    assert all(len(circle) == 4 for circle in circles)
    assert sum(count % 5 == 0 for count in circles.values()) >= len(circles) - 3  # but those that the end cut short
    assert result.messages == 500


@pytest.mark.parametrize(
    ("algorithm", "expected"), [("mf", {1}), ("vector", {7}), ("ks", set(range(1, 8))), ("isis", {2})]
)
def test_without_bounds_an_algorithm_gets_the_traffic_it_can_carry(algorithm: str, expected: set[int]) -> None:
    _, events = recorded(replace(BASE, algorithm=algorithm, messages=300))
    assert {len(dests or ()) for _, _, _, dests in sends(events)} == expected


@pytest.mark.parametrize(
    ("algorithm", "workload"),
    [
        ("mf", Workload(dests=(1, 3))),
        ("vector", Workload(dests=(1, 7))),
        ("vector", Workload(selectivity=0.5)),
        ("isis", Workload(dests=(1, 3))),
        ("mf", Workload(groups=Groups(3))),
        ("ks", Workload(dests=(0, 3))),
        ("ks", Workload(dests=(3, 8))),
        ("ks", Workload(dests=(4, 3))),
    ],
)
def test_traffic_that_an_algorithm_can_not_carry_is_refused_in_words(algorithm: str, workload: Workload) -> None:
    with pytest.raises(Misuse, match=r"this algorithm|give a range"):
        simulate(replace(BASE, algorithm=algorithm, workload=workload))


def test_workloads_that_have_no_meaning_are_refused() -> None:
    for wrong in ({"ratio": 0.0}, {"selectivity": 1.1}, {"pattern": "chat"}, {"turns": 0}, {"payload_bytes": -1},
                  {"groups": Groups(2), "dests": (1, 2)}, {"interval": Distribution("constant", 0.0)}):  # fmt: skip
        with pytest.raises(Misuse):
            Workload(**wrong)
    with pytest.raises(Misuse):
        Groups(3, 3)


def test_intervals_and_destinations_have_streams_of_their_own() -> None:
    few, many = (Traffic(Workload(dests=dests), NAMES, "multicast", 1) for dests in ((1, 1), (5, 7)))
    for _ in range(3):
        few.next_letter("p1")
    assert [few.interval_s("p1") for _ in range(5)] == [many.interval_s("p1") for _ in range(5)]


@pytest.mark.parametrize("algorithm", ["ks", "prs", "rst", "ses", "history", "vector", "mf", "serial-multicast"])
def test_with_own_a_sender_is_among_its_destinations_now_and_then(algorithm: str) -> None:
    _, events = recorded(replace(BASE, algorithm=algorithm, messages=300, workload=Workload(own=True)))
    own = [event for event in events if event.kind == "send" and event.process in (event.dests or ())]
    verdict = judge(events)
    assert own
    assert (verdict.verdict, verdict.lost, verdict.duplicates) == ("holds", 0, 0)
