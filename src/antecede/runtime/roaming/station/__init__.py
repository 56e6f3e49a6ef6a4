"""The station: it serves the hosts of its cell and runs the algorithm for them.

serve            from a URL and a few names to a running station
server           WebSockets to hosts, inboxes to other stations
connection       the WebSocket of one host
durable_station  the core's station, whose every step is durable before anybody sees it
announcer        what sends the beacon of a station
fragments        packets that are too long for the broker, in parts
view             how a station is doing
"""
