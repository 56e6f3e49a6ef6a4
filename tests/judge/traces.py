"""Random traces of three sorts: rows thrown together, executions as a faulty network would record them, and such
executions with their record spoiled. The first is drawn by Hypothesis field by field; the others come from a
seed, which a failing test prints, since drawn step by step they would nearly all be too tame to show anything.
"""

from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from antecede.judge.events import Event
from tests.replay import Drawing, describe_event

PROCESSES = ["a", "b", "c", "d", "e"]
KINDS = ["send", "send", "deliver", "deliver", "deliver", "receive", "internal", "move"]
FATES = ["delivered"] * 8 + ["arrives", "twice", "astray", "lost"]


def _row(run: str, process: str, index: int, kind: str, *, message: str, dests: list[str]) -> Event:
    with_message = kind in ("send", "receive", "deliver")
    sent_to = tuple(dests) if kind == "send" else None
    return Event(run, process, index, kind, message=message if with_message else None, dests=sent_to)


@st.composite
def _scattered(draw: st.DrawFn) -> list[Event]:
    kinds = draw(st.sampled_from([KINDS, ["send", "deliver"], ["send", "receive"], ["internal", "deliver"]]))
    row = st.builds(
        _row,
        run=st.sampled_from(["", "", "", "r"]),
        process=st.sampled_from(PROCESSES),
        index=st.integers(0, 8),
        kind=st.sampled_from(kinds),
        message=st.sampled_from(["m1", "m2", "m3", "m4", "m5"]),
        dests=st.lists(st.sampled_from(PROCESSES), max_size=4),
    )
    return draw(st.lists(row, max_size=24))


def _execute(seed: int, steps: int) -> list[Event]:
    """Sends to some, each copy delivered late, twice, at the wrong process, or never; rows in any order."""
    random = Random(seed)
    processes = PROCESSES[: random.randint(2, 5)]
    kind = random.choice(["deliver", "deliver", "receive"])
    own = dict.fromkeys(processes, 0)
    events: list[Event] = []
    flying: list[tuple[str, str]] = []

    def record(process: str, kind: str, message: str, dests: list[str]) -> None:
        events.append(_row("", process, own[process], kind, message=message, dests=dests))
        own[process] += random.randint(1, 2)

    process = processes[0]  # a message is often sent by whoever has just got one: so chains grow
    for step in range(steps):
        if flying and random.random() < 0.55:
            newest_first = random.random() < 0.5
            message, process = flying.pop(-1 if newest_first else random.randrange(len(flying)))
            fate = random.choice(FATES)
            if fate in ("twice", "arrives"):
                flying.insert(0, (message, process))
            if fate == "astray":
                process = random.choice(processes)
            if fate != "lost":
                record(process, "receive" if fate == "arrives" else kind, message, [])
        else:
            dests = random.choices(processes, k=random.choice([1, 1, 2, 3]))
            process = random.choice([process, random.choice(processes)])
            record(process, "send", f"m{step}", dests)
            flying.extend((f"m{step}", dest) for dest in sorted(set(dests)))
    Drawing(map(describe_event, events))
    return random.sample(events, len(events)) if random.random() < 0.5 else events


def _spoil(events: list[Event], seed: int) -> list[Event]:
    """Positions, ids and runs changed here and there: cycles, rows that contradict each other, runs that mix."""
    random = Random(seed)
    return [_spoiled(event, random.choice(events), random.random()) for event in events]


def _spoiled(event: Event, other: Event, chance: float) -> Event:
    if chance < 0.15:
        return replace(event, index=other.index)
    if chance < 0.2 and event.kind == other.kind:
        return replace(event, message=other.message)
    return replace(event, run="r") if chance < 0.25 else event


_seeds = st.integers(0, 2**32 - 1)
scattered = _scattered()
executions = st.builds(_execute, seed=_seeds, steps=st.integers(16, 56))
spoiled = st.builds(_spoil, executions, seed=_seeds)
traces = st.one_of(scattered, executions, spoiled)
