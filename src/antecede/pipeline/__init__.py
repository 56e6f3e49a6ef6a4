"""Spark: traces in; verdicts, tables and reports out.

A check has the stages read, verify, explain, measure and write, which `check` runs. Read in this order:

check     the stages of a check, one after the other
schema    every table: its columns, their types, and what each means
errors    what can be wrong with the input as a whole
read/     files, formats, the rules that make a row an event, duplicates, quarantine
kernel/   one run in memory: encode names, pair delivers with sends, lay out, walk, findings
windows/  one huge run across several tasks: cut, summarise, compose
tables/   each table of a check from what the kernel found; measures and figures
verify/   how the runs of a trace are dealt out and judged, and the answer
report/   why the worst violations are violations; excerpts of a trace
spark/    the session, Java, progress, DataFrames of rows that the driver has
"""
