"""Whether a hold-back was needed, on runs that show each case."""

from antecede.judge.events import Event
from antecede.judge.trace import arrange
from antecede.pipeline.tables.hold_back import hold_backs


def event(process: str, index: int, kind: str, message: str, *dests: str) -> Event:
    return Event("", process, index, kind, message=message, dests=dests if kind == "send" else None)


def test_a_hold_back_is_needless_unless_a_cause_is_missing_at_the_receive() -> None:
    (run,) = arrange(
        [
            event("a", 0, "send", "m1", "b"),
            event("a", 1, "send", "m2", "b"),
            event("c", 0, "send", "m3", "b"),
            event("b", 0, "receive", "m2"),  # m1 is missing: needed
            event("b", 1, "receive", "m3"),  # nothing before it: needless
            event("b", 2, "receive", "m1"),
            event("b", 3, "deliver", "m1"),
            event("b", 4, "deliver", "m2"),
            event("b", 5, "deliver", "m3"),
        ]
    )
    assert {event.message: free for event, free in hold_backs(run)} == {"m1": True, "m2": False, "m3": True}


def test_a_cause_that_is_lost_is_still_missing() -> None:
    sends = [event("a", number, "send", f"m{number}", "b") for number in range(2)]
    got = [event("b", number, kind, "m1") for number, kind in enumerate(("receive", "deliver"))]
    (run,) = arrange([*sends, *got])
    assert [free for _, free in hold_backs(run)] == [False]


def test_in_a_run_without_delivers_nothing_is_held_back() -> None:
    (run,) = arrange([event("a", 0, "send", "m", "b"), event("b", 0, "receive", "m")])
    assert list(hold_backs(run)) == []
