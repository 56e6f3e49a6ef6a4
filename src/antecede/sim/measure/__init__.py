"""The measurements of a run.

metrics          the result of a run, and the meters that add it up
ledger           the messages in flight, since when packets are held back, and what is due at a number of deliveries
oracle           an observer that knows all causal pasts: was a delivery legal, was a wait needless?
packet_size      packets in bytes
processing_cost  the time that it takes to process a header
"""
