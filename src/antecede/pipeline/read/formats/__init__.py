"""Read the formats, one module for each: from a block of a file to rows. No module here knows who runs it.

jsonl            a trace of this project as JSON Lines
parquet          a trace of this project as Parquet
mapped           any JSON Lines, by a mapping of its fields
csv              any CSV, by a mapping of its columns
shiviz           ShiViz and GoVector logs, one file at a time
shiviz_runs      the rules of such logs that need all rows of a run, or all files
expressions      regular expressions of other people, searched for in a bounded time
otlp             OpenTelemetry's OTLP/JSON, read exactly
otlp_arrow       OTLP/JSON read with Arrow, many spans at once
otlp_attributes  the attributes of these spans
zipkin           Zipkin v2 JSON
jaeger           Jaeger's own JSON
json_texts       files of JSON texts, one in each line or one in each file; for `otlp`, `zipkin` and `jaeger`
messaging        what OpenTelemetry's attributes say about messages; for `otlp` and `jaeger`
spans            from the spans of tracing to events
"""

FORMATS = ("antecede", "shiviz", "otlp", "zipkin", "jaeger", "mapped", "csv")
"""The formats that a caller can name. The last two need a mapping."""
