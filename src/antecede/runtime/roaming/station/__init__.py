"""The station: it serves the hosts of its cell and runs the algorithm for them.

serve            from a URL and a few names to a running station
server           WebSockets to hosts, inboxes to other stations
greetings        connections that have not said who they are
connection       the WebSocket of one host
similar_hosts    names of hosts that are like one that is unknown
durable_station  the core's station, whose every step is durable before anybody sees it
station_entries  what the entries of the log do to the core's station
seals            frames of other stations that are believed
evidence         what shows that a store fell back
announcer        what sends the beacon of a station
fragments        packets that are too long for the broker, in parts
told_problems    what hosts tell of their problems
view             how a station is doing
"""
