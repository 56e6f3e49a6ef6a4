"""What 000 describes."""

from __future__ import annotations

from tests.papers.coverage.row import differs, works

ROWS = (
    works(
        "0.1", "§2", "Processes have a channel between each two, with delays that are finite and no order.",
        "sim.network core.process",
        "sim/test_network.py::test_packets_overtake_each_other_unless_channels_are_fifo",
    ),
    works(
        "0.2", "§2", "A message goes to any set of processes; no group has to be formed first.",
        "core.roster core.process",
        "properties/test_lockstep.py::test_seeded_executions",
    ),
    works(
        "0.3", "§2", "Happened-before is made by sends, deliveries and internal events; an arrival is not a delivery.",
        "judge.events core.effects",
        "judge/test_judge.py::TestViolations::test_a_receive_causes_nothing_where_there_are_delivers",
    ),
    works(
        "0.4", "§2, Definition 1", "Causal ordering is a property of an execution that can be judged.",
        "judge.judge pipeline.check",
        "judge/test_judge_oracle.py::test_counts_and_verdict_are_those_of_the_definition",
    ),
    works(
        "0.5", "§2, Figure 1", "The classic violation: an answer overtakes what it answers.",
        "judge.judge core.ordering.prs",
        "papers/test_000_prs.py::test_2_figure_1_without_an_algorithm_is_the_violation_that_the_figure_shows "
        "papers/test_000_prs.py::test_2_figure_1_M1_is_delivered_before_M3_although_it_arrives_later",
    ),
    works(
        "0.6", "§3", "In the first ISIS a message brings its predecessors along, and old ones are collected.",
        "core.ordering.history",
        "sim/test_network.py::test_history_bears_loss_by_itself "
        "core/test_pending.py::test_history_carries_no_more_than_its_limit_and_loses_nothing_at_it",
    ),
    works(
        "0.7", "§3", "Schiper, Eggli and Sandoz send pairs of a destination and a vector.",
        "core.ordering.ses",
        "papers/test_000_prs.py::test_3_schiper_eggli_and_sandoz_send_a_vector_for_each_destination "
        "properties/test_lockstep.py::test_seeded_executions",
    ),
    works(
        "0.8", "§3", "Raynal, Schiper and Toueg send the matrix of what was sent, and count what was delivered.",
        "core.ordering.rst",
        "papers/test_001_rst.py::test_3_P_i_appends_its_current_value_of_SENT_and_then_increments_it",
    ),
    works(
        "0.9", "§3", "If all messages are broadcast, the matrix becomes a vector.",
        "core.ordering.vector",
        "papers/test_002_ks.py::test_7_1_broadcast_case_n_entries",
    ),
    works(
        "0.10", "§3", "The later ISIS sends a vector for each of several groups that overlap.",
        "core.ordering.isis",
        "papers/test_003_mr.py::test_2_3_isis_needs_a_vector_a_group_for_the_same_example",
    ),
    works(
        "0.11", "§3", "Causal separators compress by the topology, and can be combined with what traffic teaches.",
        "core.locality.separators core.known_links core.ordering.hierarchy core.ordering.prs core.ordering.ks",
        "papers/test_000_separators.py::test_3_the_separators_are_found_in_the_links_of_the_network "
        "core/locality/test_separators.py::test_a_representative_separates_its_cluster_from_all_others "
        "core/locality/test_separators.py::test_any_traffic_is_in_causal_order "
        "papers/test_000_separators.py::"
        "test_3_a_message_to_the_other_side_carries_no_dependency_of_its_own_side "
        "papers/test_000_separators.py::test_3_topology_and_pattern_combined_send_less_than_either_alone "
        "papers/test_000_known_links.py::test_3_links_make_stamps_smaller_and_nothing_is_later "
        "papers/test_000_known_links.py::test_3_messages_are_delivered_at_the_same_steps_as_without_links",
    ),
    works(
        "0.12", "§4", "A message has to carry its direct predecessors only, and empty entries are not sent.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_4_1_M3_carries_its_direct_dependency_on_M2_and_not_the_one_on_M1",
    ),
    works(
        "0.13", "§4", "Two sets of processes that do not talk to each other are found without being told.",
        "core.ordering.prs lab.experiments.prs_intervals",
        "papers/test_000_prs.py::test_4_two_sets_that_do_not_talk_to_each_other_know_nothing_of_each_other",
    ),
    works(
        "0.14", "§4.1, Figure 2", "The example of messages M1 to M8.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_4_1_M7_carries_only_M6_for_P3 "
        "papers/test_000_prs.py::test_4_1_M7_that_reaches_P3_before_M6_waits_for_it "
        "papers/test_000_prs.py::test_4_1_M8_carries_no_constraint_at_all_since_M7_told_of_the_deliveries_at_P5",
    ),
    works(
        "0.15", "§5.1", "A process keeps a counter of what it sent, what it knows delivered, and the barrier.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_5_2_reception_steps_3_to_7_on_one_delivery",
    ),
    works(
        "0.16", "§5.1", "The sender is assumed not to be among the destinations.",
        "core.process lab.printed.ordering",
        "errata/test_errata.py::TestPrintedFormsAreWhatTheyClaim::"
        "test_000_as_printed_holds_where_no_sender_is_a_destination",
    ),
    works(
        "0.17", "§5.2, Message Send", "The send copies the barrier before it puts the message into it.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_5_2_send_the_barrier_is_copied_before_step_3_puts_the_message_itself_into_it",
    ),
    works(
        "0.18", "§5.2, Message Reception", "The reception waits, delivers, and updates the barrier in eight steps.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_5_2_reception_steps_3_to_7_on_one_delivery",
    ),
    works(
        "0.19", "§5.2", "Two operators join and subtract sets of tuples, and keep the newest of each sender.",
        "core.ordering.prs core.vectors",
        "papers/test_000_prs.py::test_5_2_reception_steps_3_to_7_on_one_delivery "
        "papers/test_000_prs.py::test_6_1_lemma_2_no_tuple_is_dropped_before_it_is_satisfied_or_replaced",
    ),
    differs(
        "0.20", "§5.3", "Row j of process j contains the latest mutually concurrent messages delivered there.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_5_3_row_i_is_not_always_mutually_concurrent "
        "papers/test_000_prs.py::test_5_1_row_i_of_process_i_has_every_latest_message_delivered_there",
        link="A row contains the latest messages, and may contain more",
        why="it contains these, and at times also a message that precedes one of them",
    ),
    works(
        "0.21", "§5.3", "Constraints that are known to be met are collected with each delivery; only full rows travel.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_5_3_garbage_collection_drops_a_constraint_known_to_be_satisfied",
    ),
    works(
        "0.22", "§5.3", "A row has one tuple of each sender at most, so a message and a process have at most N x N.",
        "core.ordering.prs lab.experiments.growth",
        "papers/test_000_prs.py::test_5_3_a_message_carries_at_most_one_tuple_of_each_sender_for_each_process",
    ),
    works(
        "0.23", "§6.1, Lemma 1", "A tuple in a barrier is a message that does precede.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_6_1_lemma_1_a_tuple_is_a_message_to_that_process_which_precedes",
    ),
    works(
        "0.24", "§6.1, Lemma 2, Figure 3", "No tuple is dropped while it is needed.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_6_1_lemma_2_no_tuple_is_dropped_before_it_is_satisfied_or_replaced",
    ),
    works(
        "0.25", "§6.2, Theorem 1", "Causal order is never violated.",
        "core.ordering.prs",
        "properties/test_lockstep.py::test_seeded_executions sim/test_world.py::"
        "test_every_causal_algorithm_delivers_everything_in_causal_order",
    ),
    works(
        "0.26", "§6.3, Theorem 2", "Every message is delivered in the end.",
        "core.ordering.prs",
        "sim/test_world.py::test_every_causal_algorithm_delivers_everything_in_causal_order",
    ),
    works(
        "0.27", "§7", "How the paper measures: exponential times, five seeds, a warm-up, a share of N x N.",
        "lab.experiments.prs",
        "sim/test_world.py::test_the_window_discards_the_warm_up_and_measures_exactly_what_it_is_asked_for "
        "lab/experiments/test_prs_readings.py::test_read_as_printed_it_is_the_algorithm_itself",
    ),
    differs(
        "0.28", "§7", "Five runs of each point are within four per cent of each other, so no variance is given.",
        "lab.experiments.prs lab.claims",
        "lab/test_reproduction.py::test_the_variance_of_five_runs_is_that_of_the_kept_results "
        "lab/test_reproduction.py::test_what_a_paper_says_of_its_measurements_is_judged",
        link="prs-fig5",
        why="in each figure some runs differ by ten per cent of their mean, and in two by more than four of N x N",
    ),
    differs(
        "0.29", "§7.1, Figure 4", "The size of the barrier over the propagation time.",
        "lab.experiments.prs_fig4",
        "lab/test_results_kept.py::test_kept_results_are_whole_and_of_the_declaration",
        link="prs-fig4", why="barriers are smaller than the figure has them",
    ),
    works(
        "0.30", "§7.1", "A barrier can be sent as a string of N x N bits and an integer for each bit that is set.",
        "core.wire.bit_string core.ordering.prs lab.experiments.prs_barriers",
        "core/wire/test_bit_string.py::test_what_is_written_is_read_and_takes_x_plus_1_by_W_of_N_squared_integers "
        "core/ordering/test_prs.py::"
        "test_000_7_1_a_stamp_on_the_wire_is_n_a_string_of_n_by_n_bits_and_an_integer_for_each_bit "
        "core/ordering/test_prs.py::test_000_7_1_after_each_step_the_barrier_is_that_of_plain_prs "
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    differs(
        "0.31", "§7.2, Figure 5", "The size of the barrier by how selective senders are about destinations.",
        "lab.experiments.prs_intervals sim.workload",
        "sim/test_workload.py::test_selectivity_keeps_messages_within_the_parity_of_their_sender",
        link="prs-fig5",
        why="with full selectivity barriers are smaller than stated; with 50 and 80 % they are larger than with "
        "uniform destinations, and larger where messages are rare than where they are many",
    ),
    works(
        "0.32", "§7.2", "Selectivity gains little because what comes from the other half persists and spreads.",
        "lab.experiments.prs_barriers",
        "lab/experiments/test_prs_barriers.py::test_with_full_selectivity_there_is_nothing_of_the_other_half "
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    differs(
        "0.33", "§7.3, Figure 6", "Uneven rates of sending make no perceptible difference.",
        "lab.experiments.prs_intervals sim.workload",
        "sim/test_workload.py::test_odd_processes_send_three_times_as_often_and_the_mean_rate_stays "
        "lab/test_reproduction.py::test_figure_6_is_judged_by_the_four_per_cent_of_the_paper_itself",
        link="prs-fig6",
        why="two of six comparisons are within the four per cent of the paper in both readings, of the barrier and of "
        "N x N; four are undecided, because they are within four per cent of N x N, and as a part of the barrier their "
        "intervals reach to both sides of it",
    ),
    differs(
        "0.34", "§7.4, Figure 7", "The size of the barrier by the number of destinations.",
        "lab.experiments.prs_intervals",
        "lab/test_results_kept.py::test_kept_results_are_whole_and_of_the_declaration",
        link="prs-fig7", why="the trends hold, and the three values are smaller than stated",
    ),
    works(
        "0.35", "§8.1", "The work of a send is done once, however many destinations there are.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_8_1_the_work_of_a_send_is_done_once_for_all_destinations",
    ),
    differs(
        "0.36", "§8.1", "The computation that the algorithm needs is low.",
        "lab.experiments.growth",
        "lab/test_reproduction.py::test_what_a_paper_says_of_its_measurements_is_judged",
        link="ks-growth",
        why="a packet takes less than a millisecond, and longer than with the matrix of rst; the paper does not say "
        "beside what it is low",
    ),
    works(
        "0.37", "§8.2", "In the broadcast case O(N) integers are enough.",
        "core.ordering.prs_broadcast fast.broadcast",
        "papers/test_000_prs.py::test_8_2_a_broadcast_has_at_most_one_tuple_a_process "
        "fast/test_broadcast.py::test_any_execution_is_the_same_in_both",
    ),
    differs(
        "0.38", "§8.2", "In the broadcast case all rows of a barrier are equal, so one is sent.",
        "core.ordering.prs_broadcast lab.printed.ordering",
        "errata/test_errata.py::TestOneRowForAll::"
        "test_all_rows_of_all_barriers_are_equal_if_the_sender_is_a_destination",
        link="Is the sender of a broadcast one of its destinations?",
        why="it is so if the sender is a destination, which §5.1 excludes",
    ),
    differs(
        "0.39", "§8.3, Figure 8", "News of a delivery travels one hop, so some constraints are redundant.",
        "core.ordering.prs",
        "papers/test_000_prs.py::test_8_3_figure_8_delivery_information_travels_one_hop_only",
        link="A message may carry indirect predecessors",
        why="it is so; there is a second kind of redundant tuple",
    ),
    works(
        "0.40", "§8.3", "In the broadcast case the algorithm sends the least there is.",
        "core.ordering.prs_broadcast",
        "papers/test_000_prs.py::test_8_2_the_compressed_form_is_exactly_the_maximal_predecessors",
    ),
    works(
        "0.41", "§8.3", "The more destinations a message has, the smaller barriers are.",
        "lab.experiments.prs_intervals",
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    works(
        "0.42", "§9", "A mobile host sends through the station of its cell.",
        "core.mobile.flood core.mobile.host",
        "papers/test_000_section_9.py::test_9_3_a_message_goes_to_every_station_and_is_acknowledged_and_deleted",
    ),
    works(
        "0.43", "§9", "A station may itself send a multicast: in `core`, with every roaming protocol. Neither the "
        "simulator nor the servers of the runtime have stations that do.",
        "core.mobile.station core.mobile.logical",
        "papers/test_000_section_9.py::test_9_a_station_itself_multicasts_in_causal_order "
        "papers/test_000_section_9.py::test_9_what_a_station_delivers_itself_comes_before_what_it_sends_then "
        "test_fuzz_mobile.py::test_random_worlds_hold",
    ),
    differs(
        "0.44", "§9.1", "Stations number what they send, and a host has what is below its counter of a station.",
        "core.mobile.flood lab.printed.roaming",
        "papers/test_000_section_9.py::test_9_1_repaired_it_steps_over",
        link="The counters of a host stop at the first message for somebody else",
        why="as printed the counters stop",
    ),
    works(
        "0.45", "§9.1", "Messages that are concurrent may be delivered to a host in any order.",
        "core.mobile.flood",
        "papers/test_000_section_9.py::test_9_1_concurrent_messages_of_one_station_in_any_order "
        "papers/test_000_section_9.py::test_9_1_in_any_order_a_message_waits_for_what_precedes_it_only "
        "papers/test_000_section_9.py::test_9_messages_of_one_station_are_kept_in_its_order_without_need",
    ),
    works(
        "0.46", "§9.1", "A delivery is acknowledged, and a message that all have is deleted.",
        "core.mobile.flood lab.printed.roaming",
        "papers/test_000_section_9.py::test_9_3_a_message_goes_to_every_station_and_is_acknowledged_and_deleted "
        "papers/test_000_section_9.py::test_9_1_a_delete_may_overtake_its_message",
    ),
    works(
        "0.47", "§9.2", "A hand-off moves what the old station keeps for the host.",
        "core.mobile.handoff core.mobile.luggage",
        "core/mobile/test_handoff.py::test_random_worlds_use_every_entry_and_nothing_else",
    ),
    works(
        "0.48", "§9.3", "A station may combine the acknowledgements of its hosts in one message.",
        "core.mobile.flood",
        "papers/test_000_section_9.py::test_9_3_a_station_sends_one_acknowledgement_for_all_hosts_of_its_cell "
        "papers/test_000_section_9.py::test_9_3_combined_acknowledgements_are_fewer_and_delay_nothing "
        "core/mobile/test_flood.py::test_the_acknowledgement_does_not_wait_for_a_host_that_leaves",
    ),
    works(
        "0.49", "§9.3", "Each destination gets one copy, and buffers are kept at stations.",
        "core.mobile.station runtime.roaming.station.durable_station",
        "test_fuzz_mobile.py::test_random_worlds_hold "
        "runtime/roaming/station/test_server.py::test_a_station_goes_on_from_its_store",
    ),
    works(
        "0.50", "§9.3", "Without the promise of one copy, messages need not go to every station.",
        "core.mobile.direct core.mobile.protocols",
        "core/mobile/test_roaming.py::test_a_reply_finds_a_host_that_moved_without_a_detour",
    ),
    works(
        "0.51", "§9.3", "Without fixed stations, hosts send causal unicasts to each other, once they are located.",
        "sim.mobile.stationless core.ordering.prs core.ordering.ks",
        "papers/test_000_section_9.py::test_9_3_without_stations_a_causal_multicast_is_many_causal_unicasts "
        "papers/test_000_section_9.py::test_9_3_without_stations_and_without_an_algorithm_order_is_lost "
        "sim/mobile/test_stationless.py::"
        "test_a_packet_to_a_place_that_a_host_has_left_is_sent_again_to_where_the_host_is "
        "test_fuzz_mobile.py::test_random_worlds_with_beacons_and_without_stations_hold",
    ),
    works(
        "0.52", "§9.3", "Stations that are mobile connect to the network by links of different bandwidth.",
        "sim.network sim.channels",
        "papers/test_000_section_9.py::test_9_3_a_link_of_low_bandwidth_delays_what_goes_over_it_and_nothing_else "
        "papers/test_000_section_9.py::test_9_3_order_holds_with_links_of_different_bandwidth",
    ),
    works(
        "0.53", "§1, §9", "Hosts are short of energy, memory and bandwidth, and the algorithm spares them.",
        "core.mobile.host sim.mobile.energy sim.mobile.host_work lab.experiments.av_factors",
        "papers/test_000_energy.py::test_1_sending_drains_a_battery_more_than_receiving "
        "papers/test_000_energy.py::test_9_a_host_spends_no_energy_on_the_order_of_messages "
        "core/mobile/test_host_and_station_frames.py::test_the_air_carries_the_message_and_two_numbers "
        "lab/test_reproduction.py::test_what_works_because_it_was_measured_holds",
    ),
    differs(
        "0.54", "§10", "Barriers adapt to the volume of traffic.",
        "lab.experiments.prs_fig4 lab.experiments.prs_intervals",
        "lab/test_reproduction.py::test_barriers_are_smaller_with_less_traffic_but_for_50_and_80_per_cent_selectivity",
        link="prs-fig5",
        why="with less traffic they are smaller in Figures 4 and 7, and in Figure 5 with uniform destinations, 95 % "
        "and full selectivity; with 50 and 80 % they are larger",
    ),
)  # fmt: skip
