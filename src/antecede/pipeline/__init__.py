"""Check traces: files in; verdicts, tables and reports out.

A check reads, plans, verifies, explains and writes: `check` has these stages. A task is a function from Arrow batches
to Arrow batches. A runner runs tasks, on Spark or one after the other in the calling process. The modules, in the order
in which to read them:

arguments   refuse wrong arguments before a runner starts
check       the stages of a check, one after the other
open_trace  how the input is recognised, and planned
schema      every table: its columns, their types, and what each means
runner      what runs tasks; the runner in the calling process
dealing     how tasks send tables to each other and to the driver: as values with a name
results     the tables that tasks tell the driver
arrow       small functions on Arrow tables that everybody shares
limits      how much a task, a block or a window may hold
progress    the names of stages, for a caller who waits
errors      what can be wrong with the input as a whole
read/       files, blocks, formats, the rules that make a row an event, duplicates, quarantine
kernel/     one run in memory: encode names, pair delivers with sends, lay out, walk, findings
windows/    one huge run across several tasks: cut, summarise, compose
tables/     each table of a check from what the kernel found; measures and figures
verify/     the plan, the tasks that judge, and the answer
report/     why the worst violations are violations; what a report needs; excerpts of a trace
spark/      the session, Java, the runner on Spark. Nothing else uses Spark
"""
