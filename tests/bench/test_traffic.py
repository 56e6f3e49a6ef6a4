"""The schedules the measurements run on: the same for the same arguments, complete, and possible."""

import json
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from bench.core.traffic import Broadcast, Multicast, Receive, broadcast_schedule, subset_schedule

SIZES = [(2, 1), (2, 50), (5, 200), (20, 100)]
SEEDS = [0, 1, 2]

Steps = Sequence[Broadcast | Multicast | Receive]
Make = Callable[..., Steps]


def sends(steps: Steps) -> list[Broadcast | Multicast]:
    return [step for step in steps if step[0] == "send"]


def receives(steps: Steps) -> list[Receive]:
    return [step for step in steps if step[0] == "receive"]


@pytest.mark.parametrize("make", [broadcast_schedule, subset_schedule])
def test_a_schedule_depends_on_its_arguments_alone(make: Make) -> None:
    assert make(6, 100, 7) == make(6, 100, 7)
    assert make(6, 100, 7) != make(6, 100, 8)
    assert make(6, 100, 7) != make(6, 100, 7, propagation=2.0)


def test_a_schedule_stays_what_it_was() -> None:
    """A change of these steps changes what every published figure was measured on."""
    assert broadcast_schedule(3, 2, 1) == [
        ("send", 0),
        ("send", 2),
        ("receive", 0, 1),
        ("receive", 1, 0),
        ("receive", 2, 0),
        ("receive", 1, 1),
    ]
    assert subset_schedule(4, 2, 1) == [
        ("send", 0, (1, 3)),
        ("send", 2, (0, 1, 3)),
        ("receive", 0, 1),
        ("receive", 1, 0),
        ("receive", 3, 0),
        ("receive", 3, 1),
        ("receive", 1, 1),
    ]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("n", "messages"), SIZES)
def test_every_broadcast_is_received_once_by_every_other_process(n: int, messages: int, seed: int) -> None:
    steps = broadcast_schedule(n, messages, seed)
    senders = [step[1] for step in sends(steps)]
    assert len(senders) == messages
    expected = Counter((j, k) for k, sender in enumerate(senders) for j in range(n) if j != sender)
    assert Counter((j, k) for _, j, k in receives(steps)) == expected


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("n", "messages"), SIZES)
def test_every_multicast_is_received_once_by_each_destination(n: int, messages: int, seed: int) -> None:
    steps = subset_schedule(n, messages, seed)
    multicasts = [step for step in steps if step[0] == "send"]
    assert len(multicasts) == messages
    expected = Counter((j, k) for k, (_, _, dests) in enumerate(multicasts) for j in dests)
    assert Counter((j, k) for _, j, k in receives(steps)) == expected
    for _, sender, dests in multicasts:
        assert list(dests) == sorted(set(dests) & set(range(n)) - {sender})
        assert dests


@pytest.mark.parametrize("propagation", [0.0, 0.01, 1.0, 10.0])
@pytest.mark.parametrize("make", [broadcast_schedule, subset_schedule])
def test_nothing_is_received_before_it_was_sent(make: Make, propagation: float) -> None:
    sent = 0
    for step in make(8, 300, 3, propagation):
        if step[0] == "send":
            sent += 1
        else:
            assert step[2] < sent


def test_messages_overtake_each_other_even_on_one_link() -> None:
    steps = broadcast_schedule(2, 200, 1)
    order = {j: [k for _, to, k in receives(steps) if to == j] for j in range(2)}
    assert all(arrivals != sorted(arrivals) for arrivals in order.values())


def test_without_propagation_time_each_message_arrives_before_the_next_is_sent() -> None:
    sent = 0
    for step in broadcast_schedule(4, 50, 1, propagation=0.0):
        if step[0] == "send":
            sent += 1
        else:
            assert step[2] == sent - 1


def test_all_processes_send_and_all_sizes_of_destination_sets_occur() -> None:
    multicasts = [step for step in subset_schedule(5, 2000, 1) if step[0] == "send"]
    by_sender = Counter(sender for _, sender, _ in multicasts)
    by_size = Counter(len(dests) for _, _, dests in multicasts)
    assert sorted(by_sender) == [0, 1, 2, 3, 4]
    assert sorted(by_size) == [1, 2, 3, 4]
    assert min(by_sender.values()) > 300  # 400 expected of each
    assert min(by_size.values()) > 400  # 500 expected of each


def test_a_schedule_survives_json() -> None:
    steps = subset_schedule(4, 20, 1)
    read = [step if step[0] == "receive" else [*step[:2], tuple(step[2])] for step in json.loads(json.dumps(steps))]
    assert [tuple(step) for step in read] == steps


def test_one_process_has_nobody_to_send_to() -> None:
    with pytest.raises(ValueError, match="at least 2 processes"):
        broadcast_schedule(1, 10, 1)
