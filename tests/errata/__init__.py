"""Where the papers are wrong: each erratum runs the printed form and ours on a small execution."""
