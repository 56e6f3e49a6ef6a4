"""The parts of `antecede simulate`.

options          its options, as a table
option_values    the meaning of the texts of options
fixed_processes  the parameters of a run with processes that stay where they are
roaming_hosts    the parameters of a run with roaming hosts
summary          the summary at the end
amounts          numbers as the summary writes them
"""
