"""A process of `prs-broadcast` that takes packets as bytes, many at a time, through the compiled short cut.

The state is in one of two forms: in a `Process` of the core, or in the arrays of `kernel`. Whatever the kernel does not
do itself (a packet of another form, a newcomer, a packet at the limit) is done by the core, after the state has been
moved there. A move costs as much as is held back; so that nobody can have a process do nothing else, packets go through
the core until as much has come in as the move had cost, and only then does the state move back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from itertools import accumulate, pairwise
from secrets import randbits
from typing import NamedTuple, TypeVar

import numpy as np

from antecede.core.algorithm import Algorithm
from antecede.core.effects import Deliver, Effect
from antecede.core.errors import AntecedeError, LimitReached, Misuse, RemoteViolation
from antecede.core.holdback import HoldBack
from antecede.core.ordering.prs_broadcast import BarrierStamp, PrsBroadcast
from antecede.core.process import Process
from antecede.core.types import GroupId, Message, MessageId, Packet, Pending, ProcessId
from antecede.core.wire.packets import Codec
from antecede.fast import kernel

PROCESSES_MAX = 256
"""A held packet takes 8 bytes for each process."""
CHUNK_PACKETS, CHUNK_BYTES = 1024, 2**20
"""What goes to the kernel at once, but for a packet that is longer."""
MOVE_BYTES, PACKET_BYTES = 2**16, 256
"""What a move of nothing costs, and a packet of nothing, in bytes that come in."""
SLOTS_MIN = 64
HEAD = 6
"""Bytes of a packet before its sender: version and flags, the identity of the roster in four, no names of its own.

After it, in the packets that `_forms` looks at: the sender, "not forwarded", the number 1, what is
wanted, an empty set."""


T = TypeVar("T")


class Received(NamedTuple):
    """What some packets led to: the effects in order, and of the packets that were refused, which and why."""

    effects: list[Effect]
    refused: list[tuple[int, AntecedeError]]


class FastBroadcast:
    """See `antecede.core.algorithm.Algorithm` for the contract, and `receive_all` for what is fast.

    As for every algorithm, one thread at a time. If a call is interrupted (by Ctrl-C, or for want of memory) the state
    is lost, and every further call says so. `move_cost` is that of `accelerate`.
    """

    def __init__(self, process: Process, ordering: PrsBroadcast, codec: Codec, *, move_cost: int = 1) -> None:
        self._process, self._ordering, self._codec, self._move_cost = process, ordering, codec, move_cost
        self._names = codec.roster
        self._number = {name: number for number, name in enumerate(codec.roster)}
        self._dests, self._forms = _forms(codec)
        self._state: kernel.State | None = None  # None while the state is in the core
        self._packets: dict[int, bytes] = {}  # those the kernel holds back, by serial
        self._serial = 0
        self._out = np.empty((0, kernel.OUT), np.int64)
        self._owed_bytes = 0  # to come in before the state moves to the arrays again
        self._interrupted = False

    @property
    def process(self) -> ProcessId:
        return self._process.process

    def receive_all(self, packets: Sequence[bytes]) -> Received:
        """Take packets as they came from the network, encoded with the roster; as `receive(decode(packet))` of each.

        A packet that is refused does not stand in the way of those behind it: it is named in the result.
        """
        if not isinstance(packets, list | tuple) or not set(map(type, packets)) <= {bytes}:
            raise Misuse("receive_all takes a list of packets, each of them bytes")
        received = Received([], [])
        for first, chunk in _chunks(packets):
            batch, at = _batch(chunk), 0
            while at < len(chunk):
                state = self._arrays()
                if state is not None:
                    at = self._through_arrays(state, chunk, batch, at, received)
                if at < len(chunk):
                    self._through_core(chunk[at], first + at, received)
                    at += 1
        return received

    def send(self, dests: ProcessId | Iterable[ProcessId], payload: bytes) -> list[Effect]:
        state = self._whole()
        if state is None:
            return self._process.send(dests, payload)
        barrier = state.levels[kernel.BARRIER]
        self._ordering.barrier = self._by_name(barrier)
        effects = self._process.send(dests, payload)
        barrier[:] = self._by_number(self._ordering.barrier)
        return effects

    def receive(self, packet: Packet) -> list[Effect]:
        return self._core().receive(packet)

    def tick(self, now: float) -> list[Effect]:
        return self._process.tick(now)

    def pending(self) -> tuple[Pending, ...]:
        return self._as_core().pending()

    def join(self, process: ProcessId, groups: Iterable[GroupId] = ()) -> list[Effect]:
        return self._core().join(process, groups)

    def leave(self, process: ProcessId) -> list[Effect]:
        return self._core().leave(process)

    def snapshot(self) -> bytes:
        """Return the snapshot that the core would give: restore it there, and accelerate that."""
        return self._as_core().snapshot()

    def resume(self) -> None:
        self._core()

    def _through_arrays(
        self, state: kernel.State, packets: Sequence[bytes], batch: kernel.Batch, at: int, received: Received
    ) -> int:
        """Take packets until one is not for the kernel, and return its place among them."""
        levels, slots, buckets, counts, forms = state = self._make_room(state, len(packets) - at)
        base = self._serial + 1 - at
        names, dests, held, effects = self._names, self._dests, self._packets, received.effects
        self._interrupted = True
        taken, written = kernel.receive(
            batch.data, batch.ends, at, base, levels, slots, buckets, counts, forms, self._out
        )
        self._serial += taken - at
        for serial, sender, seq, payload, to in self._out[:written].tolist():
            if sender == kernel.HELD_BACK:
                held[serial] = packets[serial - base]
            else:
                packet = held.pop(serial, None) or packets[serial - base]
                effects.append(_make_deliver(names[sender], seq, dests[to], packet[payload:]))
        self._interrupted = False
        return taken

    def _through_core(self, data: bytes, at: int, received: Received) -> None:
        self._owed_bytes -= len(data) + PACKET_BYTES
        try:
            packet = self._codec.decode(data)
            if packet.message is not None:
                self._process.roster.accept(packet)  # what is refused for itself is so before anything is moved
            received.effects.extend(self._core().receive(packet))
        except (RemoteViolation, LimitReached) as error:
            received.refused.append((at, error))

    def _whole(self) -> kernel.State | None:
        if self._interrupted:
            raise Misuse("a call was interrupted before it ended: restore the last snapshot and accelerate that")
        return self._state

    def _as_core(self) -> Process:
        """Return the state as a process of the core. If it is in the arrays, this is a copy that was not resumed."""
        state = self._whole()
        if state is None:
            return self._process
        packets = {serial: self._codec.decode(data) for serial, data in sorted(self._packets.items())}
        held = HoldBack(self._process.held.limit, self._serial, packets)
        delivered, barrier = (self._by_name(row) for row in state.levels)
        return Process(self._process.roster, replace(self._ordering, delivered=delivered, barrier=barrier), held)

    def _core(self) -> Process:
        """Return the process of the core, after the state has been moved to it."""
        if self._whole() is not None:
            process = self._as_core()
            process.resume()
            assert isinstance(process.ordering, PrsBroadcast)
            self._owed_bytes = self._move_bytes()
            self._process, self._ordering, self._state, self._packets = process, process.ordering, None, {}
        return self._process

    def _arrays(self) -> kernel.State | None:
        """Return the state in the arrays, after it has been moved there, or None if it cannot be.

        It can be moved if nobody has come or gone and all that is held fits.
        """
        state = self._whole()
        if state is not None or self._owed_bytes > 0:
            return state
        roster, ordering, held = self._process.roster, self._ordering, self._process.held
        counted = {**ordering.delivered, **ordering.barrier}
        self._owed_bytes = self._move_cost * MOVE_BYTES
        if roster.processes != self._number.keys() or not counted.keys() <= self._number.keys():
            return None
        if max(counted.values(), default=0) > kernel.UINT_MAX:
            return None
        try:
            packets = [self._codec.encode(packet) for packet in held.packets.values()]
        except Misuse:
            return None  # longer than it came, with the names as they are here
        self._serial, self._packets = 0, {}
        state = self._make_arrays(max(held.limit, len(packets)))
        taken = self._through_arrays(state, packets, _batch(packets), 0, Received([], []))
        self._owed_bytes = self._move_bytes()
        if not taken == len(packets) == len(self._packets):
            self._state, self._packets = None, {}
            return None
        state = self._state
        assert state is not None
        state.counts[kernel.HELD_MAX] = held.limit
        self._process = Process(roster, ordering, HoldBack(held.limit))
        return state

    def _move_bytes(self) -> int:
        held = self._packets.values()
        return self._move_cost * (MOVE_BYTES + sum(map(len, held)) + PACKET_BYTES * len(held))

    def _make_arrays(self, held_max: int) -> kernel.State:
        """Return the arrays before anything is held."""
        levels = np.array([self._by_number(self._ordering.delivered), self._by_number(self._ordering.barrier)])
        counts = np.zeros(kernel.COUNTS, np.int64)
        counts[kernel.ME] = self._number[self.process]
        counts[kernel.FREE] = kernel.NONE
        counts[kernel.HELD_MAX] = held_max
        counts[kernel.PACKET_BYTES_MAX] = self._codec.packet_bytes_max
        counts[kernel.KEY], counts[kernel.OTHER_KEY] = randbits(62) | 1, randbits(62) | 1
        slots = np.empty((0, kernel.COLUMNS + len(self._names)), np.int64)
        return kernel.State(levels, slots, np.empty((2, 1), np.int64), counts, self._forms)

    def _make_room(self, state: kernel.State, packets: int) -> kernel.State:
        """Return the state with a free slot for each of the packets, and one more to read into."""
        held, slots = int(state.counts[kernel.HELD]), state.slots
        if len(self._out) < held + 2 * packets:
            self._out = np.empty((2 * (held + 2 * packets), kernel.OUT), np.int64)
        if len(slots) <= held + packets:
            size = max(SLOTS_MIN, 2 * (held + packets))
            more = np.full((size, slots.shape[1]), kernel.NONE, np.int64)
            more[: len(slots)] = slots
            buckets = np.full((2, 1 << size.bit_length()), kernel.NONE, np.int64)
            state = state._replace(slots=more, buckets=buckets)
            kernel.refile(state)
        self._state = state
        return state

    def _by_name(self, counts: kernel.Longs) -> dict[ProcessId, int]:
        return {self._names[number]: count for number, count in enumerate(counts.tolist()) if count}

    def _by_number(self, counts: dict[ProcessId, int]) -> list[int]:
        return [counts.get(name, 0) for name in self._names]


def accelerate(algorithm: Algorithm, codec: Codec, *, move_cost: int = 1) -> FastBroadcast:
    """Return `algorithm` with `receive_all`; use what is returned from now on.

    `algorithm` is a process of `prs-broadcast` from `create` or `restore`. The roster of `codec` names all processes,
    and is the one that the senders encode with. Once somebody has come or gone it is no faster than the core, until
    everybody encodes with a new roster: then accelerate what `restore` makes of its `snapshot()`, with that.

    The state moves between the core and the arrays only when as many bytes have come in as the move costs, times
    `move_cost`. With 0 it moves whenever it can, which is slow, and which tests want.
    """
    process = _of_type(Process, algorithm, "a process of prs-broadcast, from create or restore")
    ordering = _of_type(PrsBroadcast, process.ordering, "a process of prs-broadcast, from create or restore")
    names = _of_type(Codec, codec, "a Codec with the roster of all processes").roster
    if set(names) != process.roster.processes or not 1 < len(names) <= PROCESSES_MAX:
        raise Misuse(
            f"accelerate takes a Codec with the roster of all processes, 2 to {PROCESSES_MAX} of them; "
            f"the algorithm has {len(process.roster.processes)}, the roster {len(names)}, and they must be the same"
        )
    return FastBroadcast(process, ordering, codec, move_cost=move_cost)


def _of_type(wanted: type[T], given: object, what: str) -> T:
    if not isinstance(given, wanted):
        raise Misuse(f"accelerate takes {what}, not a {type(given).__name__}")
    return given


def _chunks(packets: Sequence[bytes]) -> list[tuple[int, Sequence[bytes]]]:
    """Return the packets in parts for the kernel, each with the place of its first packet."""
    if len(packets) <= CHUNK_PACKETS and sum(map(len, packets)) <= CHUNK_BYTES:
        return [(0, packets)]
    starts, size = [0], 0
    for at, packet in enumerate(packets):
        if at > starts[-1] and (at - starts[-1] == CHUNK_PACKETS or size + len(packet) > CHUNK_BYTES):
            starts.append(at)
            size = 0
        size += len(packet)
    return [(start, packets[start:end]) for start, end in pairwise([*starts, len(packets)])]


def _make_deliver(sender: ProcessId, seq: int, dests: frozenset[ProcessId], payload: bytes) -> Deliver:
    """Return `Deliver(Message(MessageId(sender, seq), dests, payload))` in less than half the time.

    The constructors of frozen classes set every field by way of its name.
    """
    message, effect = _new(Message), _new(Deliver)
    _set_id(message, _new_tuple(MessageId, (sender, seq)))
    _set_dests(message, dests)
    _set_payload(message, payload)
    _set_group(message, None)
    _set_message(effect, message)
    return effect


_new, _new_tuple = object.__new__, tuple.__new__
_set_id, _set_dests, _set_payload, _set_group = (vars(Message)[field.name].__set__ for field in fields(Message))
(_set_message,) = (vars(Deliver)[field.name].__set__ for field in fields(Deliver))


def _batch(packets: Sequence[bytes]) -> kernel.Batch:
    ends = np.fromiter(accumulate(map(len, packets)), np.int64, len(packets))
    return kernel.Batch(np.frombuffer(b"".join(packets), np.uint8), ends)


def _forms(codec: Codec) -> tuple[list[frozenset[ProcessId]], kernel.Octets]:
    """Return the sets that a broadcast goes to, and for the kernel what packets to them look like."""
    names = codec.roster
    everybody = frozenset(names)
    dests = [*(everybody - {name} for name in names), everybody]
    senders = [*names, names[0]]
    packets = [
        codec.encode(Packet(name, Message(MessageId(name, 1), to, b""), BarrierStamp({})))
        for name, to in zip(senders, dests, strict=True)
    ]
    texts = [data[HEAD + (4 if number >= 128 else 3) : -1] for number, data in enumerate(packets[:-1])]
    texts += [packets[-1][HEAD + 3 : -1], packets[0][:HEAD]]
    forms = np.zeros((len(texts), 1 + max(map(len, texts))), np.uint8)
    for row, text in enumerate(texts):
        forms[row, : 1 + len(text)] = [len(text), *text]
    return dests, forms
