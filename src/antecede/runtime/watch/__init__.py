"""What a person is told about a running node, station or host.

problems          what is wrong, as values, in the log and in the metrics
station_problems  what is wrong at stations only
stalls            what does not move, and why
sent_stamps       whether another algorithm would need a third of the control bytes
unreadable        frames that a later release wrote, and that wait for an upgrade
metrics           counts in the text form of Prometheus
status            questions on `antecede-status`, and the answers
"""
