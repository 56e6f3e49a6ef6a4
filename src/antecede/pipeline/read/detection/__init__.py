"""Tell what a file is from its beginning.

head_sample      tell whether the first rows of a file are JSON Lines, CSV, or something else
detect_format    recognise the format of the files
mapping_notes    note what a mapping names and the first rows do not have
suggest_mapping  suggest a mapping to start from, for a log in a format of its own
"""
