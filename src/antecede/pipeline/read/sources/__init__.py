"""Where the rows of a check come from.

given_rows     rows that a program has: an Arrow table, or batches of a DataFrame
table_mapping  columns of other names, as a mapping says
"""
