"""Logical clocks: Lamport, vector, differential, and local to a communication graph."""
