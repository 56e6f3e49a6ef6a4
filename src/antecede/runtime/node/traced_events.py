"""Which events of a process go into its trace, and when.

The send of a message is recorded when the application sends it. With a synchronous algorithm (`AlgorithmInfo`) it is
recorded when the message leaves, because the order that such an algorithm promises is about that event. Such a
message has one destination, so it leaves with one packet. A message that waited in a store of an earlier release was
recorded when it was sent, and is not recorded again.
"""

from __future__ import annotations

from antecede.core.effects import Transmit
from antecede.core.registry import algorithms
from antecede.core.types import Message, ProcessId
from antecede.core.wire.packets import Codec
from antecede.runtime.state.store import Store
from antecede.runtime.state.trace_recorder import Recorder

EARLY = "sends recorded early"
"""The fact that has the number of the last message whose send was recorded when it was sent."""


class TracedEvents:
    """The events of `process`, which has the state in `store`. Without a recorder nothing is recorded."""

    def __init__(self, recorder: Recorder | None, store: Store, process: ProcessId) -> None:
        self.recorder, self._process = recorder, process
        info = algorithms().get(store.facts.get("algorithm", b"").decode())
        is_synchronous = info is not None and info.synchronous
        if is_synchronous and EARLY not in store.facts:
            store.put(EARLY, store.facts.get("sent", b"0"))
        self._early = int(store.facts.get(EARLY, b"0"))
        self.has_late_sends = recorder is not None and is_synchronous
        """Whether the send of a message is recorded when it leaves."""

    def record_send(self, message: Message, control: tuple[int, int] | None) -> None:
        """Record that a message was sent, unless `record_leaving` does that later.

        `control` is the size of its control information: bytes and entries.
        """
        is_early = not self.has_late_sends or message.dests == {self._process}
        if self.recorder is not None and is_early:
            self.recorder.send(message, *(control or (None, None)))

    def record_leaving(self, effect: Transmit, codec: Codec) -> None:
        """Record the send of the message that leaves with a packet, if there is one."""
        packet = effect.packet
        if self.recorder is not None and packet.message is not None and packet.message.id.seq > self._early:
            size_bytes = len(codec.encode(packet)) - len(packet.message.payload)
            self.recorder.send(packet.message, size_bytes, packet.control_entries)

    def record(self, kind: str, message: Message | None) -> None:
        """Record that a message was received or delivered."""
        if self.recorder is not None and message is not None:
            self.recorder.other(kind, message)
