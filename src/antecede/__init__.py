"""Causal message ordering: if one message may have caused another, whoever gets both gets the cause first.

    >>> import antecede
    >>> a, b, c = (antecede.create("ks", process=name, processes="abc") for name in "abc")
    Traceback (most recent call last):
    antecede.core.errors.Misuse: processes is a collection of names, not one string: ['abc']?

Everything else: `algorithms()` says what there is; `create` makes one process of an algorithm; its `send` and `receive`
return effects, which a driver carries out in order: `Sent`, `Transmit`, `Deliver`, `SetTimer`. What the driver owes
the algorithm is written once, in `antecede.core.algorithm`.
"""

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
from antecede.core.wire import Codec, decode, encode

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
