"""What the pasts hold on to: the judge's memory is that of its processes and of the messages in flight."""

from antecede.judge.events import Event
from antecede.judge.pasts import Pasts
from antecede.judge.trace import arrange, walk
from tests.judge.script import script


def held(text: str) -> list[int]:
    """How many messages have their past held after each send and each first deliver."""
    (run,) = arrange(script(text))
    pasts = Pasts(run)
    return [tell(pasts, event) for event in walk(run) if event.kind == "send" or run.is_first(event)]


def tell(pasts: Pasts, event: Event) -> int:
    if event.kind == "send":
        pasts.record_send(event)
    else:
        pasts.record_deliver(event)
    return len(pasts._carried)


def test_a_past_is_held_from_the_send_to_the_last_first_deliver() -> None:
    assert held("a send m1 > b c \n b deliver m1 \n b deliver m1 \n c deliver m1") == [1, 1, 0]


def test_a_stray_copy_counts_among_the_delivers() -> None:
    assert held("a send m1 > b \n b deliver m1 \n c deliver m1") == [1, 1, 0]


def test_nothing_is_held_for_a_message_that_is_lost_everywhere() -> None:
    assert held("a send m1 > b \n a send m2 > b \n b deliver m2") == [0, 1, 0]
