"""What vector clocks show of receives, held against the naive judge, which knows the messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pyarrow as pa
import pytest

from antecede.judge.events import Event
from antecede.judge.judge import judge
from antecede.pipeline import schema
from antecede.pipeline.kernel.clock_receives import ClockVerdict, describe_late, judge_receives

Row = tuple[str, int, str, dict[str, int]]
"""Host, own entry, kind and clock."""


@dataclass
class World:
    """Hosts that send, receive and think at random. Messages overtake each other, get lost and come twice."""

    random: Random
    hosts: list[str]
    ticks_at_send: bool = True
    logs_sends: bool = True
    rows: list[Row] = field(default_factory=list)
    truth: list[Event] = field(default_factory=list)  # the same events, with message ids
    receives: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)  # by true position: the one logged
    clocks: dict[str, dict[str, int]] = field(default_factory=dict)
    flying: list[tuple[str, str, dict[str, int]]] = field(default_factory=list)

    def run(self, steps: int, *, lost: float, repeated: float) -> World:
        for _ in range(steps):
            host = self.random.choice(self.hosts)
            mine = [one for one in self.flying if one[1] == host]
            act = self.random.random()
            if act < 0.15:
                self._tick(host)
                self._log(host, "internal")
            elif act < 0.55 or not mine:
                self._send(host, lost)
            else:
                self._receive(host, self.random.choice(mine), repeated)
        return self

    def _clock(self, host: str) -> dict[str, int]:
        return self.clocks.setdefault(host, {})

    def _tick(self, host: str) -> None:
        self._clock(host)[host] = self._clock(host).get(host, 0) + 1

    def _log(self, host: str, kind: str) -> None:
        self.rows.append((host, self._clock(host).get(host, 0), kind, dict(self._clock(host))))

    def _happen(self, host: str, kind: str, message: str, dests: tuple[str, ...] | None = None) -> int:
        index = sum(event.process == host for event in self.truth)
        self.truth.append(Event("r", host, index, kind, message=message, dests=dests))
        return index

    def _send(self, host: str, lost: float) -> None:
        if self.ticks_at_send:
            self._tick(host)
        others = [other for other in self.hosts if other != host]
        dests = tuple(self.random.sample(others, self.random.randint(1, len(others))))
        message = f"m{len(self.truth)}"
        if self.logs_sends:
            self._log(host, "send")
        self._happen(host, "send", message, dests)
        self.flying += [(message, to, dict(self._clock(host))) for to in dests if self.random.random() >= lost]

    def _receive(self, host: str, copy: tuple[str, str, dict[str, int]], repeated: float) -> None:
        message, _, stamp = copy
        if self.random.random() >= repeated:
            self.flying.remove(copy)
        clock = self._clock(host)
        clock |= {one: max(clock.get(one, 0), value) for one, value in stamp.items()}
        self._tick(host)
        self._log(host, "receive")
        self.receives[host, self._happen(host, "receive", message)] = (host, clock[host])

    def overtaken_or_repeated(self) -> set[tuple[str, int]]:
        """The receives that are late, by the naive judge and by counting."""
        found = judge(self.truth, listed_max=100_000).found
        overtaken = {(message, one.process) for one in found for message in one.overtaken}
        late, seen = set(), set()
        for event in self.truth:
            if event.kind == "receive":
                key = (str(event.message), event.process)
                if key in seen or key in overtaken:
                    late.add(self.receives[event.process, event.index])
                seen.add(key)
        return late


def table(rows: list[Row], run: str = "r") -> pa.Table:
    return pa.Table.from_pylist(
        [
            {"run": run, "process": host, "index": index, "kind": kind, "clock": list(clock.items())}
            for host, index, kind, clock in rows
        ],
        schema.CLOCK_EVENTS,
    )


def judge_one(rows: list[Row]) -> tuple[ClockVerdict, list[dict[str, object]]]:
    judged = judge_receives(table(rows))
    (verdict,) = judged.runs
    return verdict, judged.late.to_pylist()


def world(seed: int, *, ticks_at_send: bool = True, logs_sends: bool = True) -> World:
    random = Random(seed)
    hosts = ["a", "b", "c", "d", "e"][: random.randint(2, 5)]
    lost, repeated = (random.choice([0.0, 0.0, 0.2]) for _ in range(2))
    one = World(random, hosts, ticks_at_send, logs_sends)
    return one.run(random.randint(3, 60), lost=lost, repeated=repeated)


@pytest.mark.parametrize("first", range(0, 1_000, 100))
def test_late_receives_are_those_that_the_judge_calls_overtaken_and_repetitions(first: int) -> None:
    seen = set()
    for seed in range(first, first + 100):
        one = world(seed)
        expected = one.overtaken_or_repeated()
        Random(seed).shuffle(one.rows)
        marked = one.rows if seed % 2 else [(h, i, "receive" if k == "receive" else "x", c) for h, i, k, c in one.rows]
        verdict, late = judge_one(marked)
        if not one.receives:
            assert verdict.reason == "no event is marked as a receive"
            continue
        assert verdict.reason is None, (seed, verdict)
        assert {(row["process"], row["index"]) for row in late} == expected, seed
        assert verdict.verdict == ("violated" if expected else "holds")
        assert (verdict.receives, verdict.late) == (len(one.receives), len(expected))
        seen.add(verdict.verdict)
        check_witnesses(one, late)
    assert seen == {"violated", "holds"}


def check_witnesses(one: World, late: list[dict[str, object]]) -> None:
    """What a witness says is in the log: an earlier receive of the host, whose clock has that event of that sender."""
    logged = {(host, index): (kind, clock) for host, index, kind, clock in one.rows}
    for row in late:
        assert int(str(row["known_by"])) < int(str(row["index"]))
        kind, clock = logged[str(row["process"]), int(str(row["known_by"]))]
        assert kind == "receive"
        assert clock[str(row["sender"])] == row["known_index"]
        assert row["sender"] != row["process"]
        own = logged[str(row["process"]), int(str(row["index"]))][1]
        assert row["senders"] == len(own) - 1


def test_sends_without_a_tick_never_make_a_violated_run_hold() -> None:
    undecided = 0
    for seed in range(500):
        one = world(seed, ticks_at_send=False, logs_sends=False)
        if not one.receives:
            continue
        verdict, late = judge_one(one.rows)
        undecided += verdict.verdict == "undecidable"
        if verdict.verdict != "undecidable":
            assert one.overtaken_or_repeated() <= {(row["process"], row["index"]) for row in late}
    assert undecided > 300


def test_sends_that_are_logged_without_a_tick_are_noticed() -> None:
    for seed in range(200):
        one = world(seed, ticks_at_send=False)
        assert any(kind == "send" for _, _, kind, _ in one.rows)
        assert judge_one(one.rows)[0].verdict == "undecidable", seed


def test_no_change_of_an_entry_makes_it_fail_and_most_are_noticed() -> None:
    noticed = 0
    for seed in range(500):
        random, one = Random(seed), world(seed)
        at = random.randrange(len(one.rows))
        host, index, kind, clock = one.rows[at]
        changed = {**clock, random.choice(one.hosts): random.randint(0, 9)}
        one.rows[at] = (host, index, kind, changed)
        verdict, _ = judge_one(one.rows)
        noticed += verdict.verdict == "undecidable" or changed == clock
    assert noticed > 400


OVERTAKEN: list[Row] = [
    ("a", 1, "send", {"a": 1}),
    ("a", 2, "send", {"a": 2}),
    ("c", 1, "receive", {"a": 2, "c": 1}),
    ("c", 2, "send", {"a": 2, "c": 2}),
    ("b", 1, "receive", {"a": 2, "c": 2, "b": 1}),
    ("b", 2, "receive", {"a": 2, "c": 2, "b": 2}),
]


def test_a_late_receive_has_a_witness_in_words() -> None:
    verdict, (late,) = judge_one(OVERTAKEN)
    assert verdict == ClockVerdict("r", "violated", 3, 1, witness=describe_late(late))
    assert describe_late(late) == (
        "the receive at 2 of b raises no entry of its clock: b knew event 2 of c already, from its receive at 1 (the "
        "message is from c or from another of the 2 hosts in the clock); so the message was overtaken, or it was "
        "received before"
    )


def test_runs_are_judged_apart() -> None:
    late = table(OVERTAKEN, "late")
    fine, silent = table(OVERTAKEN[:5], "fine"), table(OVERTAKEN[:2], "silent")
    broken = table(OVERTAKEN[1:], "broken")
    judged = judge_receives(pa.concat_tables([silent, late, fine, broken]))
    assert [(one.run, one.verdict) for one in judged.runs] == [
        ("broken", "undecidable"),
        ("fine", "holds"),
        ("late", "violated"),
        ("silent", "undecidable"),
    ]
    assert judged.late["run"].to_pylist() == ["late"]
    assert judge_receives(schema.CLOCK_EVENTS.empty_table()).runs == ()


def replaced(at: int, row: Row) -> list[Row]:
    return [*OVERTAKEN[:at], row, *OVERTAKEN[at + 1 :]]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (OVERTAKEN[1:], "the clock of a steps from 0 to 2"),
        ([*OVERTAKEN, OVERTAKEN[1]], "the clock of a steps from 2 to 2"),
        ([*OVERTAKEN, ("b", 4, "internal", {"a": 2, "c": 2, "b": 4})], "the clock of b steps from 2 to 4"),
        (replaced(1, ("a", 2, "send", {"a": 1})), "the clock of event 2 of a has 1 for its own host"),
        (replaced(1, ("a", 2, "send", {})), "the clock of event 2 of a has 0 for its own host"),
        (replaced(5, ("b", 2, "receive", {"a": 1, "c": 2, "b": 2})), "the entry of a goes back after event 1 of b"),
        (replaced(5, ("b", 2, "receive", {"c": 2, "b": 2})), "the entry of a goes back after event 1 of b"),
        (
            replaced(5, ("b", 2, "receive", {"a": 3, "c": 2, "b": 2})),
            "the clock of event 2 of b has 3 for a, which logged 2 events",
        ),
        (
            replaced(5, ("b", 2, "receive", {"a": 2, "c": 2, "b": 2, "z": 1})),
            "the clock of event 2 of b has 1 for z, which logged 0 events",
        ),
        (
            replaced(2, ("c", 1, "internal", {"a": 2, "c": 1})),
            "event 1 of c raises an entry of another host and is not",
        ),
        (
            [*OVERTAKEN, ("d", 1, "receive", {"d": 1})],
            "the clock of event 1 of d, a receive, has no entry of another host",
        ),
        (
            [*OVERTAKEN, ("d", 1, "send", {"d": 1}), ("e", 1, "receive", {"a": 1, "d": 1, "e": 1})],
            "event 1 of e merges the clocks of several messages",
        ),
        (
            [*OVERTAKEN[:4], ("b", 1, "receive", {"c": 2, "b": 1})],
            "the clock of event 1 of b lacks what event 2 of c knew of a",
        ),
        (
            [("a", 1, "send", {"a": 1, "b": 1}), ("b", 1, "receive", {"a": 1, "b": 1})],
            "event 1 of a raises an entry of another host",
        ),
        (
            [("a", 1, "receive", {"a": 1, "b": 1}), ("b", 1, "receive", {"a": 1, "b": 1})],
            "the clock of event 1 of a lacks what event 1 of b knew of a",
        ),
        (
            [*OVERTAKEN[:3], ("b", 1, "receive", {"a": 2, "c": 1, "b": 1})],
            "the message of event 1 of b carries the clock of event 1 of c, which is not a send",
        ),
        (
            [("a", 1, "internal", {"a": 1}), ("b", 1, "receive", {"a": 1, "b": 1}), ("c", 1, "send", {"c": 1})],
            "the message of event 1 of b carries the clock of event 1 of a, which is not a send",
        ),
    ],
)
def test_clocks_that_contradict_what_is_assumed_make_a_run_undecidable(rows: list[Row], reason: str) -> None:
    verdict, late = judge_one(rows)
    assert str(verdict.reason).startswith(reason)
    assert (verdict.verdict, late) == ("undecidable", [])
