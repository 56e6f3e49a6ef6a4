"""What survives a restart.

store            one SQLite file, in which a group of steps is there as a whole or not at all
wal              damage in SQLite's log that it would take for the end of the log
store_error      the error of a store that cannot be read or written, and the checksum of a row
row_sum          the checksum of all rows: a row that is missing is noticed
migration        the formats of a store, and the way from an earlier one to the present one
format_1         what the rows of the first format mean
format_2         what the second format wrote in another way
identity         what a store belongs to
ownership        whose a name is: the epoch of a store, beside what the broker has registered
journal          a state machine as its last snapshot and the log entries after it
log_entries      the inputs of a state machine, as one typed union with one codec
outgoing         what is owed to the inboxes of others
recent_messages  checksums of what came in lately: a number that is used twice is noticed
rosters          lists of names by number, so that packets need not carry them
trace_recorder   the trace of a process, in files or in a stream
"""
