"""The parts of `antecede simulate`.

options          its options, as a table
option_values    what the texts of options mean
fixed_processes  the parameters of a run with processes that stay where they are
roaming_hosts    the parameters of a run with roaming hosts
summary          what it says at the end
amounts          numbers as the summary writes them
"""
