"""A stage: the parties of one form, a network that does as it is told, and an oracle that watches.

`perform` runs a script. Its sentences are the ones a reader reads in the errata, and there are four of them:

    i sends M1 to j, x          a multicast; or "to g1", "to all", where that is the name of a group
    M1 arrives at j             the packet with M1 reaches j, whatever was sent to j before it
    P3 hears P2                 everything in flight from P2 to P3 arrives, in the order it was sent
    the rest arrives            everything in flight, and what is sent in answer, channel by channel, in order

`Stage.progress` is what each arrival delivered, `Stage.first_packets` what each process sent first. `Stage.columns` is
what each step did, and `diagram` draws it: a line for each process, time to the right. A member of a group delivers its
own messages as it sends them; that is not drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from antecede import Deliver, Effect, Packet, Sent, Transmit
from tests.errata.constraints import Knowledge
from tests.errata.forms import Form, Groups
from tests.oracle import Oracle
from tests.replay import Drawing

SENDS = re.compile(r"(\w+) sends (\w+) to ([\w, ]+)$")
ARRIVES = re.compile(r"(\w+) arrives at (\w+)$")
HEARS = re.compile(r"(\w+) hears (\w+)$")
REST = "the rest arrives"
SENT, HELD, DELIVERED, CONTROL = ">", ".", "*", "~"


@dataclass
class Stage:
    """One execution of `form`. Messages are named by their payload. `knowing` keeps what `constraints` needs."""

    form: Form
    names: Sequence[str]
    groups: Groups = field(default_factory=dict)
    knowing: bool = True

    def __post_init__(self) -> None:
        self.parties = self.form.make(self.names, self.groups)
        self.oracle, self.knowledge, self.drawing = Oracle(), Knowledge(), Drawing()
        self.links: dict[tuple[str, str], list[Packet]] = {}
        self.orders: dict[str, list[str]] = {name: [] for name in self.names}
        self.packets: dict[tuple[str, str], Packet] = {}
        self.first_packets: dict[str, Packet] = {}
        self.columns: list[dict[str, str]] = []
        self.progress: list[frozenset[str]] = []

    def send(self, sender: str, label: str, dests: str | Iterable[str]) -> None:
        effects = self.parties[sender].send(dests, label.encode())
        self._mark(sender, label, SENT)
        self._carry_out(sender, effects)

    def arrive(self, sender: str, to: str, at: int = 0) -> None:
        """Packet number `at` of those in flight from `sender` to `to`."""
        queue = self.links[sender, to]
        packet = queue.pop(at)
        if not queue:
            del self.links[sender, to]
        self.drawing.add_arrival(to, packet)
        effects = self.parties[to].receive(packet)
        delivered = frozenset(effect.message.payload.decode() for effect in effects if isinstance(effect, Deliver))
        self.progress.append(delivered)
        if packet.message is None:
            self._mark(to, "", CONTROL)
        elif packet.message.payload.decode() not in delivered:
            self._mark(to, packet.message.payload.decode(), HELD)
        self._carry_out(to, effects)

    def settle(self) -> None:
        while self.links:
            for sender, to in sorted(self.links):
                for _ in range(len(self.links[sender, to])):
                    self.arrive(sender, to)

    def order(self, process: str) -> str:
        """What `process` delivered, in order, and what it never will."""
        lost = [self._label(message) for message, dest in self.oracle.lost() if dest == process]
        return ", ".join(self.orders[process] + [f"{label} never" for label in lost])

    @property
    def broken(self) -> bool:
        return bool(self.oracle.violations or self.oracle.lost())

    def _label(self, message: object) -> str:
        return next(m.payload.decode() for m in self.oracle.messages.values() if m.id == message)

    def _carry_out(self, process: str, effects: list[Effect]) -> None:
        for effect in effects:
            self.drawing.add_effect(process, effect)
            if isinstance(effect, Sent):
                self.oracle.sent(effect.message)
                if self.knowing:
                    self.knowledge.send(effect.message)
            elif isinstance(effect, Transmit):
                self.first_packets.setdefault(process, effect.packet)
                if effect.packet.message is not None:
                    self.packets[effect.packet.message.payload.decode(), effect.to] = effect.packet
                self.links.setdefault((process, effect.to), []).append(effect.packet)
            elif isinstance(effect, Deliver):
                label = effect.message.payload.decode()
                self.oracle.deliver(process, effect.message)
                if self.knowing:
                    self.knowledge.deliver(process, effect.message)
                self.orders[process].append(label)
                if not self.groups or effect.message.sender != process:
                    self._mark(process, label, DELIVERED)

    def _mark(self, process: str, label: str, sign: str) -> None:
        if self.columns:
            self.columns[-1][process] = self.columns[-1].get(process, "") + label + sign


def perform(form: Form, names: str, script: Sequence[str], groups: Groups | None = None) -> Stage:
    """Run `script` with the processes `names`, which are separated by blanks."""
    stage = Stage(form, names.split(), groups or {})
    for sentence in script:
        stage.columns.append({})
        _step(stage, sentence)
    return stage


def _step(stage: Stage, sentence: str) -> None:
    if match := SENDS.match(sentence):
        stage.send(match[1], match[2], _dests(stage, match[3]))
    elif match := ARRIVES.match(sentence):
        _arrive_by_name(stage, match[1], match[2])
    elif match := HEARS.match(sentence):
        for _ in range(len(stage.links.get((match[2], match[1]), []))):
            stage.arrive(match[2], match[1])
    elif sentence == REST:
        stage.settle()
    else:
        raise ValueError(f"not a step of a script: {sentence!r}")


def _dests(stage: Stage, words: str) -> str | set[str]:
    if words in stage.groups:
        return words if stage.form.by_group else set(stage.groups[words])
    return set(words.split(", "))


def _arrive_by_name(stage: Stage, label: str, to: str) -> None:
    """A form that delivers own copies at once has none in flight; then the step is empty."""
    for sender in stage.names:
        for at, packet in enumerate(stage.links.get((sender, to), [])):
            if packet.message is not None and packet.message.payload.decode() == label:
                stage.arrive(sender, to, at)
                return
    if label not in stage.orders[to]:
        raise ValueError(f"{label} is not on its way to {to}")


def diagram(stage: Stage) -> str:
    """Time to the right: `M1>` sent, `M1*` delivered, `M1.` arrived and held back, `~` a control packet arrived."""
    lines = {name: f"{name:<{max(map(len, stage.names))}} --" for name in stage.names}
    for column in stage.columns:
        width = max(map(len, column.values()), default=0)
        for name in stage.names:
            lines[name] += column.get(name, "").ljust(width, "-") + "--"
    return "\n".join(lines[name] for name in stage.names)
