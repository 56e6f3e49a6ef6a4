"""The tables of a check, from what the kernel found.

selections   messages, deliveries, violations, skew and runs as selections of the findings
measures     delays, hold-backs and stamps, by delivery, link, process and run
hold_back    whether a hold-back was needed
clock_edges  who heard of whom, in a log that has vector clocks and no message ids
figures      measures as few enough numbers to draw
folder       the tables as Parquet under one folder
write        write all tables, and fetch the figures of a report
"""
