"""Ordering algorithms and clocks as pure state machines: the standard library only; no I/O, no time, no chance.

Read in this order:

types        the nouns: process, message, packet, stamp, what a held-back message waits for
effects      what an algorithm asks of its driver
algorithm    what an algorithm is, and what it asks of its driver
errors       the error tree, by whose fault it is, and the words for data that a newer release wrote
roster       who takes part, and whom one may address
holdback     the hold-back queue that every algorithm shares
process      what all algorithms that only stamp messages have in common
fifo         FIFO order over channels that reorder
vectors      vectors and tables of counts, without the processes that left
group_graph  how groups overlap, and whether they form a cycle
ordering/    one module for each ordering algorithm
acyclic      what is enough for groups that form no cycle, around `isis` and `mr`
known_links  what is enough if messages keep to the links of a network, around `ks` and `prs`
factories    how one process of each algorithm is made
options      which values the options of an algorithm may have
registry     every ordering algorithm by name; `create` and `restore`
wire/        packets as bytes
snapshot/    the state of an algorithm as bytes
clocks/      Lamport, vector and differential clocks
locality/    clocks for a known communication graph (paper 004)
mobile/      roaming hosts and their stations (papers 001 and 000 §9)
"""
