"""Kshemkalyani, Singhal: "Necessary and sufficient conditions on information for causal message ordering and their
optimal implementation" (002).

Figures 1 and 2, and what §1 says of arrivals and senders. Our copy of the paper has what the text says of the figures
and not the drawings. These are executions of which it is true.
"""

from __future__ import annotations

from random import Random

import pytest

from antecede import Deliver, Effect, Message, MessageId, Sent
from antecede.judge.events import Event
from antecede.judge.judge import judge
from antecede.judge.orders import judge_orders
from antecede.judge.trace import arrange
from tests.papers.ks_events import Played, dots_of
from tests.stage import Stage, improvise


class Recorder:
    """A witness that writes down the sends and deliveries of a stage as events of a trace."""

    def __init__(self, stage: Stage) -> None:
        self.events: list[Event] = []
        stage.witnesses.append(self.observe)

    def observe(self, process: str, effect: Effect) -> None:
        if isinstance(effect, Sent | Deliver):
            kind, dests = (
                ("send", tuple(sorted(effect.message.dests))) if isinstance(effect, Sent) else ("deliver", None)
            )
            name = str(effect.message.id)
            self.events.append(Event("run", process, len(self.events), kind, message=name, dests=dests))


def figure_1(algorithm: str) -> tuple[list[Event], dict[str, Message], Stage]:
    """P1 sends M1 to P3, and M2 to P2, which then sends M3 to P3. P4 sends M4 to P3. M1 arrives there last."""
    stage = Stage(algorithm, ["P1", "P2", "P3", "P4"])
    recorder = Recorder(stage)
    m = {"M1": stage.send("P1", {"P3"}), "M2": stage.send("P1", {"P2"})}
    stage.arrive(m["M2"], "P2")
    m["M3"], m["M4"] = stage.send("P2", {"P3"}), stage.send("P4", {"P3"})
    for name in ("M4", "M3", "M1"):
        stage.arrive(m[name], "P3")
    return recorder.events, m, stage


def test_1_figure_1_M3_violates_causal_ordering_and_M4_does_not() -> None:
    events, m, _ = figure_1("none")
    (found,) = judge(events).found
    assert (found.message, found.overtaken) == (str(m["M3"].id), (str(m["M1"].id),))


def test_1_figure_1_ks_holds_M3_back_and_not_M4() -> None:
    events, m, stage = figure_1("ks")
    assert judge(events).violations == 0
    assert stage.delivered["P3"] == [m["M4"].id, m["M1"].id, m["M3"].id]


def paradigms(events: list[Event]) -> list[bool]:
    """Return whether an execution is synchronous, causal and FIFO."""
    (run,) = arrange(events)
    found = judge_orders(run)
    return [found[order].verdict == "holds" for order in ("synchronous", "causal", "fifo")]


def test_1_figure_1_is_FIFO_and_not_causal() -> None:
    events, _, _ = figure_1("none")
    assert paradigms(events) == [False, False, True]


def test_1_causal_order_does_not_make_messages_synchronous() -> None:
    """Two messages that cross: each is sent before the other is delivered."""
    stage = Stage("ks", ["P1", "P2"])
    recorder = Recorder(stage)
    first, second = stage.send("P1", {"P2"}), stage.send("P2", {"P1"})
    stage.arrive(first, "P2")
    stage.arrive(second, "P1")
    assert paradigms(recorder.events) == [False, True, True]


@pytest.mark.parametrize("algorithm", ["none", "ks", "mf"])
def test_1_synchronous_is_causal_is_FIFO_and_not_the_other_way_round(algorithm: str) -> None:
    """Unicasts, of which few are in flight at once, so that all of the paradigms occur."""
    kinds: set[tuple[bool, ...]] = set()
    for seed in range(200):
        stage, random = Stage(algorithm, ["a", "b", "c"]), Random(f"paradigms {seed}")
        recorder = Recorder(stage)
        for _ in range(random.randint(2, 7)):
            sender = random.choice(stage.names)
            stage.send(sender, {random.choice([name for name in stage.names if name != sender])})
            while stage.flying and random.random() < 0.6:
                stage.bring(random.choice(stage.flying))
        improvise(stage, random, sends=0, duplicates=0.0)
        kinds.add(tuple(paradigms(recorder.events)))
    everything = {(True, True, True), (False, True, True), (False, False, True), (False, False, False)}
    assert kinds == (everything if algorithm == "none" else {(True, True, True), (False, True, True)})


def figure_2() -> tuple[Played, dict[str, MessageId], MessageId]:
    """i sends M to j, k and d. The unshaded circles are sends to d, of j and of k; the rectangle is d's delivery of M.

    e1 is a send of i, and e2 one of l, which has heard of M from i alone. e3, e4 and e6 follow the rectangle; e4 to e8
    follow a circle, of which e4 and e6 follow both.
    """
    played = Played(Stage("ks", ["i", "j", "k", "l", "d", "x", "y"]))
    m = played.send("i", {"j", "k", "d"})
    e1 = played.send("i", {"l"})
    played.deliver(e1, "l")
    e2 = played.send("l", {"x"})
    played.deliver(m, "j")
    circle_of_j = played.send("j", {"d", "y"})
    e5 = played.send("j", {"x"})
    played.deliver(m, "k")
    played.send("k", {"d"})
    e7 = played.send("k", {"x"})
    played.deliver(circle_of_j, "y")
    e8 = played.send("y", {"x"})
    played.deliver(m, "d")
    e3 = played.send("d", {"x"})
    played.deliver(e3, "x")
    played.deliver(e5, "x")
    e4 = played.send("x", {"l"})
    played.deliver(circle_of_j, "d")
    e6 = played.send("d", {"l"})
    named = {"e1": e1, "e2": e2, "e3": e3, "e4": e4, "e5": e5, "e6": e6, "e7": e7, "e8": e8}
    return played, {name: message.id for name, message in named.items()}, m.id


@pytest.mark.parametrize("name", ["e1", "e2"])
def test_3_4_figure_2_who_follows_neither_the_delivery_nor_a_send_to_d_has_to_know(name: str) -> None:
    played, events, m = figure_2()
    (to,) = played.execution.messages[events[name]].dests
    assert (*m, "d") in dots_of(played.packet(events[name], to), to)


@pytest.mark.parametrize("name", ["e3", "e4", "e5", "e6", "e7", "e8"])
def test_3_4_figure_2_who_follows_one_of_them_must_not(name: str) -> None:
    played, events, m = figure_2()
    (to,) = played.execution.messages[events[name]].dests
    assert (*m, "d") not in dots_of(played.packet(events[name], to), to)
    after = next(event for event in played.events if event.is_send and event.message.id == events[name])
    assert (*m, "d") not in after.after.log


def test_3_4_figure_2_e3_e4_e6_follow_the_delivery_and_e4_to_e8_a_send_to_d() -> None:
    """That this execution is one of the text."""
    played, events, m = figure_2()
    before = {name: played.execution.before[message] for name, message in events.items()}
    delivery = played.execution.deliveries[m, "d"]
    circles = [one for one, message in played.execution.messages.items() if "d" in message.dests and one != m]
    sends_to_d = sum(played.execution.sends[one] for one in circles)
    assert [name for name in sorted(before) if before[name] & delivery] == ["e3", "e4", "e6"]
    assert [name for name in sorted(before) if before[name] & sends_to_d] == ["e4", "e5", "e6", "e7", "e8"]


@pytest.mark.parametrize("algorithm", ["ks", "prs", "rst", "ses"])
def test_1_an_arrival_is_not_a_delivery_and_a_sender_waits_for_neither(algorithm: str) -> None:
    """1 sends three messages of which none has arrived; 3 holds one back, and sends before and after it delivers it."""
    stage = Stage(algorithm, ["1", "2", "3"])
    first, second, third = stage.send("1", {"3"}), stage.send("1", {"3"}), stage.send("1", {"2"})
    assert [(flight.to, flight.packet.message) for flight in stage.flying] == [
        ("3", first),
        ("3", second),
        ("2", third),
    ]
    stage.arrive(third, "2")
    reply = stage.send("2", {"3"})
    assert stage.arrive(reply, "3") == []
    assert len(stage.held("3")) == 1
    own = stage.send("3", {"1"})
    assert stage.arrive(own, "1") == [own.id], "it was sent at once, and what is held back does not precede it"
    assert stage.arrive(first, "3") == [first.id]
    assert stage.arrive(second, "3") == [second.id, reply.id]
