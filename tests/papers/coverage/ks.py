"""What 002 describes."""

from __future__ import annotations

from tests.papers.coverage.row import differs, out_of_scope, works

ROWS = (
    works(
        "2.1", "§1", "An arrival is not a delivery, and a sender does not wait.",
        "core.effects core.holdback",
        "papers/test_002_figures.py::test_1_an_arrival_is_not_a_delivery_and_a_sender_waits_for_neither "
        "core/test_holdback.py::test_a_packet_waits_for_one_need_after_the_other",
    ),
    works(
        "2.2", "§1, Figure 1", "Orders of delivery, each stricter than the next: synchronous, causal, FIFO, any.",
        "judge.orders pipeline.verify.orders",
        "papers/test_002_figures.py::test_1_figure_1_M3_violates_causal_ordering_and_M4_does_not "
        "papers/test_002_figures.py::test_1_synchronous_is_causal_is_FIFO_and_not_the_other_way_round "
        "pipeline/verify/test_orders.py::test_witnesses_are_true_and_are_found_where_the_judge_finds_one",
    ),
    works(
        "2.3", "§1", "A total order of multicasts, which need not be causal.",
        "core.ordering.serial",
        "papers/test_002_ks.py::test_7_1_serialised_broadcasts_carry_one_entry_and_are_in_one_order",
    ),
    works(
        "2.4", "§1", "Psync sends the identifiers of messages instead of the messages, and each to a host once.",
        "core.ordering.psync",
        "papers/test_002_psync.py::test_1_psync_names_messages_instead_of_carrying_them "
        "papers/test_002_psync.py::test_1_psync_sends_no_identifier_to_a_host_twice "
        "papers/test_002_psync.py::test_1_psync_keeps_order_for_any_destinations",
    ),
    works(
        "2.5", "§2.1", "Processes come, go and stop; channels keep order or do not.",
        "core.process runtime.node.departure",
        "papers/test_002_ks.py::test_4_5_a_new_process_starts_at_clock_0 "
        "runtime/node/test_departure.py::test_everybody_talks_and_leaves",
    ),
    works(
        "2.6", "§2.1", "Groups overlap and change from message to message.",
        "core.ordering.ks",
        "properties/test_constraints.py::test_002_3_4_packets_and_logs_hold_exactly_what_PC1_and_PC2_demand",
    ),
    works(
        "2.7", "§2.2, Problem 1", "The least information, for protocols without prior knowledge or special processes.",
        "core.ordering.ks",
        "properties/test_constraints.py::test_002_3_4_packets_and_logs_hold_exactly_what_PC1_and_PC2_demand",
    ),
    works(
        "2.8", "§3.1", "The Delivery Condition: a message waits for those that it says are owed.",
        "core.ordering.ks",
        "core/test_pending.py::test_who_knows_direct_predecessors_names_missing_ones_that_imply_all_others",
    ),
    works(
        "2.9", "§3.2, Definition 3", "Two kinds of events up to which information has to travel.",
        "core.ordering.ks",
        "properties/test_constraints.py::test_002_3_4_packets_and_logs_hold_exactly_what_PC1_and_PC2_demand",
    ),
    works(
        "2.10", "§3.3, §3.4", "The conditions are sufficient and necessary: PC1 and PC2, and where they end.",
        "core.ordering.ks",
        "properties/test_constraints.py::test_002_3_4_packets_and_logs_hold_exactly_what_PC1_and_PC2_demand",
    ),
    works(
        "2.11", "§3.4, Figure 2", "Of the events e1 to e8, which have to know and which must not.",
        "core.ordering.ks",
        "papers/test_002_figures.py::"
        "test_3_4_figure_2_who_follows_neither_the_delivery_nor_a_send_to_d_has_to_know "
        "papers/test_002_figures.py::test_3_4_figure_2_who_follows_one_of_them_must_not",
    ),
    works(
        "2.12", "§3.5", "Nothing is stored or sent that the constraints do not ask for.",
        "core.ordering.ks",
        "properties/test_constraints.py::test_002_3_4_packets_and_logs_hold_exactly_what_PC1_and_PC2_demand",
    ),
    works(
        "2.13", "§3.5, §6.1", "On FIFO channels nothing is sent twice to the same process.",
        "core.ordering.ks",
        "core/ordering/test_ks.py::test_002_3_5_after_each_step_the_log_and_the_context_are_those_of_plain_ks "
        "core/ordering/test_ks.py::test_002_3_5_what_was_told_to_a_process_is_not_told_to_it_again "
        "core/ordering/test_ks.py::test_002_3_5_the_stamps_of_a_conversation_are_smaller",
    ),
    works(
        "2.14", "§3.6, Theorem 1", "The constraints and the Delivery Condition ensure causal order.",
        "core.ordering.ks",
        "properties/test_lockstep.py::test_seeded_executions",
    ),
    works(
        "2.15", "§3.6, Theorem 2", "Both are necessary: without any one fact there is an execution out of order.",
        "core.ordering.ks",
        "papers/test_002_necessity.py::"
        "test_3_6_theorem_2_a_message_without_any_one_of_its_facts_breaks_causal_order",
    ),
    works(
        "2.16", "§4.2", "What is not known to be delivered is tracked explicitly.",
        "core.ordering.ks",
        "papers/test_002_ks.py::test_4_4_RCV_3_the_message_itself_is_owed_to_its_other_destinations",
    ),
    works(
        "2.17", "§4.2", "What is settled is tracked by its absence, and old empty entries by a newer one.",
        "core.ordering.ks",
        "papers/test_002_ks.py::test_4_4_PURGE_the_newest_null_entry_is_kept_as_the_greatest_lower_bound",
    ),
    works(
        "2.18", "§4.3, SND", "The steps of a send.",
        "core.ordering.ks",
        "papers/test_002_ks.py::test_4_4_example_SND_3_and_4_the_log_after_the_send",
    ),
    differs(
        "2.19", "§4.3, RCV", "The steps of a reception.",
        "core.ordering.ks lab.printed.ks",
        "papers/test_002_ks.py::"
        "test_4_4_example_RCV_4_loop_1_deletes_what_the_other_side_knows_to_be_settled",
        link="A misprint in RCV(4) keeps what is no longer owed", why="one test has a misprint, perhaps of our copy",
    ),
    works(
        "2.20", "§4.3", "Entries without destinations are purged, except the newest of each sender.",
        "core.ordering.ks",
        "papers/test_002_ks.py::test_6_1_lemma_7_there_is_no_null_entry_but_the_implied_one",
    ),
    works(
        "2.21", "§4.4", "The example of a send.",
        "core.ordering.ks",
        "papers/test_002_ks.py::test_4_4_example_SND_2_what_goes_to_each_node",
    ),
    works(
        "2.22", "§4.4", "The example of a reception.",
        "core.ordering.ks",
        "papers/test_002_ks.py::test_4_4_example_RCV_4_loop_2_keeps_what_both_sides_owe "
        "papers/test_002_ks.py::test_4_4_example_RCV_5_l_20_is_purged_and_implied_by_l_21",
    ),
    works(
        "2.23", "§4.5", "With hardware multicast one message serves all destinations.",
        "core.ordering.ks",
        "papers/test_002_ks.py::test_4_5_hardware_multicast_one_packet_for_all_and_the_same_logs",
    ),
    differs(
        "2.24", "§4.5", "A message that has to wait may already be used to shorten the log.",
        "lab.printed.ks",
        "errata/test_errata.py::TestErratum::test_the_printed_form_misses_the_truth_and_ours_does_not",
        link="Looking ahead breaks causal order when the sender prunes (§4.3)",
        why="it breaks causal order unless hardware multicast is used, and is left out",
    ),
    works(
        "2.25", "§4.5", "The stamps for all destinations are computed in one pass.",
        "core.ordering.ks",
        "papers/test_002_ks.py::test_4_5_what_goes_to_every_destination_is_computed_once",
    ),
    works(
        "2.26", "§4.5", "A new process starts at clock 0; one that left never sends again.",
        "core.ordering.ks core.process",
        "papers/test_002_ks.py::test_4_5_a_new_process_starts_at_clock_0 "
        "runtime/node/test_departure.py::test_everybody_talks_and_leaves",
    ),
    works(
        "2.27", "§5.1, Lemma 1", "A destination is in one entry of each sender at most.",
        "core.ordering.ks",
        "papers/test_002_ks.py::test_5_1_lemma_1_at_most_one_dot_for_each_sender_and_destination",
    ),
    works(
        "2.28", "§5.1, Lemmas 2 to 6", "Timestamps never decrease and destinations never grow, here and on a path.",
        "core.ordering.ks",
        "papers/test_002_lemmas.py::test_5_1_lemma_3_nor_does_it_along_any_path "
        "papers/test_002_lemmas.py::test_5_1_lemma_5_nor_do_they_along_any_path "
        "papers/test_002_lemmas.py::test_5_1_lemma_6_who_first_does_not_pass_a_fact_on_has_it",
    ),
    works(
        "2.29", "§5.2, Theorem 3, Corollary 1", "What has to be known reaches the events that need it.",
        "core.ordering.ks",
        "properties/test_constraints.py::test_002_3_4_packets_and_logs_hold_exactly_what_PC1_and_PC2_demand",
    ),
    works(
        "2.30", "§5.3, Theorems 4 and 5", "Causal order is kept, and everything is delivered.",
        "core.ordering.ks",
        "properties/test_lockstep.py::test_seeded_executions sim/test_world.py::"
        "test_every_causal_algorithm_delivers_everything_in_causal_order",
    ),
    works(
        "2.31", "§6.1, Theorems 6 and 7, Lemma 7", "Nothing redundant is stored or sent.",
        "core.ordering.ks",
        "properties/test_constraints.py::test_002_3_4_packets_and_logs_hold_exactly_what_PC1_and_PC2_demand "
        "papers/test_002_ks.py::test_6_1_lemma_7_there_is_no_null_entry_but_the_implied_one",
    ),
    works(
        "2.32", "§6.2", "The overhead is the sum of destinations over senders, and n x n at most.",
        "core.ordering.ks",
        "papers/test_002_necessity.py::"
        "test_7_corollary_2_a_message_that_carries_a_fact_for_each_sender_and_destination",
    ),
    works(
        "2.33", "§6.2", "On average the overhead is much smaller.",
        "lab.experiments.growth",
        "lab/experiments/test_growth.py::test_the_start_of_a_run_is_not_the_steady_state "
        "lab/experiments/test_growth.py::test_a_run_has_a_hundred_messages_of_each_process_after_as_many_of_warm_up "
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    works(
        "2.34", "§6.2", "Entries are grouped by sender, so that its name is sent once.",
        "core.wire.shapes",
        "papers/test_002_ks.py::test_6_2_the_name_of_a_sender_is_written_once_for_all_its_entries",
    ),
    differs(
        "2.35", "§6.2", "A set of destinations may be sent as its complement, if that is smaller.",
        "core.wire.shapes",
        "papers/test_002_ks.py::test_6_2_a_set_of_destinations_is_never_written_with_more_than_half_the_names",
        link="The complement halves an entry, not a sender", why="the bound holds for an entry, not for a sender",
    ),
    works(
        "2.36", "§6.2", "A reception takes O(n^2), a send O(n^3), or O(n^2) with hardware multicast.",
        "lab.experiments.ks_cost",
        "lab/experiments/test_ks_cost.py::test_the_worst_case_has_a_fact_for_each_sender_and_destination "
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    works(
        "2.37", "§7, Theorem 8", "A chain of three messages needs a fact about each sender and destination.",
        "core.ordering.ks core.ordering.chain2",
        "papers/test_002_ks.py::test_7_theorem_8_ks_keeps_order_over_the_chain_of_three "
        "papers/test_002_ks.py::test_7_theorem_8_less_information_breaks_it",
    ),
    works(
        "2.38", "§7, Corollary 2", "In the worst case the overhead grows with the square of n, for any algorithm.",
        "core.ordering.ks",
        "papers/test_002_necessity.py::"
        "test_7_corollary_2_a_message_that_carries_a_fact_for_each_sender_and_destination "
        "papers/test_002_necessity.py::test_7_corollary_2_and_none_of_them_can_be_left_out "
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    works(
        "2.39", "§7.1", "If all is broadcast, O(n) entries are enough, and they are a vector clock.",
        "core.ordering.vector",
        "papers/test_002_ks.py::test_7_1_broadcast_case_the_log_comes_down_to_a_vector_clock",
    ),
    works(
        "2.40", "§7.1", "If broadcasts are serialised, one entry is enough.",
        "core.ordering.serial",
        "papers/test_002_ks.py::test_7_1_serialised_broadcasts_carry_one_entry_and_are_in_one_order",
    ),
    works(
        "2.41", "§7.1", "If multicasts are serialised, n entries are enough.",
        "core.ordering.serial",
        "papers/test_002_ks.py::test_7_1_serialised_multicasts_track_the_latest_for_each_destination",
    ),
    works(
        "2.42", "§7.1", "Synchronous unicasts need nothing.",
        "core.ordering.rendezvous",
        "papers/test_002_ks.py::test_7_1_synchronous_unicasts_the_next_message_leaves_after_the_delivery "
        "papers/test_002_ks.py::test_7_1_synchronous_unicasts_no_control_information_in_messages "
        "core/ordering/test_rendezvous.py::test_messages_could_have_taken_no_time "
        "sim/test_trace.py::test_with_rendezvous_a_message_is_sent_when_it_leaves_so_that_the_trace_has_no_crown",
    ),
    works(
        "2.43", "§7.1", "Mattern and Fünfrocken wait for an acknowledgement between two buffers.",
        "core.ordering.mf",
        "papers/test_002_ks.py::test_7_1_mattern_fuenfrocken_the_next_message_leaves_after_the_acknowledgement",
    ),
    works(
        "2.44", "§7.1, Lemma 8", "Chains of two messages need O(n) identifiers.",
        "core.ordering.chain2",
        "papers/test_002_ks.py::test_7_1_lemma_8_chains_of_length_two_are_kept_with_2n_identifiers",
    ),
    works(
        "2.45", "§7.1", "At one extreme all messages go through one process.",
        "core.ordering.hierarchy",
        "papers/test_002_ks.py::test_7_1_centralised_extreme_everything_goes_through_one_process",
    ),
    works(
        "2.46", "§7.1", "Representatives exchange messages for their processes, with this algorithm above.",
        "core.ordering.hierarchy",
        "papers/test_002_ks.py::test_7_1_hierarchy_only_representatives_talk_to_each_other",
    ),
    works(
        "2.47", "§7.1", "A hierarchy may have many levels, and a representative may leave.",
        "core.ordering.hierarchy core.ordering.succession",
        "papers/test_002_hierarchy.py::"
        "test_7_1_hierarchy_of_three_levels_a_process_talks_to_its_own_representatives_only "
        "papers/test_002_hierarchy.py::test_7_1_hierarchies_of_many_levels_keep_causal_order "
        "papers/test_002_succession.py::test_7_1_representatives_leave_and_causal_order_is_kept",
    ),
    works(
        "2.48", "§7.1", "Channels need not be FIFO.",
        "core.ordering.ks",
        "papers/test_002_ks.py::test_7_1_channels_need_not_be_FIFO_and_no_sequence_numbers_are_needed",
    ),
    works(
        "2.49", "§8", "Logs may be managed so that failures of the network do no harm.",
        "core.ordering.history runtime.state.store runtime.outbox",
        "papers/test_002_network_failures.py::"
        "test_8_random_executions_that_lose_packets_deliver_everything_in_causal_order "
        "papers/test_002_network_failures.py::"
        "test_8_a_message_is_sent_again_with_the_log_until_its_receiver_answers "
        "runtime/node/test_node.py::test_a_rough_network_changes_nothing",
    ),
    out_of_scope(
        "2.50", "§8", "Events that are not atomic.",
        reason="the paper leaves it to future work",
    ),
    works(
        "2.51", "§1, §8", "Uses: replicated data, snapshots, shared memory, conferences, fair allocation.",
        "core.ordering.ks core.mobile.station runtime.node.join",
        "examples/test_examples.py::test_causal_memory_needs_causal_order "
        "examples/test_examples.py::test_a_global_snapshot_needs_causal_order "
        "examples/test_examples.py::test_a_roaming_conversation_needs_causal_order "
        "examples/test_examples.py::test_fair_allocation_needs_causal_order",
    ),
)  # fmt: skip
