"""Run tasks on Spark. Nothing outside of this package uses Spark.

runner       the runner on Spark
session      make a session, and put its failures into words
java         find the Java that runs an embedded Spark
small_input  settings for an input that takes less time than Spark takes to warm up
"""
