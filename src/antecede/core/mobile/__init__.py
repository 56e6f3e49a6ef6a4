"""Roaming hosts: causal order, exactly once, while devices move between stations (papers 001 and 000 §9).

Read in this order:

host_and_station_frames  every frame between a host and its station, and between stations
effects                  what hosts and stations ask of their driver
handoff                  the table of the hand-off
luggage                  what a station keeps for a host
border                   the checks of a packet, before it changes anything
host                     a roaming host
station                  a station: what all protocols share
scheme                   what each protocol adds to a station
direct                   `roam`, and Algorithm 1 of 001 (`av1`): one ordering for each host
relay                    Algorithm 2 of 001 (`av2`, `av2-ks`): causal order between stations
logical                  Algorithm 3 of 001 (`av3`): several logical stations in one station
flood                    000 §9 (`prs-mobile`): every message to every station
protocols                all protocols by name; makes stations and hosts, and restores them
"""
