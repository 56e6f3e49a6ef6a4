"""The report opened in a real browser: `make test-browser`."""
