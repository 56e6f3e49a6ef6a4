"""Judge the runs of a trace.

feed           where verification gets a trace from; the rows of a DataFrame
tasks          what runs on the executors, from Arrow batches to Arrow batches
verify         how runs are dealt out to tasks, and what comes back
answer         the verdict and the counts, from the rows of the runs
column_feed    Parquet files that the tasks read themselves
parquet_tasks  what runs on the executors to read them
survey         what one pass over them shows: sizes, and whether any row is in doubt
whole_runs     runs that lie in few row groups, judged as they are read
"""
