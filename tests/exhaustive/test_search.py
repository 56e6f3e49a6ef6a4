"""The search finds what is wrong with algorithms that are wrong, and by the shortest way."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from antecede import Algorithm, Message
from antecede.core.holdback import HoldBack
from antecede.core.ordering.ks import Ks
from antecede.core.process import Process
from antecede.core.roster import Roster
from antecede.core.snapshot import values
from antecede.core.types import Need, Stamp
from tests.exhaustive.ordering import OrderingWorld
from tests.exhaustive.roaming import RoamingWorld
from tests.exhaustive.search import TooManyStates, Violation, explore


@dataclass(slots=True)
class ForgetfulKs(Ks):
    """KS that waits for the messages of the sender itself, and forgets those of everybody else."""

    def unmet(self, message: Message, stamp: Stamp) -> Iterator[Need]:
        return (need for need in Ks.unmet(self, message, stamp) if need.sender == message.sender)


def make_forgetful(name: str) -> Algorithm:
    return Process(Roster.of(name, "multicast", ["a", "b", "c"], None), ForgetfulKs(name, True), HoldBack())


def test_an_algorithm_without_order_fails_after_three_steps() -> None:
    found = explore(OrderingWorld("none", 2))
    assert found.draw().splitlines() == [
        "  1. a sends to b",
        "  2. a sends to b",
        "  3. message a:2 of a arrives at b",
        "     b delivers a:2 before a:1, which happened before it",
    ]


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let snapshots hold the broken algorithm, for the time of a test."""
    for table in (values.STORABLE, values.NAMES, values.REMOVED, values.FIELDS, values.WRITERS):
        monkeypatch.setattr(values, next(name for name, one in vars(values).items() if one is table), dict(table))
    values.storable("ForgetfulKs")(ForgetfulKs)


@pytest.mark.usefixtures("forgetful")
def test_a_broken_algorithm_fails_in_the_smallest_triangle() -> None:
    """FIFO holds, so the shortest way needs a third process that passes a cause on."""
    found = explore(OrderingWorld("ks", 2, make=make_forgetful))
    assert found.draw().splitlines() == [
        "  1. a sends to b, c",
        "  2. message a:1 of a arrives at b",
        "  3. b sends to c",
        "  4. message b:1 of b arrives at c",
        "     c delivers b:1 before a:1, which happened before it",
    ]


def test_small_worlds_of_real_algorithms_hold() -> None:
    for algorithm in ("ks", "rst", "vector", "mf", "rendezvous"):
        found = explore(OrderingWorld(algorithm, 2))
        assert (found.violation, found.states > 50) == ("", True)
    found = explore(RoamingWorld("roam", 1, 1))
    assert (found.violation, found.states > 200) == ("", True)


class Counter:
    """A world that counts to a number, by one or by two, and does not like 7."""

    def __init__(self, most: int, *, likes_7: bool = False) -> None:
        self._most, self._likes_7 = most, likes_7

    def begin(self) -> Iterable[int]:
        return [0]

    def steps(self, state: int) -> Iterator[tuple[str, int]]:
        for more in (1, 2):
            if state + more == 7 and not self._likes_7:
                raise Violation("7")
            if state + more <= self._most:
                yield f"+{more}", state + more

    def try_step(self, state: int) -> str:
        return f"+{7 - state}"


def test_every_state_is_visited_once_and_the_way_is_the_shortest() -> None:
    assert explore(Counter(20, likes_7=True)).states == 21
    found = explore(Counter(20))
    assert (found.violation, found.way) == ("7", ("+1", "+2", "+2", "+2"))


def test_a_world_that_is_too_large_is_told() -> None:
    with pytest.raises(TooManyStates, match="more than 5 states"):
        explore(Counter(20, likes_7=True), states_max=5)


def test_the_first_message_is_of_the_first_process() -> None:
    """All processes are alike at first; those with a role are not."""
    assert len(list(_firsts(OrderingWorld("ks", 1)))) == 2
    assert len(list(_firsts(OrderingWorld("hierarchy", 1)))) == 9


def _firsts(world: OrderingWorld) -> Iterator[str]:
    (first,) = world.begin()
    return (words for words, _ in world.steps(first))


@pytest.mark.usefixtures("forgetful")
def test_leaving_out_what_is_independent_hides_no_violation() -> None:
    quick = explore(OrderingWorld("ks", 3, 0, make=make_forgetful))
    full = explore(OrderingWorld("ks", 3, 0, make=make_forgetful, thorough=True))
    assert quick.violation
    assert full.violation
    assert len(quick.way) >= len(full.way)


def test_leaving_out_what_is_independent_leaves_out_states() -> None:
    quick, full = (explore(OrderingWorld("ks", 3, 0, thorough=thorough)) for thorough in (False, True))
    assert (quick.violation, full.violation) == ("", "")
    assert quick.states < full.states


def test_an_algorithm_that_answers_is_not_taken_for_one_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise executions would be left out in which an answer arrives before something else."""
    world = OrderingWorld("sps", 2, 0)
    assert explore(world).violation == ""
    monkeypatch.setattr(world, "_answers", False)
    with pytest.raises(AssertionError, match="sps answers packets: see ANSWERING"):
        explore(world)


def test_packets_of_a_fifo_channel_arrive_in_their_order() -> None:
    """Without order, FIFO channels keep the messages of one sender in order, and only a third process breaks it."""
    found = explore(OrderingWorld("none", 2, 0, fifo=True))
    assert found.way[0] == "a sends to b, c"
    assert found.violation == "c delivers b:1 before a:1, which happened before it"
