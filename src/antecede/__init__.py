"""Causal message ordering: if one message may have caused another, whoever gets both gets the cause first.

    >>> import antecede
    >>> a, b, c = (antecede.create("ks", process=name, processes=["a", "b", "c"]) for name in "abc")
    >>> sent, first = a.send({"b"}, b"lost my ring")                  # on its way to b, slowly
    >>> _, second = a.send({"c"}, b"found it")
    >>> c.receive(second.packet)
    [Deliver(message=Message(id=MessageId(sender='a', seq=2), ..., payload=b'found it', group=None))]
    >>> _, third = c.send({"b"}, b"glad to hear")
    >>> b.receive(third.packet)                                       # overtook the first: held back
    []
    >>> [str(waiting) for waiting in b.pending()]
    ['c:1 waits for message 1 of a']
    >>> [effect.message.payload for effect in b.receive(first.packet)]
    [b'lost my ring', b'glad to hear']

`algorithms()` says what there is; `create` makes one process of an algorithm. Its `send` and `receive` return effects,
which a driver carries out in order: `Sent`, `Transmit`, `Deliver`, `SetTimer`. What the driver owes the algorithm is
written once, in `antecede.core.algorithm`. `encode` and `decode` are the wire form of packets; `snapshot` and `restore`
bring a process over a restart.

`join` and `join_sync` are the runtime: processes that exchange messages in causal order over NATS; `Host` is a device
that roams between stations. They come with `antecede[runtime]`, and are loaded when they are first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from antecede.core.algorithm import Algorithm
from antecede.core.effects import Deliver, Effect, Sent, SetTimer, Transmit
from antecede.core.errors import (
    AntecedeError,
    HoldBackFull,
    LimitReached,
    Misuse,
    RemoteViolation,
    SnapshotError,
    UnknownAlgorithm,
    WireError,
)
from antecede.core.registry import AlgorithmInfo, algorithms, create, restore
from antecede.core.types import Message, MessageId, Need, Packet, Pending, ProcessId, Stamp
from antecede.core.wire.packets import Codec, decode, encode

if TYPE_CHECKING:
    from antecede.runtime import Host as Host
    from antecede.runtime import join as join
    from antecede.runtime import join_sync as join_sync

__version__ = "0.1.0"
__all__ = [
    "Algorithm",
    "AlgorithmInfo",
    "AntecedeError",
    "Codec",
    "Deliver",
    "Effect",
    "HoldBackFull",
    "LimitReached",
    "Message",
    "MessageId",
    "Misuse",
    "Need",
    "Packet",
    "Pending",
    "ProcessId",
    "RemoteViolation",
    "Sent",
    "SetTimer",
    "SnapshotError",
    "Stamp",
    "Transmit",
    "UnknownAlgorithm",
    "WireError",
    "algorithms",
    "create",
    "decode",
    "encode",
    "restore",
]
_RUNTIME = ("Host", "join", "join_sync")


def __getattr__(name: str) -> Any:
    """What needs more than the standard library is not loaded with it."""
    if name not in _RUNTIME:
        raise AttributeError(f"module 'antecede' has no attribute {name!r}")
    return getattr(import_module("antecede.runtime"), name)
