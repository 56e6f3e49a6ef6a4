"""An application that forgets `ack` is told; one that works on a message for long is not."""

from antecede.core.types import Message, MessageId
from antecede.runtime.state.store import Delivered
from antecede.runtime.watch.acknowledgements import Acknowledgements
from antecede.runtime.watch.problem_log import ProblemLog
from antecede.runtime.watch.problems import AcknowledgementMissing, NeverAcknowledged


def take_all(seen: Acknowledgements, *numbers: int) -> None:
    for n in numbers:
        seen.take(Delivered(n, Message(MessageId("a", n), frozenset("b"), b"")))


def test_messages_are_missing_that_are_old_and_followed_by_one_that_is_acknowledged() -> None:
    now = [0.0]
    seen = Acknowledgements(lambda: now[0], forgotten_after_s=60.0)
    take_all(seen, 4, 5, 6, 7)
    now[0] = 30.0
    take_all(seen, 8, 9)
    seen.acknowledge(5)
    now[0] = 59.9
    assert seen.find_missing() == [], "the work may take so long"
    now[0] = 60.0
    assert seen.find_missing() == [AcknowledgementMissing(60.0, 1, MessageId("a", 4))], "nothing is after 6 and 7"
    seen.acknowledge(9)
    assert seen.find_missing() == [AcknowledgementMissing(60.0, 3, MessageId("a", 4))], "8 was not taken long ago"
    seen.acknowledge(4)
    now[0] = 90.0
    assert seen.find_missing() == [AcknowledgementMissing(90.0, 3, MessageId("a", 6))]
    for n in (6, 7, 8):
        seen.acknowledge(n)
    assert seen.find_missing() == []


def test_an_application_that_works_in_order_and_slowly_has_forgotten_nothing() -> None:
    now = [0.0]
    seen = Acknowledgements(lambda: now[0], forgotten_after_s=60.0)
    take_all(seen, 1, 2, 3)
    seen.acknowledge(1)
    now[0] = 1_000.0
    assert (seen.find_missing(), seen.find_left()) == ([], [])


def test_asking_for_another_message_without_an_acknowledgement_is_a_problem_after_a_while() -> None:
    now = [0.0]
    log, seen = ProblemLog("me", lambda: now[0]), Acknowledgements()
    seen.ask()
    seen.taken += 1
    for now[0] in (0.0, 100.0):
        assert seen.find_forgotten(log) == [], "it works on its first message"
    seen.ask()
    assert seen.find_forgotten(log) == []
    now[0] = 102.0
    assert seen.find_forgotten(log) == [NeverAcknowledged(2.0, 1)]
    seen.has_acknowledged = True
    assert seen.find_forgotten(log) == []


def test_the_first_message_is_asked_about_once_if_it_is_not_acknowledged_soon() -> None:
    now = [0.0]
    seen = Acknowledgements(lambda: now[0])
    assert seen.count_slow() == 0
    take_all(seen, 4, 5)
    now[0] = 3.9
    assert seen.count_slow() == 0
    now[0] = 4.0
    assert [seen.count_slow(), seen.count_slow()] == [2, 0], "it may work for long"


def test_an_application_that_has_acknowledged_before_is_not_asked() -> None:
    now = [0.0]
    seen = Acknowledgements(lambda: now[0])
    take_all(seen, 4)
    seen.acknowledge(4)
    take_all(seen, 5)
    now[0] = 1_000.0
    assert seen.count_slow() == 0


def test_an_application_that_asks_for_more_is_told_in_other_words() -> None:
    now = [0.0]
    seen = Acknowledgements(lambda: now[0])
    take_all(seen, 4)
    seen.ask()
    now[0] = 1_000.0
    assert seen.count_slow() == 0, "it has acknowledged none, which is a problem"


def test_what_an_application_leaves_that_ends() -> None:
    assert Acknowledgements().find_left() == []
    assert Acknowledgements(taken=2).find_left() == [NeverAcknowledged(0.0, 2)]
    assert Acknowledgements(taken=2, has_acknowledged=True).find_left() == []
    seen = Acknowledgements(lambda: 0.0)
    take_all(seen, 1, 2)
    seen.acknowledge(2)
    assert seen.find_left() == [AcknowledgementMissing(0.0, 1, MessageId("a", 1))]
