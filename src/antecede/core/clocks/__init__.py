"""Logical clocks: Lamport, vector, differential, and local to a communication graph (paper 004).

Read in this order. `order` and `stamp` are the nouns. `lamport`, `vector` and `differential` need no graph.
The rest is locality: `graph` says who may write to whom; `paths`, on `components` and `blocks`, says who lies on
a path between two processes; `allocation` (1 to 3) and `gateways` (4 to 6) turn that into clock sets, `rooms`
does the same in nearly linear time where every link goes both ways; `propagation` keeps the clocks,
`determination` compares messages, `plan` picks the cheapest. `printed` holds the paper's own forms of 4 and 5,
which are wrong, for the errata.
"""
