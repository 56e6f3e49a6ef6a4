"""The roaming host.

host            what an application uses: send, deliver, move
durable_host    the core's host, whose every step is durable
itinerary       which station a host is with
heard_stations  the stations whose beacons a host hears
link            the WebSocket to a station
links           the link that a host is on, and those before it
writer          what a host says on one link
view            how a host is doing: counts, problems
"""
