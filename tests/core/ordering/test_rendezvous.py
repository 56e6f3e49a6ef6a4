"""Synchronous unicasts: no crown, no deadlock, and what a process does that waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from random import Random
from typing import Any

import pytest

import antecede
from antecede import Algorithm, Deliver, Effect, LimitReached, MessageId, RemoteViolation, SnapshotError, Transmit
from antecede.core.ordering.mf import Ack
from antecede.core.ordering.none import NoStamp
from antecede.core.ordering.rendezvous import Rendezvous, SendPermission, SendRequest
from antecede.core.roster import Roster
from antecede.core.snapshot import values
from antecede.core.types import Message, Packet
from antecede.judge.judge import judge
from tests.exhaustive.ordering import OrderingWorld
from tests.exhaustive.search import explore
from tests.stage import Stage, improvise
from tests.worlds import World

# No crown.


Orders = dict[str, list[MessageId]]
"""By process, the messages in the order in which they leave and are delivered there."""


def note(orders: Orders, process: str, effect: Effect) -> None:
    """Add the message of an effect with which it leaves or is delivered."""
    message = effect.packet.message if isinstance(effect, Transmit) else None
    if isinstance(effect, Deliver):
        message = effect.message
    if message is not None:
        orders.setdefault(process, []).append(message.id)


class NotedWorld(World):
    """A random execution in which processes also join and leave, and are restarted."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.orders: Orders = {}

    def _carry_out(self, process: str, effects: list[Effect]) -> None:
        super()._carry_out(process, effects)
        for effect in effects:
            note(self.orders, process, effect)


def is_synchronous(orders: Orders) -> bool:
    """Return whether the messages have a linear order that is the order of the events of every process."""
    before: TopologicalSorter[MessageId] = TopologicalSorter()
    for events in orders.values():
        for first, second in pairwise(events):
            before.add(second, first)
    try:
        before.prepare()
    except CycleError:
        return False
    return True


def synchronous_executions(algorithm: str) -> Iterator[bool]:
    """Yield, for 200 random executions with repetitions, whether messages could have taken no time."""
    for seed in range(200):
        random = Random(f"crown {seed}")
        stage = Stage(algorithm, [f"p{number}" for number in range(1, random.randint(3, 6))])
        orders: Orders = {}
        stage.witnesses.append(partial(note, orders))
        improvise(stage, random, sends=30)
        assert sum(map(len, stage.delivered.values())) == 30
        assert not any(node.pending() for node in stage.nodes.values())
        yield is_synchronous(orders)


def test_messages_could_have_taken_no_time() -> None:
    assert all(synchronous_executions("rendezvous"))


def test_so_they_could_if_processes_come_and_go_and_the_judge_sees_causal_order() -> None:
    for seed in range(200):
        world = NotedWorld("rendezvous", seed)
        world.run()
        world.finished()
        assert is_synchronous(world.orders)
        assert judge(world.events).verdict == "holds"


def test_with_mf_they_could_not() -> None:
    """The checks above can fail: two messages of `mf` may cross."""
    assert sum(synchronous_executions("mf")) < 100


# No deadlock.


@dataclass(slots=True)
class WithoutPermission(Rendezvous):
    """A process that sends to whomever it likes as soon as it does not wait itself."""

    def _begin_exchange(self) -> list[Effect]:
        self.turns.append(Packet(self.process, None, SendPermission(self.buffer[0].id.seq)))
        return self._take_turns()

    def receive(self, packet: Packet) -> list[Effect]:
        return self._take_in(packet, packet.message.id.seq) if packet.message else Rendezvous.receive(self, packet)


@pytest.fixture
def without_permission(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Algorithm]:
    """Let snapshots hold the broken algorithm, for the time of a test."""
    for name in ("STORABLE", "NAMES", "REMOVED", "FIELDS", "WRITERS"):
        monkeypatch.setattr(values, name, dict(getattr(values, name)))
    values.storable("WithoutPermission")(WithoutPermission)
    return lambda name: WithoutPermission(Roster.of(name, "unicast", ["a", "b", "c"], None))


@pytest.mark.parametrize(("messages", "repeats"), [(2, 1), (3, 0)])
def test_every_execution_of_a_small_world_delivers_everything(messages: int, repeats: int) -> None:
    found = explore(OrderingWorld("rendezvous", messages, repeats))
    assert (found.violation, found.states > 2_000) == ("", True)


def test_without_permissions_two_that_send_to_each_other_wait_for_ever(
    without_permission: Callable[[str], Algorithm],
) -> None:
    found = explore(OrderingWorld("rendezvous", 2, 0, make=without_permission))
    assert found.draw().splitlines() == [
        "  1. a sends to b",
        "  2. b sends to a",
        "  3. message a:1 of a arrives at b",
        "  4. message b:1 of b arrives at a",
        "  5. nothing more is under way",
        "     never delivered: a:1 at b, b:1 at a",
    ]


def test_two_that_send_to_each_other_exchange_one_message_after_the_other() -> None:
    """b sends at once, because a has a lower name; the request of a waits for its turn."""
    stage = Stage("rendezvous", ["a", "b"])
    up, down = stage.send("a", {"b"}), stage.send("b", {"a"})
    stage.arrive_control("a", "b")
    assert stage.controls("b") == []
    assert stage.arrive(down, "a") == [down.id]
    stage.arrive_control("a", "b")
    assert stage.controls("b") == [("a", SendPermission(1))]
    stage.arrive_control("b", "a")
    assert stage.arrive(up, "b") == [up.id]


# A process that waits.


def test_who_gave_permission_delivers_that_message_before_any_other() -> None:
    stage = Stage("rendezvous", ["a", "b", "c"])
    permitted = stage.send("a", {"b"})
    stage.arrive_control("a", "b")
    other = stage.send("c", {"b"})
    assert stage.arrive(other, "b") == []
    own = stage.send("b", {"a"})
    assert stage.held("b") == [f"{one.id} waits for message 1 of a to arrive" for one in (other, own)]
    stage.arrive_control("b", "a")
    assert stage.arrive(permitted, "b") == [permitted.id, other.id]
    assert stage.packet(own, "a").stamp == NoStamp()


def test_who_waits_for_an_acknowledgement_delivers_nothing() -> None:
    stage = Stage("rendezvous", ["a", "b", "c"])
    stage.send("b", {"a"})
    later = stage.send("c", {"b"})
    assert stage.arrive(later, "b") == []
    assert stage.held("b") == [f"{one} waits for message 1 of a to be acknowledged" for one in ("c:1", "b:1")]


def test_a_permission_that_comes_while_its_process_waits_is_used_first() -> None:
    stage = Stage("rendezvous", ["a", "b", "c", "d"])
    up, low = stage.send("b", {"c"}), stage.send("a", {"b"})
    assert stage.held("b") == ["b:1 waits for permission 1 of c"]
    stage.arrive_control("a", "b")
    assert stage.held("b") == ["b:1 waits for message 1 of a to arrive; permission 1 of c"]
    other = stage.send("d", {"b"})
    assert stage.arrive(other, "b") == []
    stage.arrive_control("b", "c")
    permission = next(flight for flight in stage.flying if flight.sender == "c")
    stage.bring(permission)
    before = stage.nodes["b"].snapshot()
    assert stage.call("b", "receive", permission.packet) == []
    assert stage.nodes["b"].snapshot() == before
    stage.arrive_control("b", "a")
    assert stage.arrive(low, "b") == [low.id]
    assert stage.arrive(up, "c") == [up.id]


def test_a_message_to_oneself_is_delivered_at_once() -> None:
    stage = Stage("rendezvous", ["a", "b"])
    stage.send("b", {"a"})
    own = stage.send("b", {"b"})
    assert stage.delivered["b"] == [own.id]


def test_at_the_limit_of_the_buffer_a_message_is_refused_until_one_has_left() -> None:
    stage = Stage("rendezvous", ["a", "b"], hold_back_limit=2)
    stage.send("a", {"b"}), stage.send("a", {"b"})
    before = stage.nodes["a"].snapshot()
    with pytest.raises(LimitReached, match="2 messages wait to leave, which is the limit: send again when some have"):
        stage.send("a", {"b"})
    assert stage.nodes["a"].snapshot() == before
    stage.drain()
    assert stage.send("a", {"b"}).id.seq == 3


# Departures.


def test_a_message_to_a_process_that_left_is_dropped_and_the_next_one_leaves() -> None:
    stage = Stage("rendezvous", ["a", "b", "c"])
    stage.send("c", {"b"}), stage.send("c", {"b"})
    last = stage.send("c", {"a"})
    stage.call("c", "leave", "b")
    assert stage.arrive(last, "a") == [last.id]
    stage.drain()
    assert stage.held("c") == []


def test_a_request_to_a_process_that_left_is_forgotten() -> None:
    stage = Stage("rendezvous", ["a", "b", "c"])
    stage.send("a", {"c"})
    stage.call("a", "leave", "c")
    assert stage.held("a") == []


def test_who_waits_for_a_process_that_left_takes_the_next_turn() -> None:
    stage = Stage("rendezvous", ["a", "b", "c"])
    late = stage.send("a", {"b"})
    stage.arrive_control("a", "b")
    other = stage.send("c", {"b"})
    assert stage.arrive(other, "b") == []
    stage.call("b", "leave", "a")
    assert stage.delivered["b"] == [other.id]
    stage.arrive_control("b", "a")
    assert stage.arrive(late, "b") == []


def test_who_leaves_goes_on_until_its_messages_are_delivered() -> None:
    stage = Stage("rendezvous", ["a", "b"])
    up, down = stage.send("a", {"b"}), stage.send("b", {"a"})
    stage.call("a", "leave", "a")
    stage.drain()
    assert stage.delivered == {"a": [down.id], "b": [up.id]}


# What is dropped or refused.


def test_what_arrives_again_changes_nothing() -> None:
    """Every packet comes again at every later time."""
    stage = Stage("rendezvous", ["a", "b", "c"])
    for sender, to in (("a", "b"), ("b", "a"), ("c", "a"), ("a", "c"), ("b", "c")):
        stage.send(sender, {to})
    while stage.flying:
        stage.bring(stage.flying[0])
        for flight in list(stage.brought):
            before = stage.nodes[flight.to].snapshot()
            assert stage.call(flight.to, "receive", flight.packet) == []
            assert stage.nodes[flight.to].snapshot() == before
    assert sum(map(len, stage.delivered.values())) == 5


@pytest.mark.parametrize(
    ("packet", "words"),
    [
        (Packet("c", None, SendRequest(1)), "c asks b for permission to send message 1"),
        (Packet("a", None, SendRequest(0)), "a asks b for permission to send message 0"),
        (Packet("c", Message(MessageId("c", 1), frozenset("ab"), b""), NoStamp()), "c:1 is not a unicast"),
        (Packet("c", None, NoStamp()), "a control packet of c where a message was expected"),
    ],
)
def test_what_no_process_of_this_algorithm_sends_is_refused(packet: Packet, words: str) -> None:
    """b waits for an acknowledgement, and the request of a for its first message waits at b."""
    stage = Stage("rendezvous", ["a", "b", "c"])
    stage.send("b", {"a"})
    stage.send("a", {"b"})
    stage.arrive_control("a", "b")
    before = stage.nodes["b"].snapshot()
    with pytest.raises(RemoteViolation, match=words):
        stage.call("b", "receive", packet)
    assert stage.nodes["b"].snapshot() == before


def test_at_most_one_packet_of_each_other_process_waits() -> None:
    """No process of this algorithm sends a second one before the first is acknowledged; a forged one may come."""
    stage = Stage("rendezvous", ["a", "b", "c"])
    stage.send("b", {"a"})
    for seq in range(1, 10):
        assert stage.call("b", "receive", Packet("a", None, SendRequest(seq))) == []
    stage.call("b", "receive", Packet("a", None, Ack(1)))
    assert stage.controls("b") == [("a", SendPermission(9))]


def test_an_acknowledgement_of_a_message_that_has_not_left_changes_nothing() -> None:
    stage = Stage("rendezvous", ["a", "b"])
    stage.send("a", {"b"})
    before = stage.nodes["a"].snapshot()
    assert stage.call("a", "receive", Packet("b", None, Ack(1))) == []
    assert stage.nodes["a"].snapshot() == before


PERMISSION = Packet("b", None, SendPermission(1))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"buffer": Message(MessageId("b", 2), frozenset(), b"")}, "not a unicast"),
        ({"awaited": MessageId("b", 7)}, "it waits for no message of its own"),
        ({"turns": Packet("c", None, SendPermission(1))}, "a permission is for no message"),
        ({"turns": PERMISSION}, "a message may leave twice"),
        ({"turns": Packet("a", None, NoStamp())}, "a turn is for nothing"),
    ],
)
def test_a_snapshot_whose_parts_do_not_fit_together_is_refused(changes: dict[str, Any], words: str) -> None:
    process: Any = antecede.create("rendezvous", process="b", processes=["a", "b", "c"])
    process.send({"a"}, b"")
    for name, value in changes.items():
        if name == "awaited":
            process.awaited = value
        else:
            getattr(process, name).append(value)
    with pytest.raises(SnapshotError, match=words):
        antecede.restore(process.snapshot())
