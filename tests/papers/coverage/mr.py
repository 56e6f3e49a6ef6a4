"""What 003 describes."""

from __future__ import annotations

from tests.papers.coverage.row import differs, out_of_scope, works

ROWS = (
    works(
        "3.1", "§2.1", "Processes are in groups that overlap; channels are FIFO or not.",
        "core.roster core.fifo",
        "papers/test_003_mr.py::test_3_4_on_channels_that_are_not_FIFO_numbers_bring_back_the_order",
    ),
    works(
        "3.2", "§2.1", "The graph of groups joins groups that share a process, and may have cycles.",
        "core.group_graph cli.groups",
        "papers/test_003_groups.py::test_2_1_the_graph_of_figure_1_a_has_a_cycle "
        "core/test_group_graph.py::test_random_groups_have_the_edges_and_a_shortest_cycle",
    ),
    works(
        "3.3", "§2.2", "Causal order within groups, of which the sender is a member.",
        "core.roster",
        "properties/test_lockstep.py::test_seeded_executions "
        "core/test_roster.py::test_members_of_groups_are_processes_and_so_is_the_process_itself",
    ),
    works(
        "3.4", "§2.3", "The protocol of Birman, Schiper and Stephenson: a vector for each group.",
        "core.ordering.isis",
        "papers/test_003_mr.py::test_2_3_isis_needs_a_vector_a_group_for_the_same_example",
    ),
    works(
        "3.5", "§2.3", "Without cycles of groups the vectors of a process's own groups are enough.",
        "core.acyclic core.ordering.isis",
        "papers/test_003_groups.py::test_2_3_and_4_3_random_executions_without_a_cycle_keep_causal_order "
        "papers/test_003_groups.py::test_2_3_figure_1_b_own_groups_are_not_enough_in_a_cycle "
        "papers/test_003_groups.py::test_2_3_and_4_3_stamps_are_smaller",
    ),
    works(
        "3.6", "§2.3, Figure 1", "Three groups in a cycle, in the back of a process.",
        "core.ordering.isis core.ordering.mr",
        "papers/test_003_mr.py::test_2_3_isis_needs_a_vector_a_group_for_the_same_example",
    ),
    works(
        "3.7", "§3.1, Figure 2", "In synchronous phases causal order needs nothing.",
        "core.ordering.mr_broadcast",
        "papers/test_003_mr.py::test_3_5_a_perfectly_synchronous_execution_sends_no_resynch",
    ),
    works(
        "3.8", "§3.1, Figure 3", "A silent process announces its next phase.",
        "core.ordering.mr_broadcast",
        "papers/test_003_mr.py::test_3_2_BS2_who_is_behind_says_so_to_everybody",
    ),
    works(
        "3.9", "§3.1", "A resynchronisation rides on an acknowledgement, or is one operation of a bus: in the "
        "simulator, and in a driver of the core. Over NATS no acknowledgement goes to the sender.",
        "sim.channels sim.measure.metrics sim.world core.effects",
        "papers/test_003_acknowledgements.py::test_3_1_a_resynchronisation_rides_on_an_acknowledgement "
        "papers/test_003_acknowledgements.py::test_3_1_a_driver_can_tell_what_may_ride "
        "papers/test_003_acknowledgements.py::test_3_1_random_executions_with_riders_keep_causal_order "
        "test_fuzz.py::test_random_executions_with_riders_hold "
        "papers/test_003_acknowledgements.py::test_3_1_a_resynchronisation_is_one_operation_of_a_bus",
    ),
    works(
        "3.10", "§3.2", "The statements BS1 to BS4 for one group.",
        "core.ordering.mr_broadcast",
        "papers/test_003_mr.py::test_3_2_BS4_a_message_of_phase_1_waits_until_everybody_has_left_phase_0",
    ),
    differs(
        "3.11", "§3.3, Figure 4", "On FIFO channels timestamps need not be sent, because they can be inferred.",
        "core.ordering.mr_broadcast lab.printed.mr",
        "papers/test_003_mr.py::test_3_3_figure_4_the_timestamps_of_successive_broadcasts",
        link="With BS1 as printed, timestamps cannot be inferred",
        why="those of resynchronisations cannot, as the statements are printed, and are sent; `mr` with one group and "
        "`bare_resynch=True` sends none",
    ),
    differs(
        "3.12", "§3.4", "On other channels the timestamps restore the order of arrival.",
        "core.fifo lab.printed.mr",
        "papers/test_003_mr.py::test_3_4_a_number_is_that_of_the_channel_not_of_the_sender",
        link="Nor, by these rules, the order of arrival",
        why="they do not; packets are numbered by channel",
    ),
    works(
        "3.13", "§3.5", "A synchronous execution costs nothing.",
        "core.ordering.mr_broadcast lab.experiments.tradeoff",
        "papers/test_003_mr.py::test_3_5_a_perfectly_synchronous_execution_sends_no_resynch "
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    works(
        "3.14", "§3.5", "Timers reduce the number of resynchronisations.",
        "core.ordering.mr core.ordering.mr_broadcast",
        "papers/test_003_mr.py::test_3_5_instead_of_a_resynch_a_timer_is_set "
        "papers/test_003_mr.py::test_3_5_if_a_message_is_sent_first_the_timer_is_switched_off "
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    works(
        "3.15", "§4.1", "The statements GS1 to GS4 for any groups.",
        "core.ordering.mr",
        "papers/test_003_mr.py::test_4_2_the_example_of_figure_5 "
        "properties/test_lockstep.py::test_seeded_executions",
    ),
    works(
        "3.16", "§4.1", "Messages that can be delivered together go in the order of their timestamps.",
        "core.ordering.mr core.holdback",
        "papers/test_003_mr.py::"
        "test_4_1_GS4_simultaneous_candidates_are_delivered_in_the_order_of_their_timestamps",
    ),
    differs(
        "3.17", "§4.1", "On FIFO channels messages and resynchronisations do not carry the count of their group.",
        "core.ordering.mr core.ordering.mr_bare_resynch",
        "papers/test_003_short_stamps.py::"
        "test_4_1_on_fifo_channels_a_message_does_not_carry_the_count_of_its_own_group "
        "papers/test_003_short_stamps.py::test_4_1_on_fifo_channels_no_packet_carries_the_count_of_its_own_group "
        "papers/test_003_short_stamps.py::test_4_1_what_it_saves_is_bytes_and_it_costs_no_packet "
        "papers/test_003_short_stamps.py::test_4_1_random_executions_keep_causal_order",
        link="With BS1 as printed, timestamps cannot be inferred",
        why="with `own_count=False` messages do not, and with `bare_resynch=True` nor do resynchronisations, because a "
        "process follows them as it follows messages; one that stands for several phases (with a timer, or to a "
        "newcomer) carries it",
    ),
    works(
        "3.18", "§4.2, Figure 5", "The example of three processes and three groups.",
        "core.ordering.mr",
        "papers/test_003_mr.py::test_4_2_the_example_of_figure_5",
    ),
    differs(
        "3.19", "§4.3", "Without cycles of groups the counts of a process's own groups are enough.",
        "core.acyclic core.ordering.mr lab.printed.mr",
        "errata/test_errata.py::TestPrintedFormsAreWhatTheyClaim::"
        "test_003_section_4_3_holds_in_trees_of_groups_that_share_one_process "
        "papers/test_003_groups.py::test_2_3_and_4_3_random_executions_without_a_cycle_keep_causal_order "
        "papers/test_003_groups.py::test_2_3_and_4_3_stamps_are_smaller",
        link="No cycle of groups is not enough",
        why="not if two groups share two processes; elsewhere `mr` has the option `acyclic`",
    ),
    works(
        "3.20", "§4.4, Lemma 1", "The counts of a process never decrease.",
        "core.ordering.mr",
        "papers/test_003_mr.py::test_4_4_1_lemma_1_the_vectors_K_never_decrease",
    ),
    works(
        "3.21", "§4.4, Lemma 2", "Timestamps grow along causality.",
        "core.ordering.mr",
        "papers/test_003_mr.py::test_4_4_1_lemma_2_timestamps_grow_along_causality",
    ),
    differs(
        "3.22", "§4.4", "Causal order is kept, and everything is delivered.",
        "core.ordering.mr",
        "sim/test_world.py::test_every_causal_algorithm_delivers_everything_in_causal_order",
        link="The proof of liveness waits for the wrong message", why="it is so; a step of the proof is not",
    ),
    works(
        "3.23", "§5.1", "A message may wait for a resynchronisation alone.",
        "core.ordering.mr lab.experiments.tradeoff",
        "papers/test_003_mr.py::test_5_1_mr_may_wait_for_a_resynch_where_nothing_that_precedes_is_missing "
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    works(
        "3.24", "§5.2", "A timestamp has a count for each group, where that of ISIS has one for each member.",
        "core.ordering.mr core.ordering.isis",
        "papers/test_003_mr.py::"
        "test_5_2_a_timestamp_has_at_most_one_entry_a_group_where_isis_has_one_a_member_and_group",
    ),
    works(
        "3.25", "§5.2", "A process needs less memory than with ISIS.",
        "lab.experiments.tradeoff",
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    works(
        "3.26", "§5.2", "One count for all groups would do, with resynchronisations in all of them.",
        "core.ordering.mr_scalar lab.experiments.tradeoff",
        "papers/test_003_scalar.py::test_5_2_who_receives_a_message_resynchronises_in_all_its_groups "
        "papers/test_003_scalar.py::"
        "test_5_2_random_executions_keep_causal_order_and_timestamps_grow_along_causality "
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    works(
        "3.27", "§5.2", "Small timestamps and early delivery are a trade-off.",
        "lab.experiments.tradeoff",
        "papers/test_003_mr.py::test_5_1_mr_may_wait_for_a_resynch_where_nothing_that_precedes_is_missing "
        "papers/test_003_mr.py::test_5_2_a_timestamp_has_at_most_one_entry_a_group_where_isis_has_one_a_member_and_group"
        " lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    out_of_scope(
        "3.28", "Conclusion", "Counters that are bounded.",
        reason="the paper leaves it to future work",
    ),
    works(
        "3.29", "Conclusion", "Processes that join, leave and fail, and running ones that join a further group. A node "
        "lets them with `isis` and `mr`, and refuses it with `mr-scalar`, whose members would have to hear at once.",
        "core.ordering.mr core.ordering.isis core.ordering.mr_scalar core.process runtime.node.departure "
        "runtime.node.node",
        "core/ordering/test_mr.py::"
        "test_a_process_that_leaves_delivers_nothing_early_and_sends_nothing_more "
        "papers/test_003_membership.py::test_random_executions_keep_causal_order "
        "papers/test_003_membership.py::test_of_each_member_the_newcomer_delivers_what_is_sent_after_it_was_told "
        "papers/test_003_membership.py::test_mr_members_hear_one_after_the_other "
        "runtime/node/test_node_further_groups.py::test_a_running_process_joins_a_further_group "
        "runtime/node/test_node_further_groups.py::test_a_running_process_cannot_join_a_further_group_of_mr_scalar",
    ),
)  # fmt: skip
