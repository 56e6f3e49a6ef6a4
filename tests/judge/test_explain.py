"""A violation in words, and the chain of events behind the words."""

from dataclasses import replace

import pytest

from antecede.core.errors import Misuse
from antecede.judge.events import Event
from antecede.judge.explain import explain, explain_in
from antecede.judge.judge import judge
from antecede.judge.trace import arrange
from tests.judge.script import script


def explained(text: str) -> tuple[str, list[str]]:
    """The words for the only violation of a trace, and its chain as `process kind message`."""
    events = script(text)
    (violation,) = judge(events).found
    explanation = explain(events, violation)
    return explanation.words, [f"{e.process} {e.kind} {e.message}" for e in explanation.chain]


def words(text: str) -> str:
    return explained(text)[0]


RELAY = """
    a send m1 > b
    a send m2 > c
    c deliver m2
    c send m3 > b
    b deliver m3
    b deliver m1
"""


def test_through_another_process() -> None:
    assert explained(RELAY) == (
        "b delivered m3 before m1: m1 was sent by a, then a sent m2 to c, c delivered m2 and sent m3",
        ["a send m1", "a send m2", "c deliver m2", "c send m3"],
    )


def test_one_sender() -> None:
    assert explained("a send m1 > b \n a send m2 > b \n b deliver m2 \n b deliver m1") == (
        "b delivered m2 before m1: m1 was sent by a, then a sent m2",
        ["a send m1", "a send m2"],
    )


def test_where_the_overtaken_message_itself_was_delivered() -> None:
    text = "a send m1 > b c \n c deliver m1 \n c send m2 > b \n b deliver m2 \n b deliver m1"
    assert explained(text) == (
        "b delivered m2 before m1: m1 was sent by a, c delivered m1 and sent m2",
        ["a send m1", "c deliver m1", "c send m2"],
    )


def test_a_chain_of_five_messages() -> None:
    text = """
        a send m1 > z
        a send m2 > b
        b deliver m2
        b send m3 > c
        c deliver m3
        c send m4 > d
        d deliver m4
        d send m5 > z
        z deliver m5
        z deliver m1
    """
    assert words(text) == (
        "z delivered m5 before m1: m1 was sent by a, then a sent m2 to b, b delivered m2 and sent m3 to c, "
        "c delivered m3 and sent m4 to d, d delivered m4 and sent m5"
    )


@pytest.mark.parametrize("order", [("m3", "m5"), ("m5", "m3")])
def test_a_short_chain_is_taken_where_there_is_a_long_one_too(order: tuple[str, str]) -> None:
    """c comes to depend on m1 both through d and from a itself."""
    text = f"""
        a send m1 > b
        a send m2 > d
        a send m5 > c
        d deliver m2
        d send m3 > c
        c deliver {order[0]}
        c deliver {order[1]}
        c send m4 > b
        b deliver m4
        b deliver m1
    """
    assert words(text) == "b delivered m4 before m1: m1 was sent by a, then a sent m5 to c, c delivered m5 and sent m4"


def test_a_mere_arrival_is_no_link() -> None:
    """m1 has arrived at c when c sends m3, but c has not delivered it; m2 is what leads on."""
    text = RELAY.replace("a send m1 > b", "a send m1 > b c").replace("c deliver m2", "c receive m1 \n c deliver m2")
    assert words(text) == words(RELAY)


def test_a_late_message_that_was_not_for_the_process_is_passed_over() -> None:
    """m0 is nearer than m1 and b gets it later too, but it was not sent to b."""
    text = RELAY.replace("c send m3", "c send m0 > d \n c send m3") + "b deliver m0"
    assert words(text) == words(RELAY)


def test_of_several_overtaken_messages_the_nearest_is_explained() -> None:
    """m0 is two messages away, m3 one: c sent both m3 and m4."""
    text = """
        a send m0 > b
        a send m2 > c
        c deliver m2
        c send m3 > b
        c send m4 > b
        b deliver m4
        b deliver m0
        b deliver m3
    """
    assert words(text) == "b delivered m4 before m3: m3 was sent by c, then c sent m4"


def test_a_message_that_came_to_the_wrong_process_is_said_to_have() -> None:
    assert words(RELAY.replace("a send m2 > c", "a send m2 > d")) == (
        "b delivered m3 before m1: m1 was sent by a, then a sent m2, "
        "c delivered m2, which was not sent to it, and sent m3"
    )


def test_sends_to_oneself() -> None:
    text = "a send m1 > b \n a send m2 > a \n a deliver m2 \n a send m3 > b \n b deliver m3 \n b deliver m1"
    assert words(text) == "b delivered m3 before m1: m1 was sent by a, then a sent m3"
    text = "a send m1 > a \n a send m2 > a \n a deliver m2 \n a deliver m1"
    assert words(text) == "a delivered m2 before m1: m1 was sent by a, then a sent m2"


def test_back_through_the_process_that_delivers_late() -> None:
    """b itself is on the chain: it passed m2 on before it ever got m1."""
    text = """
        a send m1 > b
        a send m2 > d
        d deliver m2
        d send m3 > b
        b deliver m3
        b send m4 > a
        b deliver m1
    """
    assert words(text) == "b delivered m3 before m1: m1 was sent by a, then a sent m2 to d, d delivered m2 and sent m3"


def test_receives_stand_for_delivers_where_there_are_no_others() -> None:
    assert words(RELAY.replace("deliver", "receive")) == words(RELAY)


def test_rows_in_quarantine_take_no_part_in_a_chain() -> None:
    """Were the second m2 a send, c would seem to have it from b."""
    _, chain = explained(RELAY + "b send m2 @7 > c \n a internal @0")
    assert chain[0] == "a send m1"


def test_other_runs_take_no_part() -> None:
    events = [replace(event, run=run) for event in script(RELAY) for run in ("r", "s")]
    first, second = judge(events).found
    assert [e.run for e in explain(events, first).chain] == ["r"] * 4
    assert [e.run for e in explain(events, second).chain] == ["s"] * 4


def test_many_violations_of_one_trace_are_explained_from_one_arrangement() -> None:
    events = script(RELAY)
    (violation,) = judge(events).found
    (run,) = arrange(events)
    assert explain_in(run, violation) == explain(events, violation)


@pytest.mark.parametrize(
    ("events", "says"),
    [
        ([], "no events of run ''"),
        (script("a send m1 > b \n b deliver m1"), "is not in these events"),
        (script(RELAY.replace("b deliver m1", "b internal")), "overtook nothing"),
        (script("b deliver m3"), "is not in these events"),
    ],
)
def test_a_violation_of_other_events_is_the_callers_mistake(events: list[Event], says: str) -> None:
    (violation,) = judge(script(RELAY)).found
    with pytest.raises(Misuse, match=says):
        explain(events, violation)
