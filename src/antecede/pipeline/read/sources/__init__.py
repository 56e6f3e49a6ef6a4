"""Sources of rows that are not just blocks that tasks read. `read.source` says what a source is.

span_source    spans, which tasks deal to each other until each span knows its message
handed_files   files that Arrow cannot open, whose content the runner hands to tasks
given_rows     rows that a program has: an Arrow table, or batches of a DataFrame
table_mapping  columns of other names, which a mapping explains
"""
