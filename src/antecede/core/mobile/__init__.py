"""Roaming hosts: causal order, exactly once, while devices move between stations (papers 001 and 000 §9)."""
