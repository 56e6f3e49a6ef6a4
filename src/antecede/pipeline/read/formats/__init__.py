"""One module for each format: files in, `schema.CANDIDATES` out.

jsonl           the trace of this project as JSON Lines
parquet         the same as Parquet, as Spark reads it
shiviz          ShiViz and GoVector logs: one file
shiviz_runs     the same: what only all rows of a run, or all files, show
expressions     regular expressions of other people, searched for in a bounded time
otlp            OpenTelemetry's OTLP/JSON
zipkin          Zipkin v2 JSON
mapped          any JSON Lines, by a mapping of its fields
csv             the same for CSV
spans           from the spans of tracing to events; for `otlp` and `zipkin`
json_documents  one JSON document in a file, or one in a line
destinations    destinations of messages, if a source does not name them
"""
