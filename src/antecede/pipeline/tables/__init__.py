"""Make the tables of a check from the findings of the kernel.

whole_runs   all tables of runs that were judged in memory
measures     delays and hold-backs of delivers; the links of sends
sums         links, processes and the summary, from sums by link and by sender
hold_back    whether a hold-back was needed
clock_edges  who heard of whom, in a log that has vector clocks and no message ids
figures      measures reduced to few enough numbers to draw
part_files   the files that tasks write, and how they become tables
folder       the folder that the tables are in
totals       sums over tables that were written, for the figures of a report
"""
