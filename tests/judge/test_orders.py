"""The orders of delivery that a run keeps, from the definition of each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.judge.events import Event
from antecede.judge.judge import judge
from antecede.judge.orders import ORDERS, JudgedOrder, judge_orders
from antecede.judge.trace import arrange, sift
from tests.judge.traces import traces


def run_of(*steps: str) -> dict[str, JudgedOrder]:
    """Judge a run. A step is "a sends m to b c" or "b delivers m"; the steps of a process are in its order."""
    events = []
    for index, step in enumerate(steps):
        process, verb, message, *dests = step.split()
        kind = verb.removesuffix("s")
        events.append(Event("", process, index, kind, message=message, dests=tuple(dests[1:]) if dests else None))
    (run,) = arrange(sift(events)[0])
    return judge_orders(run)


def verdicts(*steps: str) -> list[str]:
    found = run_of(*steps)
    return [found[order].verdict for order in ORDERS]


H, V, U = "holds", "violated", "undecidable"


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        # One message after the other.
        (("a sends m to b", "b delivers m", "b sends n to a", "a delivers n"), [H, H, H, H]),
        # Two messages cross: each is sent before the other is delivered.
        (("a sends m to b", "b sends n to a", "b delivers m", "a delivers n"), [H, H, H, V]),
        # b gets what c caused before what caused it.
        (
            ("a sends m to b", "a sends n to c", "c delivers n", "c sends o to b", "b delivers o", "b delivers m"),
            [H, V, H, V],
        ),
        # Two messages of one sender arrive in the wrong order.
        (("a sends m to b", "a sends n to b", "b delivers n", "b delivers m"), [V, V, H, V]),
        # Concurrent messages come to c and d in different orders.
        (
            *(
                (
                    "a sends m to c d",
                    "b sends n to c d",
                    "c delivers m",
                    "c delivers n",
                    "d delivers n",
                    "d delivers m",
                ),
            ),
            [H, H, V, V],
        ),
        # A message to oneself takes no time if nothing comes between.
        (("a sends m to a", "a delivers m"), [H, H, H, H]),
        (("a sends m to a", "a sends n to b", "a delivers m", "b delivers n"), [H, H, H, V]),
        # What was lost, repeated or never sent does not count.
        (("a sends m to b", "a sends n to b", "b delivers n", "b delivers x", "b delivers n"), [H, H, H, H]),
        (("a sends m to b",), [U, U, U, U]),
        (("b delivers m", "c delivers m"), [U, U, U, U]),
    ],
)
def test_each_order_is_judged_by_itself(steps: tuple[str, ...], wanted: list[str]) -> None:
    assert verdicts(*steps) == wanted


def test_if_happened_before_has_a_cycle_messages_are_not_judged_as_instantaneous() -> None:
    found = run_of("a delivers n", "a sends m to b", "b delivers m", "b sends n to a")
    assert [found[order].verdict for order in ORDERS] == [H, U, H, U]
    assert found["synchronous"].reason


def test_a_witness_names_who_delivered_what_in_which_order() -> None:
    found = run_of("a sends m to b", "a sends n to b", "b delivers n", "b delivers m")
    assert (found["fifo"].processes, found["fifo"].messages) == (("b",), ("n", "m"))
    found = run_of(
        "a sends m to c d", "b sends n to c d", "c delivers m", "c delivers n", "d delivers n", "d delivers m"
    )
    assert (found["agreed"].processes, found["agreed"].messages) == (("c", "d"), ("m", "n"))
    found = run_of("a sends m to b", "b sends n to a", "b delivers m", "a delivers n")
    assert sorted(found["synchronous"].messages) == ["m", "n"]


def test_the_witness_of_causal_order_is_the_first_violation_and_the_first_message_overtaken_there() -> None:
    sends = ("a sends m to b c", "a sends n to b c", "c delivers n", "c sends o to b", "c delivers m")
    found = run_of(*sends, "b delivers o", "b delivers n", "b delivers m")["causal"]
    assert (found.processes, found.messages) == (("b",), ("o", "m"))
    found = run_of(*sends, "b delivers m", "b delivers n", "b delivers o")["causal"]
    assert (found.processes, found.messages) == (("c",), ("n", "m"))


def test_three_messages_form_a_crown_of_which_no_two_do() -> None:
    crown = run_of(
        *("a sends m to b", "a delivers o", "b sends n to c", "b delivers m", "c sends o to a", "c delivers n"),
    )
    assert crown["causal"].verdict == "holds"
    assert (crown["synchronous"].verdict, len(crown["synchronous"].messages)) == ("violated", 3)


@given(traces)
def test_synchronous_is_causal_is_fifo(events: list[Event]) -> None:
    for run in arrange(sift(events)[0]):
        found = judge_orders(run)
        assert found["causal"].verdict == judge(run.events).verdict
        if found["synchronous"].verdict == "holds":
            assert found["causal"].verdict == "holds"
        if found["causal"].verdict == "holds":
            assert found["fifo"].verdict == "holds"


@given(st.permutations(range(6)))
def test_who_delivers_everything_in_one_order_agrees(order: list[int]) -> None:
    sends = [f"s{number} sends m{number} to a b c" for number in range(6)]
    delivers = [f"{process} delivers m{number}" for process in "abc" for number in order]
    assert verdicts(*sends, *delivers)[2] == "holds"
    turned = [*delivers[:-2], delivers[-1], delivers[-2]]
    assert verdicts(*sends, *turned)[2] == "violated"
