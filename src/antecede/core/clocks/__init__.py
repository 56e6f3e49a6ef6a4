"""Logical clocks: Lamport, vector, differential, and local to a communication graph (paper 004).

Read in this order. `order` and `stamp` are the nouns, and `values` says what a stamp may say. `lamport`, `vector` and
`differential` need no graph. The rest is locality: `graph` says who may write to whom, and `edgelist` reads it;
`paths`, on `components`, `blocks`, `house` and `crossing`, says who lies on a simple path between two processes;
`allocation` (1 to 3) and `gateways` (4 to 6) turn that into clock sets, `rooms` does the same in nearly linear time
where every link goes both ways; `propagation`, with `memory` at gateways, keeps the clocks, `determination` compares
messages, `cost` counts, `plan` picks the cheapest. `topologies` has the paper's networks, `printed` the paper's own
forms of 4 and 5, which are wrong, for the errata.
"""
