"""Logical clocks that need no graph.

stamp         what a clock puts on a message, what a receiver keeps of it, how two stand to each other, what is refused
lamport       Lamport's clock
vector        vector clocks of Fidge and Mattern
differential  the same with only the entries that changed (Singhal and Kshemkalyani)
"""
