"""Run tasks on Spark. Nothing outside of this package uses Spark.

runner       the runner on Spark
session      make a session, and put its failures into words
java         find the Java that runs an embedded Spark
class_archive  the classes of Spark in an archive, from which Java starts faster
small_input  settings for an input that takes less time than Spark takes to warm up
"""
