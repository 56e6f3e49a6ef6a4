"""One run in memory, or some of them: arrays in, findings out. NumPy, Arrow and Numba; no Spark.

encode          names to dense integers; each deliver paired with its send
pair            paired rows, with the names and times that an answer needs
layout          paired rows as the compiled loops want them
loops           the compiled loops over events
stamp           stamp and verify the rows of one task
findings        what was found, as one Arrow table
clock_receives  find late receives in a log that has vector clocks and no message ids
"""
