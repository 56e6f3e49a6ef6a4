"""One run in memory, or some of them: arrays in, findings out. NumPy, Arrow and Numba; no Spark.

counts          the events of each process, counted
encode          names to dense integers; each deliver paired with its send
pair            paired rows, with the names and times that an answer needs
layout          paired rows as the compiled loops want them
loops           the compiled loops over rows, and how loops are compiled
linear_order    the events in an order in which every send precedes its delivers
overtakers      which messages might be overtaken at all
mask_blocks     those put together in blocks
mask_walk       judge with a bit for each of them
vector_walk     judge with a vector for each process
order_walk      find where other orders than causal order are broken
stamp           judge the rows of one task, with masks or with vectors
findings        what was found, as tables
hashes          numbers for texts, to deal them out
clock_receives  find late receives in a log that has vector clocks and no message ids
"""
