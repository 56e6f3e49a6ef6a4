"""Read the input: files go in; events and quarantined rows come out.

files         which files the paths mean
open_input    find the files, recognise their format, cut them into blocks
detection/    recognise the format of files; suggest a mapping
blocks        pieces of files, each read by one task
content       the bytes of a block: decompressed, in pieces of whole lines, within limits
formats/      one module for each format, with a function `read`: a block in, rows out
rows          the rows that a reader returns, and which columns are wanted
doubtful_rows find the rows that may not be events; the judge decides on them
columns       convert columns of other types to those of a trace
times         convert columns of times to seconds
duplicates    refuse an index or a message that is taken, which only a whole run shows
indexes       number events whose source gives no index, by line or by time
destinations  infer the destinations of sends that do not name them
row_counts    how many rows of each file became events, and why the others did not
row_groups    what the footers of Parquet files say about their row groups
source        where the rows of a check come from, for the functions that consume them
sources/      input that is not blocks of files, and spans, which tasks deal to each other first
"""
