"""What a person is told about a running node, station or host.

problems          what is wrong, as values
station_problems  what is wrong at stations only
words             counts, lists of names and questions, as problems are told
problem_log       each problem in the log when it begins and when it is over
stalls            what does not move, and why
acknowledgements  whether an application forgets `ack`
recent_events     events that are problems for some time after they happened
sent_stamps       whether another algorithm would need a third of the control bytes
unreadable        frames that a later release wrote, and that wait for an upgrade
metrics           counts in the text form of Prometheus
status            questions on `antecede-status`, and the answers
"""
