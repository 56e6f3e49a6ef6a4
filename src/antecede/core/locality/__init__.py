"""Clocks for a known communication graph: paper 004 (Meldal, Sankar, Vera). `antecede.locality` has the public names.

Read in this order:

graph               who may write to whom
edge_list           a graph from text: an edge list, CSV or JSON
components          strongly connected components, blocks, and the way from block to block
simple_paths        who lies on a simple path between two processes
allocation          which clocks each process keeps: Allocations 1 to 3
gateways            Allocations 4 and 5, repaired, and 6, which is ours
pairs               the clocks by which the events of two chosen processes are compared
two_way_links       the same in nearly linear time, if every link goes both ways
gateway_memory      what a gateway remembers of one process
local_clock         keeping the clocks of an allocation, and comparing two messages that arrived at one process
arrival_text        arrivals as text for a trace, and comparing two of them
plan                what allocations cost, and the cheapest one for a graph
architectures       synchronous messages and shared variables as links
epochs              replacing the plan while processes run
separators          the clusters of `hierarchy` and what `ks` and `prs` need, from the links of a network (paper 000)
"""
