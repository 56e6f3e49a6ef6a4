"""The ordering algorithms measured: bytes on the wire and deliveries per second, beside a peer from outside."""
