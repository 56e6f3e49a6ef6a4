"""The simulator measured: deliveries per second, beside the same world written on SimPy."""
