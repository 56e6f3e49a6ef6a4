"""One adapter per format: files in, `schema.CANDIDATES` out."""
