"""What survives a restart.

store           one SQLite file, in which a group of steps is there as a whole or not at all
identity        what a store belongs to
journal         a state machine as its last snapshot and the inputs after it
rosters         lists of names by number, so that packets need not carry them
trace_recorder  the trace of a process, in files or in a stream
"""
