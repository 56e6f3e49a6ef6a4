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
bring a process over a restart. `group_graph` says whether groups that overlap form a cycle.

`check` says whether a trace was delivered in causal order, from a program, a notebook or a test, and `suggest_mapping`
how to read a log in a format of its own; they come with `antecede[app]`.

The runtime exchanges messages in causal order over NATS: `join` and `join_sync` make a `Node`, with `Limits` and
`NatsOptions`; a `Host` is a device that roams between stations. These names come with `antecede[runtime]` and are
loaded when they are first used. Further public names are in `antecede.runtime`, `antecede.mobile` and
`antecede.locality`.

The packages and modules, in the order in which to read them:

core/      the algorithms and clocks, as pure state machines: the standard library only
fast/      compiled short cuts for processes that take in very many packets
judge/     the naive, independent check of causal order
sim/       the deterministic simulator
pipeline/  `check` on traces of any size: files in; verdicts, tables and reports out
web/       the report of a check as one HTML page
runtime/   nodes, stations and roaming hosts, over NATS or in memory
lab/       the experiments of the papers, and their figures
checked    `check` and `suggest_mapping`, for programs and notebooks
mobile     the public names of roaming hosts
locality   the public names of clocks for a known communication graph
cli/       the commands
__main__   `python -m antecede`
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
from antecede.core.group_graph import GroupGraph, group_graph
from antecede.core.registry import AlgorithmInfo, algorithms, create, restore
from antecede.core.types import Message, MessageId, Need, Packet, Pending, ProcessId, Stamp
from antecede.core.wire.packets import Codec, decode, encode

if TYPE_CHECKING:
    from antecede.checked import CheckResult as CheckResult
    from antecede.checked import check as check
    from antecede.checked import suggest_mapping as suggest_mapping
    from antecede.runtime import Host as Host
    from antecede.runtime import Limits as Limits
    from antecede.runtime import NatsOptions as NatsOptions
    from antecede.runtime import Node as Node
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
    "GroupGraph",
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
    "group_graph",
    "restore",
]
_LAZY = {
    "CheckResult": "antecede.checked",
    "Host": "antecede.runtime",
    "Limits": "antecede.runtime",
    "NatsOptions": "antecede.runtime",
    "Node": "antecede.runtime",
    "check": "antecede.checked",
    "join": "antecede.runtime",
    "join_sync": "antecede.runtime",
    "suggest_mapping": "antecede.checked",
}
"""Public names by the module that defines them. They need more than the standard library, so `import antecede` does not
load them."""


def __getattr__(name: str) -> Any:
    """Load a public name that needs more than the standard library."""
    if name not in _LAZY:
        raise AttributeError(f"module 'antecede' has no attribute {name!r}")
    try:
        module = import_module(_LAZY[name])
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "antecede":
            raise
        part = "runtime" if _LAZY[name] == "antecede.runtime" else "app"
        raise ImportError(
            f"antecede.{name} needs {error.name}, which is not installed: pip install 'antecede[{part}]'"
        ) from error
    return getattr(module, name)


def __dir__() -> list[str]:
    """Return all names, with those that are not loaded yet."""
    return sorted({*globals(), *_LAZY})
