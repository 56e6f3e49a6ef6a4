"""The roaming host.

host          what an application uses: send, deliver, move
durable_host  the core's host, whose every step is durable
itinerary     which station a host is with
link          the WebSocket to a station
writer        what a host says on one link
view          how a host is doing: counts, problems
"""
