"""An application that forgets `ack` is told; one that works on a message for long is not."""

from antecede.runtime.watch.acknowledgements import Acknowledgements
from antecede.runtime.watch.problems import NeverAcknowledged, ProblemLog


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


def test_what_an_application_leaves_that_ends() -> None:
    assert Acknowledgements().find_left() == []
    assert Acknowledgements(taken=2).find_left() == [NeverAcknowledged(0.0, 2)]
    assert Acknowledgements(taken=2, has_acknowledged=True).find_left() == []
