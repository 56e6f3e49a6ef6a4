"""Message brokers: a durable inbox for every process, and no order at all.

contract  what the runtime asks of a broker
memory    a network inside one process, with the faults of a real one
delayed   a network whose links take their time, for demonstrations
names     names of processes and spaces as NATS subjects and file names
urls      which network a URL means, and where stores are kept
nats/     inboxes as streams of NATS JetStream
"""
