"""Random executions for the errata: no loss, no duplicates, nothing but delay, so that a failure is the form's own.

Everything is decided by the seed. Ours and the printed form are given the same seeds; while they put the same packets
on the same channels, they live through the same execution.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.errata.erratum import Failures, Frequency
from tests.errata.forms import Form, Groups
from tests.errata.stage import Stage

SEEDS = range(300)
STEPS_MAX = 20_000
"""The limit on the steps of an execution, which usually has some hundreds. Beyond it, an execution does not end."""


class Endless(Exception):
    """An execution that does not come to an end."""


def no_groups(chance: random.Random, names: list[str]) -> Groups:
    return {}


def everyone(chance: random.Random, names: list[str]) -> Groups:
    return {"all": names}


@dataclass(frozen=True)
class Traffic:
    """Processes that send a few messages to others, or to one of their groups, over channels that may reorder.

    With `own`, a sender is as likely a destination as anybody else. With `unicast` there is one destination, with
    `broadcast` all others.
    """

    fifo: bool = False
    processes_min: int = 3
    processes_max: int = 5
    sends_max: int = 12
    own: bool = False
    unicast: bool = False
    broadcast: bool = False
    groups: Callable[[random.Random, list[str]], Groups] = no_groups

    def __str__(self) -> str:
        channels = "FIFO channels" if self.fifo else "channels that reorder"
        sizes = dict.fromkeys([self.processes_min, self.processes_max])
        return f"{' to '.join(map(str, sizes))} processes, 2 to {self.sends_max} messages, {channels}"

    def start(self, form: Form, chance: random.Random, knowing: bool) -> Stage:
        names = [f"P{number}" for number in range(1, chance.randint(self.processes_min, self.processes_max) + 1)]
        return Stage(form, names, self.groups(chance, names), knowing)

    def dests(self, chance: random.Random, stage: Stage, sender: str) -> str | set[str]:
        if stage.groups:
            group = chance.choice(sorted(name for name, members in stage.groups.items() if sender in members))
            return group if stage.form.by_group else set(stage.groups[group])
        others = [name for name in stage.names if self.own or name != sender]
        count = 1 if self.unicast else len(others) if self.broadcast else chance.randint(1, len(others))
        return set(chance.sample(others, count))


def execution(form: Form, traffic: Traffic, seed: int, watch: Callable[[Stage, str], None] | None = None) -> Stage:
    """Run one to the end; `watch` is called with the label of each message as soon as it was sent.

    Raise `Endless` if it has more than `STEPS_MAX` steps.
    """
    chance = random.Random(f"errata {seed}")
    stage = traffic.start(form, chance, knowing=watch is not None)
    sends = chance.randint(2, traffic.sends_max)
    sent = 0
    for _ in range(STEPS_MAX):
        if sent >= sends and not stage.links:
            return stage
        if sent < sends and (not stage.links or chance.random() < 0.4):
            sent += 1
            sender = chance.choice(stage.names)
            stage.send(sender, f"m{sent}", traffic.dests(chance, stage, sender))
            if watch is not None:
                watch(stage, f"m{sent}")
        else:
            link = chance.choice(sorted(stage.links))
            stage.arrive(*link, 0 if traffic.fifo else chance.randrange(len(stage.links[link])))
    raise Endless(f"{form.name}, seed {seed}: more than {STEPS_MAX} steps")


def failures(form: Form, traffic: Traffic, seeds: Iterable[int] = SEEDS) -> Failures:
    """Count the executions that deliver something before a predecessor, that never deliver something, and that do not
    end. One that does not end has no other failure.
    """
    order = lost = endless = 0
    for seed in seeds:
        try:
            stage = execution(form, traffic, seed)
        except Endless:
            endless += 1
            continue
        order += stage.oracle.violations > 0
        lost += bool(stage.oracle.lost())
    return Failures(order, lost, endless)


def frequency(printed: Form, ours: Form, traffic: Traffic) -> Frequency:
    return told_of(len(SEEDS), f"executions ({traffic})", failures(printed, traffic), failures(ours, traffic))


def told_of(total: int, what: str, printed: Failures, ours: Failures) -> Frequency:
    """Return what a search for broken order, lost messages and executions without end has found, in words too."""
    said = f"Of {total} random {what}, {in_words(printed)} as printed, and {in_words(ours)} with ours."
    return Frequency(total, printed, ours, said)


def in_words(found: Failures) -> str:
    return f"{found.order} break causal order, {found.lost} lose a message and {found.endless} do not end"


def counted(total: int, printed: Failures, ours: Failures, traffic: Traffic, fail: str) -> Frequency:
    """Return what a search for every way to fail has found. `fail` names the fourth, and the words are about it."""
    told = f"Of {total} random executions ({traffic}), {printed.other} as printed and {ours.other} of ours {fail}."
    return Frequency(total, printed, ours, told, ("order", "lost", "endless", "other"))


def found_otherwise(total: int, printed: int, ours: int | None, told: str) -> Frequency:
    """Return what a search for a fourth way to fail has found."""
    mended = None if ours is None else Failures(other=ours)
    return Frequency(total, Failures(other=printed), mended, told, ("other",))
