"""Prakash, Raynal, Singhal: "An Adaptive Causal Ordering Algorithm Suited to Mobile Computing Environments" (000).

The examples of the paper, and its lemmas on random executions. Processes are P1 to P5 as there; a tuple (2, 1) of the
paper is ("P2", 1) here.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from antecede import Effect, Message, MessageId, Transmit
from antecede.core.ordering.prs import Prs, PrsStamp
from antecede.core.ordering.prs_broadcast import BarrierStamp, PrsBroadcast
from antecede.core.ordering.ses import SesStamp
from tests.properties.execution import Execution
from tests.properties.lockstep import perform
from tests.stage import Stage, improvise


def barrier(stage: Stage, message: Message, to: str) -> dict[str, dict[str, int]]:
    """CB_M, without its empty rows."""
    stamp = stage.packet(message, to).stamp
    assert isinstance(stamp, PrsStamp)
    return {dest: dict(row) for dest, row in stamp.barrier.items() if row}


def figure_1(algorithm: str) -> tuple[Stage, list[MessageId]]:
    stage = Stage(algorithm, ["P1", "P2", "P3"])
    m1 = stage.send("P1", {"P3"})
    m2 = stage.send("P1", {"P2"})
    stage.arrive(m2, "P2")
    m3 = stage.send("P2", {"P3"})
    stage.arrive(m3, "P3")
    stage.arrive(m1, "P3")
    return stage, [m1.id, m3.id]


def test_2_figure_1_M1_is_delivered_before_M3_although_it_arrives_later() -> None:
    stage, in_order = figure_1("prs")
    assert stage.delivered["P3"] == in_order


def test_2_figure_1_without_an_algorithm_is_the_violation_that_the_figure_shows() -> None:
    stage, in_order = figure_1("none")
    assert stage.delivered["P3"] == in_order[::-1]


def test_4_two_sets_that_do_not_talk_to_each_other_know_nothing_of_each_other() -> None:
    """P1 to P3 and P4 to P6: no barrier has a row or a tuple of the other set."""
    sets = ({"P1", "P2", "P3"}, {"P4", "P5", "P6"})
    stage, random, tuples = Stage("prs", sorted(set().union(*sets))), Random("4"), 0
    for _ in range(60):
        sender = random.choice(stage.names)
        own = next(one for one in sets if sender in one)
        message = stage.send(sender, set(random.sample(sorted(own - {sender}), random.randint(1, 2))))
        rows = barrier(stage, message, min(message.dests))
        assert {*rows, *(process for row in rows.values() for process in row)} <= own
        tuples += sum(map(len, rows.values()))
        stage.bring(random.choice(stage.flying))
    assert tuples > 100


def figure_2_up_to_M7() -> tuple[Stage, dict[int, Message]]:
    """M4 goes from P2 to P5 after M2, which the text does not say. There is no M5 in the text."""
    stage = Stage("prs", ["P1", "P2", "P3", "P4", "P5"])
    m = {1: stage.send("P1", {"P2", "P3", "P5"})}
    stage.arrive(m[1], "P2")
    m[2] = stage.send("P2", {"P3", "P4", "P5"})
    m[4] = stage.send("P2", {"P5"})
    for number in (1, 2):
        stage.arrive(m[number], "P3")
    m[3] = stage.send("P3", {"P5"})
    stage.arrive(m[2], "P4")
    m[6] = stage.send("P4", {"P3", "P5"})
    for number in (1, 2, 3, 4, 6):
        stage.arrive(m[number], "P5")
    m[7] = stage.send("P5", {"P3"})
    return stage, m


def figure_2() -> tuple[Stage, dict[int, Message]]:
    stage, m = figure_2_up_to_M7()
    stage.arrive(m[6], "P3")
    stage.arrive(m[7], "P3")
    m[8] = stage.send("P3", {"P5"})
    return stage, m


def test_4_1_M3_carries_its_direct_dependency_on_M2_and_not_the_one_on_M1() -> None:
    stage, m = figure_2()
    assert barrier(stage, m[3], "P5")["P5"] == {"P2": 1}


def test_4_1_M6_carries_only_M2_for_both_of_its_destinations() -> None:
    stage, m = figure_2()
    assert barrier(stage, m[6], "P3")["P3"] == barrier(stage, m[6], "P3")["P5"] == {"P2": 1}


def test_4_1_M4_and_M6_are_concurrent_and_say_nothing_of_each_other() -> None:
    stage, m = figure_2()
    for row in (*barrier(stage, m[4], "P5").values(), *barrier(stage, m[6], "P5").values()):
        assert ("P4", 1) not in row.items()
        assert ("P2", 2) not in row.items()


def test_4_1_M7_carries_only_M6_for_P3() -> None:
    stage, m = figure_2()
    assert barrier(stage, m[7], "P3")["P3"] == {"P4": 1}


def test_4_1_M7_that_reaches_P3_before_M6_waits_for_it() -> None:
    stage, m = figure_2_up_to_M7()
    assert stage.arrive(m[7], "P3") == []
    assert stage.held("P3") == ["P5:1 waits for message 1 of P4"]
    assert stage.arrive(m[6], "P3") == [m[6].id, m[7].id]


def test_4_1_M8_carries_no_constraint_at_all_since_M7_told_of_the_deliveries_at_P5() -> None:
    stage, m = figure_2()
    assert "P5" not in barrier(stage, m[8], "P5")
    assert stage.arrive(m[8], "P5") == [m[8].id]


def test_4_1_what_arrives_at_P5_in_the_opposite_order_is_delivered_in_causal_order() -> None:
    stage = Stage("prs", ["P1", "P2", "P3", "P5"])
    m1 = stage.send("P1", {"P2", "P3", "P5"})
    stage.arrive(m1, "P2")
    m2 = stage.send("P2", {"P3", "P5"})
    stage.arrive(m1, "P3")
    stage.arrive(m2, "P3")
    m3 = stage.send("P3", {"P5"})
    assert stage.arrive(m3, "P5") == []
    assert stage.held("P5") == ["P3:1 waits for message 1 of P2"]
    assert stage.arrive(m2, "P5") == []
    assert stage.arrive(m1, "P5") == [m1.id, m2.id, m3.id]


def test_5_1_sequence_numbers_count_a_senders_messages_and_not_those_to_one_process() -> None:
    """ "last + 1" would wait for ever: the message between went elsewhere."""
    stage = Stage("prs", ["P1", "P2", "P3"])
    to_p2, _, again = stage.send("P1", {"P2"}), stage.send("P1", {"P3"}), stage.send("P1", {"P2"})
    assert again.id.seq == 3
    assert stage.arrive(again, "P2") == []
    assert stage.arrive(to_p2, "P2") == [to_p2.id, again.id]


def test_5_2_send_the_barrier_is_copied_before_step_3_puts_the_message_itself_into_it() -> None:
    stage = Stage("prs", ["P1", "P2", "P3"])
    first = stage.send("P1", {"P2", "P3"})
    assert barrier(stage, first, "P2") == {}
    assert stage.ordering("P1").barrier == {"P2": {"P1": 1}, "P3": {"P1": 1}}
    second = stage.send("P1", {"P2"})
    assert barrier(stage, second, "P2") == {"P2": {"P1": 1}, "P3": {"P1": 1}}
    assert stage.ordering("P1").barrier == {"P2": {"P1": 2}, "P3": {"P1": 1}}


def test_5_2_reception_steps_3_to_7_on_one_delivery() -> None:
    stage = Stage("prs", ["P1", "P2", "P3", "P4"])
    m1 = stage.send("P1", {"P2", "P4"})
    stage.arrive(m1, "P2")
    m2 = stage.send("P2", {"P3", "P4"})
    stage.arrive(m2, "P3")
    prs = stage.ordering("P3")
    assert prs.delivered == {"P2": 1}, "step 3"
    assert prs.known == {"P1": {"P2": 1}}, "step 4: P2 had delivered M1"
    assert prs.barrier["P4"] == {"P2": 1}, "step 5: M2 takes the place of M1"
    assert prs.barrier["P3"] == {"P2": 1}, "step 5: row P3 of P3 is what was delivered here"
    assert "P2" not in prs.barrier, "step 7: what P2 has delivered is no constraint for P2"


def test_5_3_garbage_collection_drops_a_constraint_known_to_be_satisfied() -> None:
    """Step 8: P3 hears from P2 itself that M1 was delivered there."""
    stage = Stage("prs", ["P1", "P2", "P3"])
    m1 = stage.send("P1", {"P2", "P3"})
    stage.arrive(m1, "P3")
    assert stage.ordering("P3").barrier["P2"] == {"P1": 1}
    stage.arrive(m1, "P2")
    m2 = stage.send("P2", {"P3"})
    stage.arrive(m2, "P3")
    assert "P2" not in stage.ordering("P3").barrier


def random_executions(seeds: int) -> Iterator[tuple[Message, PrsStamp, Execution]]:
    """Every packet of random executions, at the moment it is transmitted."""
    for seed in range(seeds):
        random = Random(f"000 {seed}")
        stage, execution = Stage("prs", ["P1", "P2", "P3", "P4"]), Execution()
        sent: list[tuple[Message, PrsStamp]] = []

        def witness(process: str, effect: Effect, execution: Execution = execution) -> None:
            execution.observe(process, effect)
            if isinstance(effect, Transmit) and effect.packet.message and isinstance(effect.packet.stamp, PrsStamp):
                sent.append((effect.packet.message, effect.packet.stamp))  # noqa: B023 - used within its own turn

        stage.witnesses.append(witness)
        improvise(stage, random, sends=16)
        yield from ((message, stamp, execution) for message, stamp in sent)


def test_6_1_lemma_1_a_tuple_is_a_message_to_that_process_which_precedes() -> None:
    tuples = 0
    for message, stamp, execution in random_executions(60):
        precede = set(execution.precede(message.id))
        for dest, row in stamp.barrier.items():
            for cause in (MessageId(*pair) for pair in row.items()):
                assert cause in precede
                assert dest in execution.messages[cause].dests
                tuples += 1
    assert tuples > 1000


def test_6_1_lemma_2_no_tuple_is_dropped_before_it_is_satisfied_or_replaced() -> None:
    """A latest message to P_j that precedes M and is not known to be delivered is in CB_M[j]."""
    needed = 0
    for message, stamp, execution in random_executions(60):
        for to in message.dests - {message.sender}:
            for sender, seq, dest in execution.carried(message.id, to):
                assert stamp.barrier[dest][sender] >= seq
                needed += 1
    assert needed > 1000


def test_5_1_row_i_of_process_i_has_every_latest_message_delivered_there() -> None:
    rows = 0
    for seed in range(80):
        stage, execution = Stage("prs", ["P1", "P2", "P3", "P4"]), Execution()
        stage.witnesses.append(execution.observe)
        improvise(stage, Random(f"row {seed}"), sends=12)
        for process in stage.names:
            here = [m for m in stage.delivered[process] if m.sender != process]
            latest = {m for m in here if not any(m in execution.precede(other) for other in here)}
            assert latest <= set(map(tuple, stage.ordering(process).barrier.get(process, {}).items()))
            rows += len(latest) > 1
    assert rows > 10


def test_5_3_row_i_is_not_always_mutually_concurrent() -> None:
    """The paper says that it contains the latest messages, which are so, and not that it contains nothing else.

    P2 knows that M1 was delivered at P4, so M3 does not mention it, and step 5 leaves it.
    """
    stage = Stage("prs", ["P1", "P2", "P4"])
    m1 = stage.send("P1", {"P4"})
    stage.arrive(m1, "P4")
    m2 = stage.send("P4", {"P2"})
    stage.arrive(m2, "P2")
    m3 = stage.send("P2", {"P4"})
    stage.arrive(m3, "P4")
    assert stage.ordering("P4").barrier["P4"] == {"P1": 1, "P2": 1}, "and yet M1 precedes M3"


def test_5_3_a_message_carries_at_most_one_tuple_of_each_sender_for_each_process() -> None:
    """On the wire, where a row could name a sender twice: N x N at most, and fewer as senders are not destinations."""
    most = 0
    for message, stamp, execution in random_executions(20):
        rows = [(dest, sender) for dest, row in stamp.barrier.items() for sender in row]
        assert len(set(rows)) == len(rows) == stamp.entries
        assert all(dest != sender for dest, sender in rows if dest in execution.messages[message.id].dests)
        most = max(most, len(rows))
    assert 4 < most <= 4 * 3


def test_8_1_the_work_of_a_send_is_done_once_for_all_destinations() -> None:
    stage = Stage("prs", ["P1", "P2", "P3"])
    message = stage.send("P1", {"P2", "P3"})
    assert stage.packet(message, "P2") is stage.packet(message, "P3")


def maximal(messages: list[MessageId], execution: Execution) -> dict[str, int]:
    covered = {cause for message in messages for cause in execution.precede(message)}
    return dict(message for message in messages if message not in covered)


def test_8_2_the_compressed_form_is_exactly_the_maximal_predecessors() -> None:
    """One set S in place of equal rows. Of every message and, after every step, of every process."""
    several = 0
    for seed in range(150):
        random = Random(f"8.2 {seed}")
        stage, execution = Stage("prs-broadcast", ["P1", "P2", "P3", "P4"]), Execution()
        stage.witnesses.append(execution.observe)
        for _ in range(30):
            if not stage.flying or random.random() < 0.4:
                message = stage.send(random.choice(stage.names), stage.names)
                stamp = stage.packet(message, next(name for name in stage.names if name != message.sender)).stamp
                assert isinstance(stamp, BarrierStamp)
                assert stamp.barrier == maximal(execution.precede(message.id), execution)
                several += len(stamp.barrier) > 1
            else:
                process = stage.flying[at := random.randrange(len(stage.flying))].to
                stage.bring(stage.flying[at])
                ordering = stage.ordering(process)
                assert isinstance(ordering, PrsBroadcast)
                assert ordering.barrier == maximal(execution.known(process), execution)
    assert several > 300


def test_8_2_a_broadcast_has_at_most_one_tuple_a_process() -> None:
    """ "At most N tuples": here N - 1, since one's own last message covers all that one had sent and delivered."""
    stage = Stage("prs-broadcast", ["P1", "P2", "P3", "P4"])
    concurrent = [stage.send(name, stage.names) for name in ("P2", "P3", "P4")]
    for message in concurrent:
        stage.arrive(message, "P1")
    last = stage.send("P1", stage.names)
    assert stage.packet(last, "P2").control_entries == 3
    assert stage.packet(stage.send("P1", stage.names), "P2").control_entries == 1


def figure_8(algorithm: str) -> Stage:
    stage = Stage(algorithm, ["P1", "P2", "P3", "P4"])
    m1 = stage.send("P1", {"P2", "P4"})
    stage.arrive(m1, "P4")
    stage.arrive(m1, "P2")
    m2 = stage.send("P2", {"P3"})
    stage.arrive(m2, "P3")
    m3 = stage.send("P3", {"P4"})
    stage.arrive(m3, "P4")
    return stage


def test_8_3_figure_8_delivery_information_travels_one_hop_only() -> None:
    prs = figure_8("prs")
    assert prs.ordering("P3").known["P1"]["P2"] == 1, "P3 was told by P2"
    assert prs.ordering("P4").barrier["P2"] == {"P1": 1}, "and P4 was not told by P3"


def test_8_3_figure_8_where_ks_keeps_nothing() -> None:
    log = figure_8("ks").ordering("P4").log
    assert all("P2" not in dests for entries in log.values() for dests in entries.values())


@pytest.mark.parametrize("seed", range(20))
def test_prs_delivers_at_the_same_instants_as_ks(seed: int) -> None:
    ensemble = perform({"prs": {}, "ks": {}}, seed)
    assert isinstance(ensemble.stages["prs"].ordering("a"), Prs)


def test_3_schiper_eggli_and_sandoz_send_a_vector_for_each_destination() -> None:
    """M3 tells of what was sent to P3, by its vector time; what was sent to P2 itself it has."""
    stage = Stage("ses", ["P1", "P2", "P3"])
    m1 = stage.send("P1", {"P3"})
    m2 = stage.send("P1", {"P2"})
    stage.arrive(m2, "P2")
    m3 = stage.send("P2", {"P3"})
    stamp = stage.packet(m3, "P3").stamp
    assert isinstance(stamp, SesStamp)
    assert stamp.last == {"P3": {"P1": 1}}
    assert stamp.time == {"P1": 2, "P2": 1}
    assert stage.arrive(m3, "P3") == []
    assert stage.arrive(m1, "P3") == [m1.id, m3.id]
