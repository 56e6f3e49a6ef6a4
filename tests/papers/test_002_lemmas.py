"""Kshemkalyani, Singhal: "Necessary and sufficient conditions on information for causal message ordering and their
optimal implementation" (002).

§5.1, Lemmas 2 to 6, on random executions. Lemma 1 is in `test_002_ks`.

TS(i, LOG_j) is the context that j keeps of i. "d is in M_{i,a}.Dests" is the dot (i, a, d).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.papers.ks_events import NAMES, KsEvent, Played, dots_of, play
from tests.properties.execution import Dot

EXECUTIONS = 60


@pytest.fixture(scope="module")
def executions() -> list[Played]:
    return [play(f"002 5.1 {seed}", sends=16) for seed in range(EXECUTIONS)]


def sends_and_deliveries(played: Played) -> Iterator[tuple[KsEvent, KsEvent]]:
    """Yield each message edge of the computation graph: a send, and a delivery of what was sent."""
    sends = {event.message.id: event for event in played.events if event.is_send}
    yield from ((sends[event.message.id], event) for event in played.events if not event.is_send)


def known_of(event: KsEvent, sender: str) -> int:
    return event.after.context.get(sender, 0)


def of_message(dots: frozenset[Dot] | set[Dot], sender: str, clock: int) -> set[str]:
    """Return the destinations in an entry."""
    return {dest for i, t, dest in dots if (i, t) == (sender, clock)}


def test_5_1_lemma_2_the_highest_timestamp_known_of_a_sender_never_decreases(executions: list[Played]) -> None:
    grown = 0
    for played in executions:
        for event in played.events:
            for sender in NAMES:
                assert event.before.context.get(sender, 0) <= known_of(event, sender)
                grown += event.before.context.get(sender, 0) < known_of(event, sender)
    assert grown > 1_000


def test_5_1_lemma_3_nor_does_it_along_any_path(executions: list[Played]) -> None:
    """Along a local edge it is Lemma 2. Along a message edge: before the send, in the message, after the delivery."""
    edges = 0
    for played in executions:
        for send, delivery in sends_and_deliveries(played):
            carried = played.packet(send.message.id, delivery.process).stamp.context  # type: ignore[attr-defined]  # it is a KsStamp
            for sender in NAMES:
                own = send.message.id.seq if sender == send.process else 0
                in_message = max(carried.get(sender, 0), own)
                assert send.before.context.get(sender, 0) <= in_message <= known_of(delivery, sender)
                edges += in_message > 0
    assert edges > 1_000


def test_5_1_lemma_4_the_destinations_of_an_entry_of_a_log_never_grow(executions: list[Played]) -> None:
    shrunk = 0
    for played in executions:
        for event in played.events:
            for sender, clock, dest in event.after.log - event.before.log:
                assert clock > event.before.context.get(sender, 0), (
                    f"({sender}, {clock}) gains {dest} after it was known"
                )
            shrunk += len(event.before.log - event.after.log)
    assert shrunk > 1_000


def test_5_1_lemma_5_nor_do_they_along_any_path(executions: list[Played]) -> None:
    """M_{i,a} itself begins the path: it is put into the log by the send, or by the delivery."""
    entries = 0
    for played in executions:
        for send, delivery in sends_and_deliveries(played):
            carried = dots_of(played.packet(send.message.id, delivery.process), delivery.process)
            for sender, clock in {(i, t) for i, t, _ in carried | send.before.log}:
                in_message = of_message(carried, sender, clock)
                assert of_message(send.before.log, sender, clock) >= in_message
                assert in_message >= of_message(delivery.after.log, sender, clock)
                entries += 1
            assert send.message.dests >= of_message(delivery.after.log, *send.message.id)
    assert entries > 1_000


def passes_on(played: Played, event: KsEvent, dot: Dot) -> bool:
    """Return whether the event propagates the dot on all its edges: to the next event here, and to all dests."""
    packets = [(to, played.packet(event.message.id, to)) for to in event.message.dests] if event.is_send else []
    return dot in event.after.log and all(dot in dots_of(packet, to) for to, packet in packets)


def test_5_1_lemma_6_who_first_does_not_pass_a_fact_on_has_it(executions: list[Played]) -> None:
    first = 0
    for played in executions[:20]:
        for origin in (event for event in played.events if event.is_send):
            after = [event for event in played.events if event.past & origin.bit]
            for dest in sorted(origin.message.dests):
                dot = (*origin.message.id, dest)
                stops = [event for event in after if not passes_on(played, event, dot)]
                for event in stops:
                    is_its_delivery = not event.is_send and (event.message, event.process) == (origin.message, dest)
                    if not is_its_delivery and not any(other.bit & event.past for other in stops):
                        assert event.is_send
                        assert dot in event.before.log
                        first += 1
    assert first > 300
