"""Files in; events and quarantine out.

arguments        refuse what is known to be wrong before Spark is started
files            which files the paths mean; damaged files
file_heads       the first characters of files
detect_format    which format the files are in
text             lines and documents of text, with file and line
formats/         one module for each format: files in, `schema.CANDIDATES` out
rules            what makes one row an event
duplicates       what only the trace as a whole shows: an index or a message that is taken
ingest           all of these, one after the other
row_groups       row groups of Parquet files, read by the tasks themselves
parquet_footers  what the footer of a Parquet file says about its columns
"""
