"""Spark: traces in; verdicts, tables and reports out. DataFrame to DataFrame, between declared schemas."""
