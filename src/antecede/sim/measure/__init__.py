"""What a run is measured by.

metrics          the result of a run, and the meters that add it up
ledger           which messages are in flight, and since when packets are held back
milestones       what is due at a number of deliveries
oracle           an observer who knows everything: was a delivery legal, was a wait needless?
packet_size      packets in bytes
processing_cost  the time that it takes to process a header
"""
