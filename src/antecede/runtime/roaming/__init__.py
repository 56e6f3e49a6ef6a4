"""Hosts that roam between stations.

websocket       what passes between a host and a station on a WebSocket, and its limits
problem_notice  what a host tells its station of its problems
beacon          what a station sends to everybody, so that hosts learn of it
tokens          how a host proves its name
home_station    the station at which a host begins
station/        the station
host/           the host
remove_host     removing a host for good
unordered       stations that keep no order, to compare with
"""
