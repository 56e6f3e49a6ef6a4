"""One module for each format, from a block of a file to rows. No module here knows who runs it.

jsonl            the trace of this project as JSON Lines
parquet          the same as Parquet
mapped           any JSON Lines, by a mapping of its fields
csv              the same for CSV
shiviz           ShiViz and GoVector logs: one file
shiviz_runs      the same: what only all rows of a run, or all files, show
expressions      regular expressions of other people, searched for in a bounded time
otlp             OpenTelemetry's OTLP/JSON, exactly
otlp_arrow       the same with Arrow, many spans at once; `otlp_attributes` reads their attributes
zipkin           Zipkin v2 JSON
jaeger           Jaeger's own JSON
json_texts       files of JSON texts, one in each line or one in each file; for `otlp`, `zipkin` and `jaeger`
messaging        what OpenTelemetry's attributes say about messages; for `otlp` and `jaeger`
spans            from the spans of tracing to events
"""

FORMATS = ("antecede", "shiviz", "otlp", "zipkin", "jaeger", "mapped", "csv")
"""What a caller can name. The last two need a mapping."""
