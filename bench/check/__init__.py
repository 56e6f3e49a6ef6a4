"""Checking as people run it: `antecede check` from the shell, cold, beside what else could be done with the same files.

workload       events of any number, as Arrow tables
files          the same events as Parquet, JSON Lines and OTLP, written once into a folder
process_tree   run one command, and measure it with all processes that it starts
peers          what a check is compared with: Spark that starts, counts or sorts, and the pure-Python judge
cases          which inputs there are, and what is done with each
targets        which ratio has which limit
statements     how long the code is that does it
measure        the command `python -m bench.check`
processes      by itself (`python -m bench.check.processes`): the kernel alone, among more and more processes
"""
