"""Every erratum: the printed form misses the truth, ours does not, and random executions agree."""

from collections.abc import Sequence
from dataclasses import astuple, replace
from types import ModuleType

import pytest

from antecede import MessageId
from antecede.core.mobile.relay import Relay
from antecede.core.mobile.station import Station
from antecede.core.ordering.prs import PrsStamp
from antecede.lab.printed.ordering import Bare, PickRow
from antecede.lab.printed.roaming import last_places
from tests.core.mobile.script import order
from tests.errata import av, barrier_contents, ks, mr, msv, notifications, prs, roaming
from tests.errata.constraints import carried
from tests.errata.executions import SEEDS, Traffic, everyone, execution, failures
from tests.errata.forms import IDEAL, Form, core
from tests.errata.printed import Waiting, by_the_rules, inferred_phases, learn_ahead, phases, rcv4
from tests.errata.printed import prs as printed_prs
from tests.errata.printed import rst as printed_rst
from tests.errata.roaming_scenes import (
    after_a_move,
    dropped_while_asleep,
    in_the_air,
    integers_about_the_disconnected,
    one_by_one,
    there_and_back,
    two_moves,
)
from tests.errata.roaming_search import Stations
from tests.errata.search import shortest
from tests.errata.stage import Stage, diagram, perform

CHAPTERS = (prs, av, ks, mr, msv)
FEW = range(60)
WITHOUT_SEARCH = {
    "A misprint sends handoff_begin to its own sender",
    "Is Algorithm 1 graceful to disconnections?",
    "The proof of liveness waits for the wrong message",
    "The star's observation set",
}
"""Errata about every execution with a hand-off, about a sentence, about a proof, and about two sets."""


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.__name__.rpartition(".")[2])
class TestErratum:
    def test_the_printed_form_misses_the_truth_and_ours_does_not(self, chapter: ModuleType) -> None:
        for erratum in chapter.counterexamples():
            assert erratum.printed != erratum.truth, erratum.title
            assert erratum.ours == erratum.truth, erratum.title
            assert erratum.holds, erratum.title

    def test_random_executions_trip_the_printed_form_and_never_ours(self, chapter: ModuleType) -> None:
        for erratum in chapter.counterexamples():
            if erratum.often is None:
                assert erratum.title in WITHOUT_SEARCH
                continue
            found = erratum.often()
            assert not found.printed.none, erratum.title
            assert found.ours is None or found.ours.none, erratum.title
            assert max(astuple(found.printed)) <= found.total, erratum.title


class TestPrintedFormsAreWhatTheyClaim:
    """Within its assumptions a printed form is right: the failures above come from the defect and nothing else."""

    def test_000_as_printed_holds_where_no_sender_is_a_destination(self) -> None:
        assert failures(printed_prs(), Traffic(), FEW).none

    def test_001_as_printed_holds_where_no_sender_is_a_destination(self) -> None:
        assert failures(printed_rst(), Traffic(unicast=True), FEW).none

    def test_003_as_printed_holds_on_FIFO_channels(self) -> None:
        assert failures(phases(), Traffic(fifo=True, groups=everyone), FEW).none
        assert failures(phases(), Traffic(fifo=True, processes_min=4, groups=mr.sharing_two), FEW).none

    def test_003_section_4_3_holds_in_trees_of_groups_that_share_one_process(self) -> None:
        assert failures(phases(own_groups=True), mr.TREE).none

    def test_003_section_4_3_fails_in_a_cycle_of_groups_that_share_one_process(self) -> None:
        """As the paper says: its claim is for graphs without a cycle."""
        assert not failures(phases(own_groups=True), mr.CYCLE).none

    def test_the_core_of_000_and_its_printed_form_deliver_at_the_same_arrivals(self) -> None:
        for seed in FEW:
            ours, theirs = (execution(form, Traffic(), seed) for form in (core("prs"), printed_prs()))
            assert ours.progress == theirs.progress, f"seed {seed}"

    def test_the_oracle_breaks_nothing(self) -> None:
        assert failures(IDEAL, Traffic(own=True), FEW).none


def last_row(sender: str, to: str, names: Sequence[str]) -> str:
    return names[-1]


class TestOneRowForAll:
    """000 §8.2: right if the sender is a destination, as it says there; wrong with the assumption of §5.1."""

    @pytest.mark.parametrize("row", [prs.sender_row, prs.first_row, last_row])
    @pytest.mark.parametrize("fifo", [True, False])
    def test_any_one_row_is_enough_if_the_sender_is_a_destination(self, row: PickRow, fifo: bool) -> None:
        assert failures(printed_prs(row, at_once=True), replace(prs.TO_EVERYBODY, fifo=fifo)).none

    def test_all_rows_of_all_barriers_are_equal_if_the_sender_is_a_destination(self) -> None:
        rows = 0

        def watch(stage: Stage, label: str) -> None:
            nonlocal rows
            for stamp in (packet.stamp for (sent, _), packet in stage.packets.items() if sent == label):
                assert isinstance(stamp, PrsStamp)
                found = [dict(stamp.barrier.get(name, {})) for name in stage.names]
                assert all(row == found[0] for row in found)
                rows += bool(found[0])

        for seed in FEW:
            execution(printed_prs(at_once=True), replace(prs.TO_EVERYBODY, fifo=False), seed, watch)
        assert rows > 300

    @pytest.mark.parametrize("fifo", [True, False])
    def test_with_the_assumption_of_5_1_its_own_row_is_enough_for_each_destination(self, fifo: bool) -> None:
        assert failures(printed_prs(prs.receiver_row), replace(prs.TO_OTHERS, fifo=fifo)).none
        assert shortest(printed_prs(prs.receiver_row), 2, 5, fifo=fifo) is None

    @pytest.mark.parametrize("row", [prs.sender_row, prs.first_row])
    def test_with_the_assumption_of_5_1_a_process_waits_for_itself_after_three_steps(self, row: PickRow) -> None:
        found = shortest(printed_prs(row), 2, 3, fifo=True)
        assert found is not None
        assert len(found) == 3
        assert shortest(printed_prs(row), 2, 2, fifo=False) is None

    def test_with_the_assumption_of_5_1_the_row_of_the_sender_is_enough_on_FIFO_channels_if_own_messages_count(
        self,
    ) -> None:
        form = printed_prs(prs.sender_row, counts_own=True)
        assert failures(form, prs.TO_OTHERS).none
        assert shortest(form, 2, 5, fifo=True) is None
        assert not failures(form, replace(prs.TO_OTHERS, fifo=False), FEW).none

    def test_with_the_assumption_of_5_1_another_row_is_not_enough_even_if_own_messages_count(self) -> None:
        assert not failures(printed_prs(prs.first_row, counts_own=True), prs.TO_OTHERS, FEW).none


class TestReadingsThatAreRight:
    """The readings of a paper that its entry grants: each is as right as the entry says, in random executions too."""

    def test_002_looking_ahead_is_right_with_hardware_multicast(self) -> None:
        assert perform(ks.HARDWARE, "i j k x", ks.LOOKED_AHEAD).order("x") == ks.look_ahead().truth
        assert failures(ks.HARDWARE, ks.IN_ORDER).none

    def test_002_looking_ahead_fails_only_by_what_the_sender_prunes(self) -> None:
        """The same executions, in which the two forms differ in nothing but what O_M has of destinations of M."""
        assert failures(ks.LOOK_AHEAD, ks.IN_ORDER).order > 0
        assert failures(ks.LOOK_AHEAD, replace(ks.IN_ORDER, unicast=True)).none

    @pytest.mark.parametrize(
        ("form", "traffic"),
        [(inferred_phases(waiting=True), mr.ALONE), (by_the_rules(waiting=True), mr.REORDERED)],
        ids=["§3.3", "§3.4"],
    )
    def test_003_the_rules_hold_if_senders_wait_for_the_phase_before(self, form: Form, traffic: Traffic) -> None:
        assert failures(form, traffic).none
        for seed in FEW:
            stage = execution(form, traffic, seed)
            assert all(isinstance(party, Waiting) and not party.unsent for party in stage.parties.values())

    def test_001_moves_put_one_after_the_other_are_right_until_a_host_returns(self) -> None:
        assert order(two_moves(notifications.CHAINED), "h") == ["x:1", "y:1"]
        assert order(there_and_back(notifications.CHAINED), "h") == ["x:2", "x:1"]
        assert order(there_and_back(notifications.MULTICAST), "h") == ["x:2", "x:1"]
        assert order(there_and_back(roaming.OURS), "h") == ["x:1", "x:2"]

    def test_001_a_station_that_stays_with_the_place_it_has_is_right_as_the_defence_says(self) -> None:
        assert order(two_moves(notifications.STAYING), "h") == ["x:1", "y:1"]
        assert order(there_and_back(notifications.STAYING), "h") == ["x:1", "x:2"]
        assert notifications.ALGORITHM_2.failures(notifications.STAYING).none

    def test_001_two_histories_with_the_same_notifications_end_in_different_cells(self) -> None:
        """Without the move back, nobody can tell from the two others which was first."""
        there, elsewhere, back = ("s1", "s2"), ("s1", "s3"), ("s2", "s1")
        assert last_places("s1", [elsewhere, there]) == ["s2", "s3"]
        assert last_places("s1", [elsewhere, there, back]) == ["s3"]
        assert last_places("s1", [elsewhere, there, ("s3", "s1")]) == ["s2"]

    def test_001_separate_unicasts_in_the_other_order_are_held_back_by_rst(self) -> None:
        scene = one_by_one(roaming.PRINTED, notified="s4", not_yet="s3")
        assert scene.oracle.violations == 0
        assert order(scene, "h") == ["x:1", "y:1"]


class TestDetails:
    def test_002_looking_ahead_with_RCV_3_too_helps_here_and_not_elsewhere(self) -> None:
        script = ks.look_ahead().execution
        assert not isinstance(script, str)
        assert perform(ks.LEARN_AHEAD, "i j k x", script).order("x") == "M1, M2, M3"
        found = failures(ks.LEARN_AHEAD, ks.IN_ORDER)
        assert not found.none
        assert failures(learn_ahead(hardware=True), ks.IN_ORDER) == found, "SND(2) is then performed ahead too"

    def test_001_when_the_stale_location_is_used_both_hand_offs_have_ended(self) -> None:
        """What is sent to s2 then is in transition after s2 has had `last` from all stations."""
        sent_to_s2 = 0
        for printed in (roaming.PRINTED, notifications.MULTICAST):
            scene = two_moves(printed, until_both_have_ended=True)
            for station in scene.stations.values():
                assert isinstance(station, Station)
                assert isinstance(station.scheme, Relay)
                assert not station.scheme.draining
            s4 = scene.stations["s4"]
            assert isinstance(s4, Station)
            assert isinstance(s4.scheme, Relay)
            sent_to_s2 += s4.scheme.location["h"] == "s2"
        assert sent_to_s2 == 2

    def test_002_rcv4_as_printed_breaks_lemma_1_in_the_log_of_i(self) -> None:
        """§5.1: a destination is in at most one entry of a sender."""
        script = ks.first_test_of_rcv4().execution[:6]
        assert not isinstance(script, str)
        assert _log_dots(perform(rcv4(), "i a d", script)) == [(1, "d"), (3, "d")]
        assert _log_dots(perform(core("ks"), "i a d", script)) == [(3, "d")]

    def test_002_rcv4_as_printed_is_safe_all_the_same(self) -> None:
        assert failures(rcv4(), Traffic(), FEW).none

    def test_002_the_numbers_of_section_7_1_change_no_instant_of_delivery(self) -> None:
        unchanged, broken = ks.needless_numbers()
        assert unchanged == len(SEEDS)
        assert broken == 0, "and without them causal order is kept"

    def test_001_a_stale_notification_fails_in_both_readings_of_a_broadcast(self) -> None:
        erratum = notifications.stale_notification()
        unicasts, chained, staying = (answer for _, answer in erratum.other_readings)
        assert unicasts == erratum.printed
        assert chained == staying == erratum.truth, "as the defence says"

    def test_001_all_ten_integers_about_the_disconnected_stay_in_the_header(self) -> None:
        assert integers_about_the_disconnected(Stations("av1")) == [10, 10]

    def test_001_separate_notifications_fail_and_one_causal_multicast_does_not(self) -> None:
        answers = [answer for _, answer in notifications.broadcast_as_unicasts().answers]
        assert answers == ["y:1, x:1", "x:1, y:1", "x:1, y:1"]

    def test_001_a_message_that_is_dropped_is_counted_and_not_merged(self) -> None:
        station = dropped_while_asleep(Stations("av1")).stations["s2"]
        assert isinstance(station, Station)
        ordering = station.berths["b"].luggage_here.mind.ordering
        assert ordering.delivered == {"a": 2}

    @pytest.mark.parametrize(("form", "traffic"), [(inferred_phases(), mr.ALONE), (by_the_rules(), mr.REORDERED)])
    def test_003_the_rules_fail_by_themselves_too(self, form: Form, traffic: Traffic) -> None:
        """Some executions fail though every process begins with a message of phase 0, or with resynch(1)."""
        assert " in 0 no " not in mr.rules_alone_told(form, traffic)

    def test_001_the_executions_have_unicasts_to_other_hosts_only(self) -> None:
        av1, av2 = Stations("av1"), Stations("av2")
        for scene in (two_moves(av2), one_by_one(av2), in_the_air(av1), after_a_move(av2)):
            for message in scene.oracle.messages.values():
                assert len(message.dests - {message.sender}) == len(message.dests) == 1

    def test_000_every_redundant_tuple_is_delivered_or_superseded_and_none_is_missing(self) -> None:
        """Lemma 2 of §6: what is owed is in the barrier."""

        def watch(stage: Stage, label: str) -> None:
            packet = next(packet for (sent, _), packet in stage.packets.items() if sent == label)
            assert packet.message is not None
            assert stage.knowledge.owed(packet.message.id) <= carried(packet)

        for seed in FEW:
            execution(printed_prs(), Traffic(), seed, watch)
        found = barrier_contents.find_redundant(barrier_contents.PRINTED, barrier_contents.ANY)
        assert 0 < found.undelivered < found.redundant

    def test_000_what_figure_8_explains_may_be_a_direct_predecessor(self) -> None:
        """The redundant tuple of M4, which P4 sends to P2, is of M1: delivered, and the only message to P2 before."""
        script = ["P1 sends M1 to P2, P4", "M1 arrives at P2", "M1 arrives at P4", "P2 sends M2 to P3"]
        script += ["M2 arrives at P3", "P3 sends M3 to P4", "M3 arrives at P4", "P4 sends M4 to P2"]
        stage = perform(printed_prs(), "P1 P2 P3 P4", script)
        m4, redundant = MessageId("P4", 1), {(MessageId("P1", 1), "P2")}
        assert carried(stage.packets["M4", "P2"]) == redundant
        assert stage.knowledge.owed(m4) == set()
        assert barrier_contents.direct_predecessors(stage.knowledge, m4, "P2") == redundant

    def test_000_who_heard_of_a_message_through_others_cannot_tell_that_it_was_dropped(self) -> None:
        """i has the same state and is sent the same M2, whether M1 is a direct predecessor of M4 or not."""
        m1, m4 = (MessageId("a", 1), "d"), MessageId("i", 2)
        states, packets, direct = [], [], []
        for script in (barrier_contents.HEARD_THROUGH_OTHERS, barrier_contents.NOT_HEARD):
            before = perform(printed_prs(), "a r p i d", script)
            party = before.parties["i"]
            assert isinstance(party, Bare)
            states.append(party.paper)
            packets.append(carried(before.packets["M2", "i"]))
            after = perform(printed_prs(), "a r p i d", [*script, "M2 arrives at i", "i sends M4 to d"])
            assert m1 in carried(after.packets["M4", "d"])
            direct.append(m1 in barrier_contents.direct_predecessors(after.knowledge, m4, "d"))
        assert states[0] == states[1]
        assert packets[0] == packets[1]
        assert direct == [False, True]

    def test_000_a_tuple_that_is_superseded_may_never_have_been_dropped(self) -> None:
        script = ["a sends M1 to i, p, d", "M1 arrives at i", "M1 arrives at p", "p sends M3 to d", "p sends M5 to i"]
        stage = perform(printed_prs(), "a i p d", [*script, "M5 arrives at i", "i sends M6 to d"])
        m1, m3 = (MessageId("a", 1), "d"), (MessageId("p", 1), "d")
        assert carried(stage.packets["M6", "d"]) == {m1, m3}
        assert barrier_contents.direct_predecessors(stage.knowledge, MessageId("i", 1), "d") == {m3}

    def test_000_the_row_of_the_sender_of_a_broadcast_may_hold_a_message_and_one_that_precedes_it(self) -> None:
        assert barrier_contents.broadcast_row(to_oneself=False) == "{(P1, 1), (P2, 1)}"
        assert barrier_contents.broadcast_row(to_oneself=True) == "{(P2, 1)}"


class TestStage:
    def test_a_step_that_is_not_a_step_is_refused(self) -> None:
        with pytest.raises(ValueError, match="not a step"):
            perform(core("ks"), "i j", ["i whispers M1 to j"])

    def test_what_was_not_sent_cannot_arrive(self) -> None:
        with pytest.raises(ValueError, match="M1 is not on its way to j"):
            perform(core("ks"), "i j", ["M1 arrives at j"])

    def test_a_diagram_has_a_line_for_each_process(self) -> None:
        script = ["i sends M1 to j", "i sends M2 to j", "M2 arrives at j", "M1 arrives at j"]
        assert diagram(perform(core("ks"), "i j", script)).splitlines() == [
            "i --M1>--M2>---------------",
            "j ------------M2.--M1*M2*--",
        ]

    def test_the_oracle_knows_what_is_owed(self) -> None:
        stage = perform(core("ks"), "i j x", ["i sends M1 to j, x", "M1 arrives at j", "j sends M2 to x"])
        assert stage.knowledge.required(MessageId("j", 1), "x") == {(MessageId("i", 1), "x")}


def _log_dots(stage: Stage) -> list[tuple[int, str]]:
    """LOG_i, its entries for messages of i itself to d."""
    entries = stage.parties["i"].ordering.log["i"]  # type: ignore[attr-defined]  # a Process of the core
    return sorted((clock, dest) for clock, dests in entries.items() for dest in dests if dest == "d")
