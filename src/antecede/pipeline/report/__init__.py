"""What a report needs beside the tables.

explanations     the worst violations, each with the chain of messages that proves it
excerpts         a part of the trace, for an export or a diagram
locality_saving  what the clocks of `antecede locality` would save on the graph of the trace
"""
