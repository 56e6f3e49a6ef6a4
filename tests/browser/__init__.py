"""The report opened in a real browser: `make test-browser`. Collected only where ANTECEDE_BROWSER names the browser."""
