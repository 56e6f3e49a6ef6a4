"""`pending()` names, for each message held back, what it waits for: nothing that is here, and nothing too little."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import antecede
from antecede import Deliver, Effect, MessageId, Pending, Sent
from tests.oracle import Oracle
from tests.stage import Stage, destinations

WORDS = {
    "ks": "b:1 waits for message 2 of a",
    "prs": "b:1 waits for message 2 of a",
    "psync": "b:1 waits for message 2 of a",
    "rst": "b:1 waits for messages 1 to 2 of a to c",
    "ses": "b:1 waits for messages 1 to 2 of a to have been heard of",
    "chain2": "b:1 waits for message 2 of a",
    "serial-multicast": "b:1 waits for turn 2 of the token's holders",
}


@pytest.mark.parametrize("algorithm", WORDS)
def test_in_words(algorithm: str) -> None:
    """a sends twice to c and then to b; b tells c."""
    stage = Stage(algorithm, ["a", "b", "c"])
    stage.send("a", {"c"})
    stage.send("a", {"c"})
    third = stage.send("a", {"b"})
    stage.arrive(third, "b")
    effect = stage.send("b", {"c"})
    while any(flight.packet.message is None for flight in stage.flying):
        stage.bring(next(flight for flight in stage.flying if flight.packet.message is None))
    stage.arrive(effect, "c")
    assert stage.held("c") == [WORDS[algorithm]]


BROADCAST_WORDS = {
    "vector": "b:1 waits for messages 1 to 2 of a",
    "prs-broadcast": "b:1 waits for message 2 of a",
}


@pytest.mark.parametrize("algorithm", BROADCAST_WORDS)
def test_in_words_of_a_broadcast(algorithm: str) -> None:
    """a speaks twice, b has heard it and speaks, c hears b first."""
    stage = Stage(algorithm, ["a", "b", "c"])
    for message in [stage.send("a", stage.names), stage.send("a", stage.names)]:
        stage.arrive(message, "b")
    stage.arrive(stage.send("b", stage.names), "c")
    assert stage.held("c") == [BROADCAST_WORDS[algorithm]]


def test_what_waits_to_leave_is_pending_too() -> None:
    stage = Stage("mf", ["a", "b"])
    stage.send("a", {"b"})
    stage.send("a", {"b"})
    assert stage.held("a") == [f"a:{n} waits for message 1 of b to be acknowledged" for n in (1, 2)]


class Watched:
    """A random execution, and an oracle that is told of it."""

    def __init__(self, algorithm: str, seed: int) -> None:
        self.stage, self.oracle = Stage(algorithm, ["a", "b", "c", "d"]), Oracle()
        self.random = Random(f"pending {seed}")
        self.stage.witnesses.append(self._witness)

    def waits(self, steps: int = 30) -> Iterator[tuple[Pending, set[MessageId]]]:
        """Whatever is held back after each step, and what the oracle says is missing then."""
        for _ in range(steps):
            self._step()
            for name in self.stage.names:
                for waiting in self.stage.nodes[name].pending():
                    yield waiting, set(self.oracle.missing(name, waiting.message.id))

    def _step(self) -> None:
        stage, random = self.stage, self.random
        if not stage.flying or random.random() < 0.4:
            sender = random.choice(stage.names)
            stage.send(sender, destinations(stage, sender, random))
        else:
            stage.bring(stage.flying[-1] if random.random() < 0.5 else random.choice(stage.flying))

    def _witness(self, process: str, effect: Effect) -> None:
        if isinstance(effect, Sent):
            self.oracle.sent(effect.message)
        elif isinstance(effect, Deliver):
            self.oracle.deliver(process, effect.message)


def test_vector_names_exactly_the_missing_messages() -> None:
    seen = 0
    for seed in range(60):
        for waiting, missing in Watched("vector", seed).waits():
            assert set(waiting.messages) == missing
            seen += len(missing)
    assert seen > 1_000


@pytest.mark.parametrize("algorithm", ["ks", "prs", "prs-broadcast", "psync"])
def test_who_knows_direct_predecessors_names_missing_ones_that_imply_all_others(algorithm: str) -> None:
    seen = 0
    for seed in range(60):
        watched = Watched(algorithm, seed)
        for waiting, missing in watched.waits():
            named = set(waiting.messages)
            assert named
            assert named <= missing
            implied = named.union(*(watched.oracle.past[message] for message in named))
            assert missing <= implied
            seen += len(missing)
    assert seen > 1_000


def test_ks_names_no_message_that_another_of_those_it_names_implies() -> None:
    for seed in range(60):
        watched = Watched("ks", seed)
        for waiting, _ in watched.waits():
            named = set(waiting.messages)
            assert not any(named & watched.oracle.past[message] for message in named)


def test_history_carries_no_more_than_its_limit_and_loses_nothing_at_it() -> None:
    a, b = (antecede.create("history", process=name, processes=["a", "b"], hold_back_limit=2) for name in "ab")
    packets = [e.packet for _ in range(2) for e in a.send({"b"}, b"") if isinstance(e, antecede.Transmit)]
    with pytest.raises(antecede.LimitReached, match="2 messages are carried, which is the limit"):
        a.send({"b"}, b"")
    assert [len(b.receive(packet)) for packet in packets] == [1, 1]
