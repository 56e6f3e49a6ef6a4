"""Ordering algorithms and clocks as pure state machines: the standard library only, no I/O, no time, no chance."""
