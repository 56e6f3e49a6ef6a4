"""The kernel: time, then priority, then the order of asking."""

import gc

import pytest

from antecede.core.errors import LimitReached
from antecede.sim.kernel import Kernel


def test_events_happen_in_the_order_of_time_then_priority_then_asking() -> None:
    kernel = Kernel()
    seen: list[str] = []
    kernel.at(2.0, seen.append, "late")
    kernel.at(1.0, seen.append, "second of its priority", priority=1)
    kernel.at(1.0, seen.append, "third of its priority", priority=1)
    kernel.at(1.0, seen.append, "first")
    kernel.after(0.5, seen.append, "soon")
    assert kernel.run() == 5
    assert seen == ["soon", "first", "second of its priority", "third of its priority", "late"]
    assert kernel.now == 2.0


def test_what_is_asked_for_in_the_past_happens_now_and_after_what_is_happening() -> None:
    kernel, seen = Kernel(), []

    def first() -> None:
        kernel.at(1.0, lambda: seen.append(kernel.now))
        seen.append(kernel.now)

    kernel.at(5.0, first)
    kernel.run()
    assert seen == [5.0, 5.0]


def test_stop_ends_the_run_after_the_event_that_is_happening_and_it_can_go_on() -> None:
    kernel = Kernel()
    seen: list[str] = []
    kernel.at(1.0, kernel.stop)
    kernel.at(2.0, seen.append, "rest")
    assert kernel.run() == 1
    assert (seen, len(kernel)) == ([], 1)
    assert kernel.run() == 1
    assert seen == ["rest"]


def test_a_world_that_feeds_itself_for_ever_ends_at_the_limit_and_leaves_the_collector_as_it_was() -> None:
    kernel = Kernel(events_max=10)

    def again() -> None:
        kernel.after(1.0, again)

    again()
    with pytest.raises(LimitReached, match="10 events happened by 10"):
        kernel.run()
    assert gc.isenabled()


def test_two_kernels_do_not_disturb_each_other() -> None:
    def order(kernel: Kernel) -> list[int]:
        seen: list[int] = []
        for number in range(5):
            kernel.at(1.0, seen.append, number)
        kernel.run()
        return seen

    one, two = Kernel(), Kernel()
    two.at(0.5, lambda: None)
    assert order(one) == order(two) == [0, 1, 2, 3, 4]
