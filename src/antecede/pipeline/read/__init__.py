"""Files in; events and quarantine out.

arguments     refuse what is known to be wrong before Spark is started
files         which files the paths mean
open_input    find the files, recognise their format, cut them into blocks
detection/    which format files are in; a mapping to start from
blocks        pieces of files, each read by one task
content       the bytes of a block: decompressed, in pieces of whole lines, within limits
formats/      one module for each format, with a function `read`: a block in, rows out
rows          what a reader returns, and which columns are wanted
doubtful_rows which rows may not be events; the judge decides on them
columns       columns of other types, converted to those of a trace
times         columns of times, in seconds
duplicates    what only a whole run shows: an index or a message that is taken
indexes       the order of events whose source gives none: by line, or by time
destinations  destinations of sends of sources that do not name them
row_counts    how many rows of each file became events, and why the others did not
row_groups    what the footers of Parquet files say about their row groups
source        where the rows of a check come from, for whoever consumes them
sources/      what tasks read if it is not blocks of files, and spans, which tasks deal to each other first
"""
