"""Traces as a reader would write them down: one event a line, `process kind message > destinations`.

The index of an event is its place among the lines of its process, unless `@n` gives it. `run/process` puts an event in
a run; without it the run is "". An empty list of destinations is a bare `>`.
"""

from collections import Counter

from antecede.judge.events import Event

TRIANGLE = """
    a send m1 > b
    a send m2 > c
    c deliver m2
    c send m3 > b
    b deliver m3
    b deliver m1
"""


def script(text: str) -> list[Event]:
    places: Counter[tuple[str, str]] = Counter()
    events = []
    for line in filter(None, map(str.strip, text.splitlines())):
        left, _, right = line.partition(">")
        where, kind, *rest = left.split()
        run, _, process = where.rpartition("/")
        index = next((int(word[1:]) for word in rest if word.startswith("@")), places[run, process])
        message = next((word for word in rest if not word.startswith("@")), None)
        dests = tuple(right.split()) if kind == "send" else None
        events.append(Event(run, process, index, kind, message=message, dests=dests))
        places[run, process] = index + 1
    return events
