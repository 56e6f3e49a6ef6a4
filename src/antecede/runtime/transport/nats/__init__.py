"""Inboxes as streams of NATS JetStream.

options           how to connect, and how inboxes are kept
tls_client        a client that says nothing over an unencrypted connection if TLS was asked for
connection        a connection, and in words why there is none
network           transports over NATS
register          the register of a space: an entry for each process that was ever started
owner             whose a name is, by the register
refusals          what a server will refuse however often it is asked
publisher         publications on one connection, many under way at once
streams           the streams that the runtime makes
pull              reading an inbox
embedded          a NATS server that this process starts
embedded_keeper   the process that keeps an embedded server running
own_server        is the server at the other end one of this user?
short_connection  a connection only to look
trace_stream      reading the trace that processes wrote to a stream
"""
