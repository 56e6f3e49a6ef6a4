"""Measurements of the runtime, beside plain JetStream."""
