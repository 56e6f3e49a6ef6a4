"""Every erratum: the printed form misses the truth, ours does not, and random executions agree."""

import pytest

from antecede import MessageId
from tests.errata import av, ks, mr, page, printed_mr, prs
from tests.errata.constraints import carried
from tests.errata.erratum import Erratum
from tests.errata.executions import Traffic, broken, everyone, execution
from tests.errata.forms import IDEAL, core
from tests.errata.printed import prs as printed_prs
from tests.errata.printed import rst as printed_rst
from tests.errata.search import shortest
from tests.errata.stage import Stage, diagram, perform

ALL = [*prs.counterexamples(), *av.counterexamples(), *ks.counterexamples(), *mr.counterexamples()]
FEW = range(60)


@pytest.mark.parametrize("erratum", ALL, ids=lambda erratum: erratum.title)
class TestErratum:
    def test_the_printed_form_misses_the_truth_and_ours_does_not(self, erratum: Erratum) -> None:
        assert erratum.printed != erratum.truth
        assert erratum.ours == erratum.truth
        assert erratum.holds

    def test_random_executions_trip_the_printed_form_and_never_ours(self, erratum: Erratum) -> None:
        assert erratum.often is not None
        found = erratum.often()
        assert 0 < found.printed <= found.total
        assert found.ours == 0


class TestPrintedFormsAreWhatTheyClaim:
    """Within its assumptions a printed form is right: the failures above come from the defect and nothing else."""

    def test_000_as_printed_holds_where_no_sender_is_a_destination(self) -> None:
        assert broken(printed_prs(), Traffic(), FEW) == 0

    def test_001_as_printed_holds_where_no_sender_is_a_destination(self) -> None:
        assert broken(printed_rst(), Traffic(unicast=True), FEW) == 0
        assert broken(printed_rst(counting=True), Traffic(unicast=True), FEW) == 0

    def test_003_as_printed_holds_on_FIFO_channels(self) -> None:
        assert broken(printed_mr.phases(), Traffic(fifo=True, groups=everyone), FEW) == 0
        assert broken(printed_mr.phases(), Traffic(fifo=True, processes_min=4, groups=mr.sharing_two), FEW) == 0

    def test_003_section_4_3_holds_where_groups_share_one_process(self) -> None:
        assert broken(printed_mr.phases(own_groups=True), Traffic(fifo=True, groups=mr.sharing_one), FEW) == 0

    def test_the_core_of_000_and_its_printed_form_deliver_at_the_same_arrivals(self) -> None:
        for seed in FEW:
            ours, theirs = (execution(form, Traffic(), seed) for form in (core("prs"), printed_prs()))
            assert ours.progress == theirs.progress, f"seed {seed}"

    def test_the_oracle_breaks_nothing(self) -> None:
        assert broken(IDEAL, Traffic(own=True), FEW) == 0


class TestSmallest:
    """000 §8.2: the executions shown are the shortest there are, by trying all."""

    @pytest.mark.parametrize("row", [prs.own_row, prs.first_row])
    def test_waiting_for_oneself_takes_three_steps(self, row: prs.Row) -> None:
        found = shortest(printed_prs(row), 2, 3, fifo=True)
        assert found is not None
        assert len(found) == 3
        assert shortest(printed_prs(row), 2, 2, fifo=False) is None

    def test_a_fixed_row_takes_three_processes_and_four_steps(self) -> None:
        form = printed_prs(prs.first_row, skip_own=True)
        assert shortest(form, 3, 4, fifo=True) == prs.row_of_the_first().execution[:4]
        assert shortest(form, 2, 5, fifo=True) is None

    def test_the_senders_row_takes_two_messages_where_channels_reorder(self) -> None:
        form = printed_prs(prs.own_row, skip_own=True)
        assert shortest(form, 2, 3, fifo=False) == prs.row_of_the_sender_skipping_own().execution[:3]
        assert shortest(form, 3, 4, fifo=True) is None


class TestDetails:
    def test_002_rcv4_as_printed_breaks_lemma_1_in_the_log_of_i(self) -> None:
        """§5.1: a destination is in at most one entry of a sender."""
        script = ks.first_test_of_rcv4().execution[:6]
        assert not isinstance(script, str)
        assert _log_dots(perform(core("ks", printed="rcv4"), "i a d", script)) == [(1, "d"), (3, "d")]
        assert _log_dots(perform(core("ks"), "i a d", script)) == [(3, "d")]

    def test_002_rcv4_as_printed_is_safe_all_the_same(self) -> None:
        assert broken(core("ks", printed="rcv4"), Traffic(), FEW) == 0

    def test_002_the_numbers_of_section_7_1_change_no_instant_of_delivery(self) -> None:
        found = next(e for e in ks.counterexamples() if "§7.1" in e.section).often
        assert found is not None
        assert found().printed == found().total

    def test_003_the_option_of_the_core_for_section_4_3_fails_as_the_printed_form_does(self) -> None:
        erratum = mr.acyclic_groups()
        assert not isinstance(erratum.execution, str)
        groups = {"g1": ["A", "B", "C"], "g2": ["A", "B", "D"]}
        stage = perform(core("mr", printed="4.3"), "A B C D", erratum.execution, groups)
        assert stage.order("B") == erratum.printed

    def test_000_every_redundant_tuple_is_delivered_or_superseded_and_none_is_missing(self) -> None:
        """Lemma 2 of §6: what is owed is in the barrier."""

        def watch(stage: Stage, label: str) -> None:
            packet = next(packet for (sent, _), packet in stage.packets.items() if sent == label)
            assert packet.message is not None
            assert stage.knowledge.owed(packet.message.id) <= carried(packet)

        for seed in FEW:
            execution(printed_prs(), Traffic(), seed, watch)
        redundant, undelivered = prs.redundant_tuples(prs.ANY)
        assert 0 < undelivered < redundant


class TestStage:
    def test_a_step_that_is_not_a_step_is_refused(self) -> None:
        with pytest.raises(ValueError, match="not a step"):
            perform(core("ks"), "i j", ["i whispers M1 to j"])

    def test_what_was_not_sent_can_not_arrive(self) -> None:
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


def test_the_page_has_every_erratum_of_every_chapter() -> None:
    text = page.page()
    for chapter in page.CHAPTERS:
        for erratum in chapter.errata():
            assert f"### {erratum.section}: {erratum.title}\n" in text
    assert text == page.page()


def _log_dots(stage: Stage) -> list[tuple[int, str]]:
    """LOG_i, its entries for messages of i itself to d."""
    entries = stage.parties["i"].ordering.log["i"]  # type: ignore[attr-defined]  # a Process of the core
    return sorted((clock, dest) for clock, dests in entries.items() for dest in dests if dest == "d")
