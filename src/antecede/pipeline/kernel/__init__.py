"""Judge whole runs, or windows of runs, in memory: arrays go in, and findings come out.

The kernel uses NumPy, Arrow and Numba, and not Spark.

counts          count the events of each process
encode          turn names into dense integers, and pair each deliver with its send
pair            paired rows, with the names and times that an answer needs
layout          paired rows in the form that the compiled loops need
loops           the compiled loops over rows, and how loops are compiled
linear_order    the events in an order in which every send precedes its delivers
overtakers      find the messages that might be overtaken at all
mask_blocks     put these messages together in blocks
mask_walk       judge with a bit for each of these messages
vector_walk     judge with a vector for each process
order_walk      find where other orders than causal order are broken
stamp           judge the rows of one task, with masks or with vectors
findings        the findings as tables
hashes          numbers for texts, to deal them out
clock_receives  find late receives in a log that has vector clocks and no message ids
"""
