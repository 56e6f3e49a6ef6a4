"""Judge the runs of a trace.

plan            which task reads what, and whether rows are dealt out: from sizes alone
verify          the steps of judging a trace, and what comes back
tasks           what runs on the executors: deal rows out by run, and judge whole runs
judge           whole runs in memory: a table of events in, what was found out
repeats         rows of large runs whose index is taken
window_tasks    what runs on the executors for runs that are cut into windows
orders          where runs break other orders than causal order
order_tasks     the same for runs that are cut into windows
clock_verdicts  runs that name no messages, by their vector clocks
run_verdict     the verdict on each run, from what was counted
answer          the verdict on the trace, and its counts
"""
