"""Planning clocks for known graphs: time beside NetworkX, growth, memory, and the price of a gateway's memory."""

from bench.locality.measure import main

__all__ = ["main"]
