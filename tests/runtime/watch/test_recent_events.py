"""An event is a problem until it has not happened for a while, and again if it happens again."""

from antecede.runtime.watch.recent_events import RecentEvents


def test_an_event_is_recent_until_it_has_not_happened_for_a_while() -> None:
    now = [0.0]
    events = RecentEvents[str](lambda: now[0], 600.0)
    assert events.find_ages({}) == {}
    found = []
    for now[0], counts in (
        (100.0, {"a": 1}),
        (699.0, {"a": 1}),
        (699.5, {"a": 2, "b": 1}),
        (1_299.0, {"a": 2, "b": 1}),
        (1_300.0, {"a": 2, "b": 1}),
        (2_000.0, {"a": 3, "b": 1}),
        (2_001.0, {"b": 1}),
    ):
        found.append(events.find_ages(counts))
    assert found == [{"a": 0.0}, {"a": 599.0}, {"a": 599.5, "b": 0.0}, {"a": 1_199.0, "b": 599.5}, {}, {"a": 0.0}, {}]
