"""Measurements of the roaming protocols."""
