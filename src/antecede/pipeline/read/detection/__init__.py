"""Tell what a file is from its beginning.

head_sample      what the first rows of a file are: JSON Lines, CSV, or something else
detect_format    which format the files are in
mapping_notes    what a mapping names that the first rows do not have
suggest_mapping  a mapping to start from, for a log in a format of its own
"""
