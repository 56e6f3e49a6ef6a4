"""One module for each format: files in, `schema.CANDIDATES` out.

jsonl           the trace of this project as JSON Lines
parquet         the same as Parquet, as Spark reads it
shiviz          ShiViz and GoVector logs: the text of one file
shiviz_files    the same through Spark, and what only all files together show
otlp            OpenTelemetry's OTLP/JSON, exactly
otlp_arrow      the same with Arrow, many spans at once; `otlp_attributes` reads their attributes
zipkin          Zipkin v2 JSON
jaeger          Jaeger's own JSON
json_texts      files of JSON texts, one in each line or one in each file; for `otlp`, `zipkin` and `jaeger`
messaging       what OpenTelemetry's attributes say about messages; for `otlp` and `jaeger`
spans           from the spans of tracing to events
mapped          any JSON Lines, by a mapping of its fields
"""
