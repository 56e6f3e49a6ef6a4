"""A process of a space.

join             from a URL and two names to a node
node             what an application uses: send, deliver, acknowledge, leave
durable_process  an algorithm whose every step is durable before anybody sees it
departure        how a process leaves for good
sync             the same node for programs without an event loop
"""
