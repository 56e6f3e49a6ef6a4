"""Judge the runs of a trace.

plan            decide from sizes alone which task reads what, and whether rows are dealt out
verify          the steps of judging a trace, and their result
tasks           tasks that deal rows out by run, and judge whole runs
judge           judge whole runs in memory: a table of events goes in, and findings come out
repeats         find rows of large runs whose index is taken
window_tasks    tasks for runs that are cut into windows
orders          find where runs break other orders than causal order
order_tasks     the same for runs that are cut into windows
clock_verdicts  judge runs that name no messages, by their vector clocks
run_verdict     the verdict on each run, from its counts
answer          the verdict on the trace, and its counts
"""
