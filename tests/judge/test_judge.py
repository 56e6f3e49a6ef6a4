"""What the judge counts, sentence by sentence, on traces small enough to be judged by eye."""

import pytest

from antecede.core.errors import Misuse
from antecede.judge.cycle import shortest_cycle
from antecede.judge.events import read_jsonl
from antecede.judge.judge import COUNTS, Verdict, Violation, judge
from antecede.judge.trace import arrange
from tests.judge.script import TRIANGLE, script


def verdict(text: str) -> Verdict:
    return judge(script(text))


def counts(text: str, *names: str) -> list[str | int]:
    found = verdict(text).as_dict()
    return [found[name] for name in ("verdict", *names)]


class TestViolations:
    def test_a_message_is_overtaken_along_a_chain_through_another_process(self) -> None:
        found = verdict(TRIANGLE)
        assert found.found == (Violation("", "b", 0, "m3", ("m1",), 1),)
        assert (found.verdict, found.violations, found.overtaken) == ("violated", 1, 1)

    def test_the_cause_first_is_in_order(self) -> None:
        assert counts(
            """
            a send m1 > b
            a send m2 > c
            c deliver m2
            c send m3 > b
            b deliver m1
            b deliver m3
            """,
            "violations",
            "overtaken",
        ) == ["holds", 0, 0]

    def test_two_messages_of_one_sender_are_ordered_by_its_index(self) -> None:
        late = "b deliver m2 \n b deliver m1"
        assert counts(f"a send m1 > b \n a send m2 > b \n {late}", "violations") == ["violated", 1]
        assert counts(f"a send m2 > b \n a send m1 > b \n {late}", "violations") == ["holds", 0]

    def test_the_order_is_that_of_the_index_and_not_of_the_rows(self) -> None:
        swapped = "a send m1 @7 > b \n a send m2 @3 > b \n b deliver m1 @9 \n b deliver m2 @4"
        assert counts(swapped, "violations") == ["holds", 0]
        late = "a send m1 > b \n a send m2 > b \n b deliver m1 @9 \n b deliver m2 @4"
        assert counts(late, "violations") == ["violated", 1]

    def test_a_deliver_may_be_recorded_before_its_send(self) -> None:
        events = script(TRIANGLE)
        assert judge(events[::-1]) == judge(events)

    def test_concurrent_messages_may_come_in_any_order(self) -> None:
        assert counts("a send m1 > c \n b send m2 > c \n c deliver m2 \n c deliver m1", "violations") == ["holds", 0]

    def test_a_deliver_after_the_send_causes_nothing(self) -> None:
        """c delivered m2 only after it had sent m3: the two are concurrent."""
        assert counts(
            "a send m1 > b \n a send m2 > c \n c send m3 > b \n c deliver m2 \n b deliver m3 \n b deliver m1",
            "violations",
        ) == ["holds", 0]

    def test_a_message_that_was_not_sent_to_the_process_is_not_overtaken_there(self) -> None:
        assert counts(
            "a send m1 > c \n a send m2 > b \n b deliver m2 \n c deliver m1 \n b deliver m1", "violations", "spurious"
        ) == ["holds", 0, 1]

    def test_one_deliver_that_overtakes_two_is_one_violation_and_two_overtaken(self) -> None:
        late = "b deliver m3 \n b deliver m1 \n b deliver m2"
        found = verdict(f"a send m1 > b \n a send m2 > b \n a send m3 > b \n {late}")
        assert (found.violations, found.overtaken) == (1, 2)
        assert found.found[0].overtaken == ("m1", "m2")

    def test_one_message_overtaken_by_two_delivers_is_two_violations(self) -> None:
        late = "b deliver m2 \n b deliver m3 \n b deliver m1"
        assert counts(f"a send m1 > b \n a send m2 > b \n a send m3 > b \n {late}", "violations", "overtaken") == [
            "violated",
            2,
            2,
        ]

    def test_each_destination_counts_for_itself(self) -> None:
        sends = "a send m1 > b c d \n a send m2 > b c d"
        late = "b deliver m2 \n b deliver m1 \n c deliver m1 \n c deliver m2 \n d deliver m2 \n d deliver m1"
        assert [(v.process, v.index) for v in verdict(f"{sends} \n {late}").found] == [("b", 0), ("d", 0)]

    def test_a_send_to_oneself_is_ordered_like_any_other(self) -> None:
        sends = "a send m1 > a \n a send m2 > a"
        assert counts(f"{sends} \n a deliver m1 \n a deliver m2", "violations") == ["holds", 0]
        assert counts(f"{sends} \n a deliver m2 \n a deliver m1", "violations") == ["violated", 1]

    def test_a_receive_causes_nothing_where_there_are_delivers(self) -> None:
        """The packet of m2 is at c when c sends m3, but its application has not seen m2."""
        assert counts(
            "a send m1 > b \n a send m2 > c \n c receive m2 \n c send m3 > b \n c deliver m2 \n"
            "b receive m3 \n b deliver m3 \n b deliver m1",
            "violations",
            "deliveries",
        ) == ["holds", 0, 3]

    def test_other_kinds_of_events_cause_nothing_and_count_as_events(self) -> None:
        extra = "b move \n b connect \n b disconnect \n b internal \n"
        assert counts(extra + TRIANGLE, "violations", "events") == ["violated", 1, 10]


class TestReceiveAsDeliver:
    def test_in_a_run_with_no_deliver_at_all_receive_counts_as_deliver(self) -> None:
        assert counts(TRIANGLE.replace("deliver", "receive"), "violations", "deliveries") == ["violated", 1, 3]

    def test_one_deliver_anywhere_in_the_run_makes_receives_arrivals(self) -> None:
        one = TRIANGLE.replace("deliver", "receive") + "b deliver m3"
        assert counts(one, "violations", "deliveries", "lost") == ["holds", 0, 1, 2]

    def test_each_run_decides_for_itself(self) -> None:
        received = "r/a send m1 > b \n r/a send m2 > b \n r/b receive m2 \n r/b receive m1 \n"
        delivered = "s/a send m1 > b \n s/b receive m1 \n s/b deliver m1"
        found = verdict(received + delivered)
        assert (found.violations, found.deliveries, found.lost) == (1, 3, 0)

    def test_a_deliver_that_is_quarantined_does_not_decide(self) -> None:
        repeated = TRIANGLE.replace("deliver", "receive") + "b deliver @0 m3"
        assert counts(repeated, "violations", "quarantined") == ["violated", 1, 1]


class TestLostDuplicateSpurious:
    def test_a_message_never_delivered_is_lost_and_not_overtaken(self) -> None:
        assert counts("a send m1 > b c \n a send m2 > b \n b deliver m2", "violations", "lost") == ["holds", 0, 2]

    def test_a_destination_named_twice_is_lost_once(self) -> None:
        assert counts("a send m1 > b b", "lost") == ["undecidable", 1]

    def test_a_message_to_nobody_is_not_lost(self) -> None:
        assert counts("a send m1 >", "messages", "lost") == ["undecidable", 1, 0]

    def test_a_second_deliver_is_a_duplicate_and_never_a_violation(self) -> None:
        """Without the rule that only the first counts, the second m2 would overtake m3."""
        sends = "a send m1 > b \n a send m3 > b \n a send m2 > b \n"
        delivers = "b deliver m1 \n b deliver m3 \n b deliver m2 \n b deliver m2 \n b deliver m1"
        assert counts(sends + delivers, "violations", "duplicates", "spurious", "deliveries") == ["holds", 0, 2, 0, 5]

    def test_a_message_is_not_late_because_it_comes_again_later(self) -> None:
        text = "a send m1 > b \n a send m2 > b \n b deliver m1 \n b deliver m2 \n b deliver m1"
        assert counts(text, "violations", "duplicates") == ["holds", 0, 1]

    def test_a_duplicate_of_the_overtaker_adds_no_violation(self) -> None:
        """Also while m2 is still on its way to c."""
        text = "a send m1 > b \n a send m2 > b c \n b deliver m2 \n b deliver m2 \n b deliver m1 \n c deliver m2"
        assert counts(text, "violations", "overtaken", "duplicates") == ["violated", 1, 1, 1]

    def test_the_first_deliver_is_that_of_the_lowest_index_not_of_the_first_row(self) -> None:
        text = "a send m1 > b \n a send m2 > b \n b deliver m1 @9 \n b deliver m2 @5 \n b deliver m1 @1"
        assert counts(text, "violations", "duplicates") == ["holds", 0, 1]

    def test_a_deliver_of_a_message_never_sent_is_spurious(self) -> None:
        text = "a send m1 > b \n b deliver ghost \n b deliver m1"
        assert counts(text, "violations", "spurious", "duplicates") == ["holds", 0, 1, 0]

    def test_a_spurious_deliver_again_is_a_duplicate_only(self) -> None:
        text = "a send m1 > b \n b deliver ghost \n b deliver ghost \n b deliver m1 \n c deliver m1 \n c deliver m1"
        assert counts(text, "spurious", "duplicates", "deliveries") == ["holds", 2, 2, 5]

    def test_a_message_sent_in_another_run_was_not_sent_in_this_one(self) -> None:
        text = "r/a send m1 > b \n r/b deliver m1 \n s/b deliver m1"
        assert counts(text, "spurious", "lost") == ["undecidable", 1, 0]

    def test_a_spurious_deliver_is_no_violation(self) -> None:
        """b got m2, which was not for it, before m1."""
        text = "a send m1 > b \n a send m2 > c \n b deliver m2 \n b deliver m1 \n c deliver m2"
        assert counts(text, "violations", "spurious") == ["holds", 0, 1]

    def test_a_spurious_deliver_of_a_sent_message_carries_causality(self) -> None:
        """c was not meant to get m2, but what c sent then may have been caused by it, and by m1."""
        text = TRIANGLE.replace("a send m2 > c", "a send m2 > d")
        assert counts(text, "violations", "spurious", "lost") == ["violated", 1, 1, 1]

    def test_a_duplicate_keeps_its_place_in_the_order_of_its_process(self) -> None:
        """c gets m2 before and after its send; the first one is the cause, the second changes nothing."""
        text = TRIANGLE.replace("c send m3 > b", "c send m3 > b \n c deliver m2")
        assert counts(text, "violations", "duplicates") == ["violated", 1, 1]


class TestQuarantine:
    def test_of_rows_with_one_position_the_first_in_input_order_stays(self) -> None:
        text = "a send m1 @0 > b \n a send m2 @0 > b \n b deliver m1"
        found = verdict(text)
        assert (found.quarantined, found.events, found.messages, found.lost) == (1, 2, 1, 0)
        assert [(row.reason, '"message":"m2"' in row.row) for row in found.quarantine] == [("duplicate index", True)]

    def test_of_sends_of_one_message_the_first_in_input_order_stays(self) -> None:
        found = verdict("a send m1 @5 > b \n a send m1 @2 > b c d \n b deliver m1")
        assert (found.quarantined, found.events, found.messages, found.lost) == (1, 2, 1, 0)
        assert [row.reason for row in found.quarantine] == ["duplicate message id"]

    def test_a_send_quarantined_for_its_index_does_not_keep_the_id(self) -> None:
        found = verdict("a internal @0 \n a send m1 @0 > b \n a send m1 @1 > b c")
        assert (found.quarantined, found.messages, found.lost) == (1, 1, 2)

    def test_a_send_quarantined_for_its_id_still_keeps_its_index(self) -> None:
        """Positions are settled first, among all rows."""
        found = verdict("a send m1 @0 > b \n a send m1 @1 > b \n a internal @1")
        assert [row.reason for row in found.quarantine] == ["duplicate message id", "duplicate index"]

    def test_the_same_id_or_position_in_another_run_is_another(self) -> None:
        assert counts("r/a send m1 > b \n s/a send m1 > b", "quarantined", "messages") == ["undecidable", 0, 2]

    def test_several_delivers_of_one_message_are_not_quarantined(self) -> None:
        assert counts("a send m1 > b \n b deliver m1 \n b deliver m1", "quarantined") == ["holds", 0]

    def test_rows_refused_in_reading_add_up_with_those_refused_in_judging(self) -> None:
        row = '{"process": "a", "index": 0, "kind": "internal"}'
        events, quarantine = read_jsonl([row, row, "{"])
        assert judge(events, quarantined=len(quarantine)).quarantined == 2


class TestVerdict:
    def test_an_empty_trace_is_undecidable(self) -> None:
        found = verdict("")
        assert (found.verdict, found.complete, found.reasons) == ("undecidable", True, ("the input has no events",))
        assert {getattr(found, name) for name in COUNTS} == {0}

    @pytest.mark.parametrize(
        ("text", "lost", "spurious", "reason"),
        [
            ("a send m1 > b c", 2, 0, "no deliver was recorded"),
            ("b deliver m1 \n c deliver m1", 0, 2, "no send was recorded"),
            ("h move \n h connect", 0, 0, "no message was sent or delivered"),
        ],
    )
    def test_a_run_in_which_no_message_has_both_a_send_and_a_deliver_is_undecidable(
        self, text: str, lost: int, spurious: int, reason: str
    ) -> None:
        found = verdict(text)
        assert (found.verdict, found.lost, found.spurious) == ("undecidable", lost, spurious)
        assert found.reasons[0].startswith(f"run '': {reason}")

    def test_internal_events_alone_can_not_be_judged(self) -> None:
        found = verdict("r/a internal \n r/b internal")
        assert found.verdict == "undecidable"
        assert found.reasons[0].startswith("run 'r': no message identities")

    def test_sends_and_delivers_that_share_no_id_can_not_be_judged(self) -> None:
        found = verdict("a send m1 > b \n b deliver x1")
        assert found.verdict == "undecidable"
        assert "cannot be paired" in found.reasons[0]
        assert (found.lost, found.spurious) == (1, 1)

    def test_one_pair_is_enough_even_where_it_was_not_addressed(self) -> None:
        assert counts("a send m1 > b \n b deliver x1 \n c deliver m1") == ["holds"]

    def test_receives_do_not_pair_where_there_are_delivers(self) -> None:
        assert counts("a send m1 > b \n b receive m1 \n b deliver x1") == ["undecidable"]

    def test_a_cycle_can_not_be_judged_and_is_named(self) -> None:
        found = verdict("a deliver m2 \n a send m1 > b \n b deliver m1 \n b send m2 > a")
        assert found.verdict == "undecidable"
        assert found.reasons == (
            "run '': happened-before has a cycle: "
            "b delivered m1 and only then sent m2, a delivered m2 and only then sent m1",
        )

    def test_the_shortest_cycle_is_named(self) -> None:
        """A cycle of three that is met first, and one of a single message."""
        found = verdict(
            "a deliver m3 \n a send m1 > b \n b deliver m1 \n b send m2 > c \n c deliver m2 \n c send m3 > a \n"
            "c deliver m4 \n c send m4 > c"
        )
        assert found.reasons == ("run '': happened-before has a cycle: c delivered m4 and only then sent it",)

    def test_a_process_that_only_waits_for_a_cycle_is_not_named(self) -> None:
        """a waits for b, but nobody waits for a."""
        text = "a deliver m2 \n a send m1 > b \n b deliver m3 \n b send m2 > a \n c deliver m2 \n c send m3 > b"
        (run,) = arrange(script(text))
        assert sorted(shortest_cycle(run, steps_max=0)) == ["m2", "m3"]
        assert "a delivered" not in verdict(text).reasons[0]

    def test_a_message_that_only_follows_a_cycle_is_not_named(self) -> None:
        """c delivered both messages of the cycle before it sent m3, and nobody on the cycle delivered m3."""
        cycle = "a deliver m2 \n a send m1 > b c \n b deliver m1 \n b send m2 > a c \n"
        found = verdict(cycle + "c deliver m1 \n c deliver m2 \n c send m3 > d \n d deliver m3")
        assert found.verdict == "undecidable"
        assert found.reasons == verdict(cycle).reasons

    def test_a_long_cycle_is_named_in_part(self) -> None:
        ring = [f"p{i} deliver m{i} \n p{i} send m{(i + 1) % 30} > x" for i in range(30)]
        reason = verdict("\n".join(ring)).reasons[0]
        assert reason.count("only then") == 20
        assert reason.endswith("and so on over 10 more messages")

    def test_a_run_with_a_cycle_counts_all_but_order(self) -> None:
        """b would violate, but what happened before what is not known in this run."""
        cycle = "x deliver m9 \n x send m9 > x y"
        found = verdict(f"{TRIANGLE} \n b deliver m1 \n b deliver ghost \n {cycle}")
        assert (found.verdict, found.violations, found.overtaken, found.found) == ("undecidable", 0, 0, ())
        assert (found.events, found.messages, found.deliveries) == (10, 4, 6)
        assert (found.lost, found.duplicates, found.spurious) == (1, 1, 1)

    def test_violated_goes_before_undecidable_and_that_before_holds(self) -> None:
        good = "g/a send m1 > b \n g/b deliver m1 \n"
        blind = "u/a internal \n"
        bad = "v/a send m1 > b \n v/a send m2 > b \n v/b deliver m2 \n v/b deliver m1 \n"
        assert verdict(good).verdict == "holds"
        assert verdict(good + blind).verdict == "undecidable"
        both = verdict(good + blind + bad)
        assert (both.verdict, both.runs, len(both.reasons)) == ("violated", 3, 1)

    def test_processes_of_two_runs_are_different_ones(self) -> None:
        assert counts("r/a send m1 > b \n s/a send m1 > b", "processes", "runs") == ["undecidable", 2, 2]

    def test_as_dict_has_the_keys_of_the_json_answer_in_order(self) -> None:
        assert list(verdict(TRIANGLE).as_dict().items()) == [
            ("verdict", "violated"),
            ("complete", True),
            ("runs", 1),
            ("processes", 3),
            ("events", 6),
            ("messages", 3),
            ("deliveries", 3),
            ("violations", 1),
            ("overtaken", 1),
            ("lost", 0),
            ("duplicates", 0),
            ("spurious", 0),
            ("quarantined", 0),
        ]


class TestLimits:
    REVERSED = "\n".join(
        [f"a send m{i} > b c" for i in range(9)] + [f"{p} deliver m{8 - i}" for p in "cb" for i in range(9)]
    )

    def test_counts_stay_exact_beyond_what_is_listed(self) -> None:
        found = judge(script(self.REVERSED), listed_max=3)
        assert (found.violations, found.overtaken) == (16, 72)
        assert [(v.process, v.index, len(v.overtaken), v.overtaken_count) for v in found.found] == [
            ("b", 0, 3, 8),
            ("b", 1, 3, 7),
            ("b", 2, 3, 6),
        ]

    def test_nothing_listed_is_a_limit_too(self) -> None:
        found = judge([*script(self.REVERSED), *script("a internal @0")], listed_max=0)
        assert (found.violations, found.found, found.quarantined, found.quarantine) == (16, (), 1, ())

    @pytest.mark.parametrize("wrong", [{"quarantined": -1}, {"listed_max": -1}])
    def test_negative_numbers_are_the_callers_mistake(self, wrong: dict[str, int]) -> None:
        with pytest.raises(Misuse, match="0 or more"):
            judge([], **wrong)

    def test_an_event_built_without_its_message_is_the_callers_mistake(self) -> None:
        with pytest.raises(Misuse, match="has no message"):
            judge(script("a send > b"))


def test_an_iterator_is_judged_as_well_as_a_list() -> None:
    assert judge(iter(script(TRIANGLE))) == judge(script(TRIANGLE))
