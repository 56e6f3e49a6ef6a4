"""Logical clocks that need no graph.

order         how two events or messages stand to each other in happened-before
stamp         what a clock puts on a message, and what a receiver keeps of it
values        which numbers a stamp may hold
lamport       Lamport's clock
vector        vector clocks of Fidge and Mattern
differential  the same with only the entries that changed (Singhal and Kshemkalyani)
"""
