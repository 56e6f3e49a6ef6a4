"""Side-by-side measurements, each a ratio in one run."""
