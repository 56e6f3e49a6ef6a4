"""What a person is told about a running node or station.

stalls   what does not move, and why
metrics  counts in the text form of Prometheus
status   questions on `antecede-status`, and the answers
"""
