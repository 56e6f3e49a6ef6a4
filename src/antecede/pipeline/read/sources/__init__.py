"""Sources of rows that need more than tasks that each read blocks of their own. `read.source` says what a source is.

span_source    spans, which tasks deal to each other until each knows its message
handed_files   files that Arrow cannot open, whose content the runner hands to tasks
given_rows     rows that a program has: an Arrow table, or batches of a DataFrame
table_mapping  columns of other names, as a mapping says
"""
