"""Make what a report needs besides the tables.

model            the findings of a check, as plain values that a page draws
explanations     the worst violations, each with the chain of messages that proves it
neighbourhoods   the same for runs that no task has in memory, from the events near each violation
figures          the numbers that a report shows besides the answer
span_ids         the ids of traces and spans among attributes
message_names    messages named for people, and labels that still differ when they are short
shapes           violations that have the same cause
arrows           the messages among some events, as a diagram shows them
excerpts         a part of the trace, for an export or a diagram
locality_saving  what the clocks of `antecede locality` would save on the graph of the trace
"""
