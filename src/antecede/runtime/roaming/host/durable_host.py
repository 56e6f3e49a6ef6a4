"""The core's `Host` with every step durable, as `durable_station` for stations. The store is a small file, or memory.

What the host sent and was not answered, what it got and the application did not acknowledge, and its counters survive
in the store; with a recorder, the events of the host are in the trace exactly if they happened.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from antecede.core.effects import Deliver, Sent
from antecede.core.mobile.effects import Effect, Radio
from antecede.core.mobile.host import OUT, Host
from antecede.core.mobile.protocols import restore
from antecede.core.types import MessageId, Packet, ProcessId
from antecede.runtime.roaming.protocol import decoded
from antecede.runtime.state.journal import Journal
from antecede.runtime.state.store import Delivered, Input, Store
from antecede.runtime.state.trace_recorder import Recorder

NOWHERE = "-"
"""Where a host was before it was anywhere: no station of this name is asked for its luggage."""


@dataclass(slots=True)
class Shown:
    """What may be shown, now that it is durable: to the station, and to the application."""

    radios: list[Radio] = field(default_factory=list)
    delivered: list[Delivered] = field(default_factory=list)


class Device:
    """A host and its store."""

    def __init__(
        self, store: Store, name: ProcessId, recorder: Recorder | None, *, retry_s: float, unsent_max: int
    ) -> None:
        self.store, self._recorder = store, recorder
        self._journal: Journal[Host] = Journal(
            store,
            lambda: Host(name, NOWHERE, NOWHERE, state=OUT, retry_s=retry_s, unsent_max=unsent_max),
            _restored,
            _call,
        )
        self._staged = Shown()

    @property
    def host(self) -> Host:
        return self._journal.machine

    def send(self, dests: Iterable[ProcessId], payload: bytes) -> MessageId:
        """Send; `Misuse` and `LimitReached` change nothing."""
        effects = self._journal.put("send", json.dumps(sorted(set(dests))), payload)
        self._carry_out(effects)
        return MessageId(self.host.me, self.host.sent)

    def enter(self, station: ProcessId) -> None:
        self._carry_out(self._journal.put("enter", station, b""))

    def leave(self) -> None:
        if self.host.state != OUT:
            self._carry_out(self._journal.put("leave", "", b""))

    def hear(self, packet: Packet, data: bytes) -> None:
        """What the station says; `RemoteViolation` changes nothing."""
        self._carry_out(self._journal.put("hear", packet.sender, data))

    def tick(self, now: float) -> None:
        self.store.put("clock", repr(now).encode())
        self._carry_out(self._journal.put("tick", repr(now), b""))

    def note(self, kind: str, station: ProcessId) -> None:
        """A move, connect or disconnect, for the trace."""
        if self._recorder is not None:
            self._recorder.note(kind, {"station": station})

    def acknowledge(self, n: int) -> None:
        self.store.acknowledge(n)

    def commit(self) -> Shown:
        """Make everything up to now durable, and release what it led to."""
        if self._recorder is not None:
            self._recorder.flush()
        self._journal.save()
        self.store.commit()
        shown, self._staged = self._staged, Shown()
        return shown

    def _carry_out(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Radio):
                self._staged.radios.append(effect)
            elif isinstance(effect, Sent):
                if self._recorder is not None:
                    self._recorder.send(effect.message, None, None)
            elif isinstance(effect, Deliver):
                if self._recorder is not None:
                    self._recorder.other("deliver", effect.message)
                self._staged.delivered.append(self.store.deliver(effect.message))


def _restored(state: bytes) -> Host:
    host = restore(state)
    assert isinstance(host, Host), "the store of a host has the snapshot of one"
    return host


def _call(host: Host, given: Input) -> list[Effect]:
    kind, who, data = given
    if kind == "send":
        return host.send(json.loads(who), data)
    if kind == "hear":
        return host.hear(decoded(data))
    if kind == "enter":
        return host.enter(who)
    if kind == "leave":
        return host.leave()
    assert kind == "tick", kind
    return host.tick(float(who))
