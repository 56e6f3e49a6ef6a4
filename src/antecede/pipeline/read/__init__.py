"""Files in; events and quarantine out.

arguments        refuse what is known to be wrong before Spark is started
files            which files the paths mean; damaged files
head_sample      what the first rows of a file are: JSON Lines, CSV, or something else
detect_format    which format the files are in
suggest_mapping  a mapping to start from, for a log in a format of its own
times            columns of times, in seconds
text             lines and documents of text, with file and line
formats/         one module for each format: files in, `schema.CANDIDATES` out
rules            what makes one row an event
duplicates       what only the trace as a whole shows: an index or a message that is taken
ingest           all of these, one after the other
row_groups       row groups of Parquet files, read by the tasks themselves
parquet_footers  what the footer of a Parquet file says about its columns
"""
