"""The papers' algorithms as printed, or read outside their assumptions: for the errata and the lab, never for use.

ordering     procedures of 000 §5.2 and 001 §3, and a process that runs them
ks           002: `Ks` of the core with the look-ahead of §4.5, or with the first test of RCV(4)
mr           003: the protocol of §4.1 with §3.4 and §4.3, and `BroadcastPhases` of the core with §3.3
roaming      000 §9.1, 001 §4.1 and §5.2: the roaming protocols of the core with the step that the paper has
allocations  004: Allocations 4 and 5
locality     whether an allocation misjudges a random execution

A form that differs from the core in one step is a subclass of the core's class that overrides that step. No form can be
stored in a snapshot.
"""
