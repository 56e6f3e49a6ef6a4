"""A process of a space.

join             from a URL and two names to a node
node             what an application uses: send, deliver, acknowledge, leave
durable_process  an algorithm whose every step is durable before anybody sees it
traced_events    which events of a process go into its trace
departure        how a process leaves for good
leaving          what a process waits for while it leaves
inbox_drain      what waits in the inbox of a process that is given up
given_up_names   the names that were given up, and packets of theirs that come too late
late_frames      frames that could not be taken yet, and why
last_numbers     which message was the last to and from each process, if messages go through others
view             how a node is doing: counts, problems, status
sync             the same node for programs without an event loop
"""
