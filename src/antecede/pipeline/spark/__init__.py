"""Spark itself.

session          the one place where a session is made, and where its failures are put into words
java             which Java runs an embedded Spark
small_input      settings for an input that takes less time than Spark takes to warm up
progress         the stages of a long piece of work
local_dataframe  rows that the driver has, as a DataFrame
"""
