"""The parts of `antecede simulate`.

options     its options, as a table
parameters  the parameters of a run, from the texts of the options
summary     the summary at the end
"""
