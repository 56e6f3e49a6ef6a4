"""Executions on a communication graph, and the truth about them: explicit causal pasts, no clock at all.

An execution is a list of steps. `pasts` walks it once and keeps, for every process, the set of messages whose sending
it can know of, as bits of an integer; the past of a message is that of its sender just before the sending. This is
the definition of happened-before itself, and shares nothing with the clocks that are judged by it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from antecede.core.clocks.stamp import Order
from antecede.core.locality.graph import Graph, Link
from antecede.core.types import ProcessId
from tests.replay import Drawing


@dataclass(frozen=True, slots=True)
class Internal:
    process: ProcessId


@dataclass(frozen=True, slots=True)
class Send:
    message: int
    sender: ProcessId
    receiver: ProcessId


@dataclass(frozen=True, slots=True)
class Receive:
    message: int


Step: TypeAlias = Internal | Send | Receive


def pasts(steps: list[Step]) -> dict[int, int]:
    """For each message, as bits, all messages whose sending happened before its own."""
    known: dict[ProcessId, int] = {}
    past: dict[int, int] = {}
    receiver: dict[int, ProcessId] = {}
    for step in steps:
        if isinstance(step, Send):
            past[step.message] = known.get(step.sender, 0)
            known[step.sender] = past[step.message] | 1 << step.message
            receiver[step.message] = step.receiver
        elif isinstance(step, Receive):
            process = receiver[step.message]
            known[process] = known.get(process, 0) | past[step.message] | 1 << step.message
    return past


def event_pasts(steps: list[Step]) -> list[tuple[ProcessId, int]]:
    """For each step, whose event it is, and as bits all steps that happened before it."""
    known: dict[ProcessId, int] = {}
    sent: dict[int, tuple[ProcessId, int]] = {}
    events: list[tuple[ProcessId, int]] = []
    for number, step in enumerate(steps):
        if isinstance(step, Receive):
            process, before = sent[step.message]
        else:
            process, before = (step.sender if isinstance(step, Send) else step.process), 0
        past = known.get(process, 0) | before
        known[process] = past | 1 << number
        events.append((process, past))
        if isinstance(step, Send):
            sent[step.message] = (step.receiver, known[process])
    return events


def truth(past: dict[int, int], first: int, second: int) -> Order:
    if past[second] >> first & 1:
        return Order.BEFORE
    if past[first] >> second & 1:
        return Order.AFTER
    return Order.CONCURRENT


def script(text: str) -> list[Step]:
    """Steps in short: `m1: a>b` sends message 1, `m1` receives it, `a` is an internal event of a."""
    return [_step(part.strip()) for part in text.split(";")]


def _step(part: str) -> Step:
    if ":" in part:
        name, link = part.split(":")
        sender, receiver = link.split(">")
        return Send(int(name.strip()[1:]), sender.strip(), receiver.strip())
    return Receive(int(part[1:])) if part[0] == "m" and part[1:].isdigit() else Internal(part)


def random_execution(chance: random.Random, graph: Graph, messages: int, *, fifo: bool) -> list[Step]:
    """Sends and arrivals in random order; some links are slow, so that long ways round overtake them."""
    links = graph.links
    pace = {link: chance.choice([1.0, 1.0, 0.3, 0.03]) for link in links}
    eagerness = chance.uniform(0.3, 0.8)
    transit: dict[Link, list[int]] = {}
    steps: list[Step] = []
    sent = 0
    while sent < messages or transit:
        if sent < messages and (not transit or chance.random() > eagerness):
            link = chance.choice(links)
            transit.setdefault(link, []).append(sent)
            steps.append(Send(sent, *link))
            sent += 1
        else:
            link = chance.choices(list(transit), [pace[link] for link in transit])[0]
            waiting = transit[link]
            steps.append(Receive(waiting.pop(0 if fifo else chance.randrange(len(waiting)))))
            if not waiting:
                del transit[link]
        if chance.random() < 0.05:
            steps.append(Internal(chance.choice(graph.processes)))
    draw_steps(steps)
    return steps


def draw_steps(steps: list[Step]) -> Drawing:
    """Return a drawing of an execution."""
    drawing, receivers = Drawing(), dict[int, ProcessId]()
    for step in steps:
        if isinstance(step, Send):
            receivers[step.message] = step.receiver
            process = step.sender
        else:
            process = receivers[step.message] if isinstance(step, Receive) else step.process
        drawing.add(process, describe_step(step))
    return drawing


def describe_step(step: Step) -> str:
    """Return what its process does in a step, in words."""
    if isinstance(step, Send):
        return f"send {step.message} to {step.receiver}"
    return f"receive {step.message}" if isinstance(step, Receive) else "internal"


def arrivals(steps: list[Step]) -> Iterator[tuple[ProcessId, int]]:
    """Who gets which message, in the order of the execution."""
    receiver = {step.message: step.receiver for step in steps if isinstance(step, Send)}
    return ((receiver[step.message], step.message) for step in steps if isinstance(step, Receive))
