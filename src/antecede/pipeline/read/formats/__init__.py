"""One module for each format: files in, `schema.CANDIDATES` out.

jsonl           the trace of this project as JSON Lines
parquet         the same as Parquet, as Spark reads it
shiviz          ShiViz and GoVector logs: the text of one file
shiviz_files    the same through Spark, and what only all files together show
otlp            OpenTelemetry's OTLP/JSON
zipkin          Zipkin v2 JSON
mapped          any JSON Lines, by a mapping of its fields
spans           from the spans of tracing to events; for `otlp` and `zipkin`
json_documents  one JSON document in a file, or one in a line
destinations    destinations of messages, if a source does not name them
"""
