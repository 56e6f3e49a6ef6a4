"""Every small world: not random executions, but all of them, of a few processes and a few messages.

search    visit every state that can be reached, each once, the nearest first
machines  pure state machines as numbers: what a machine does in a state is worked out once
oracle    happened-before of a world, as a value that can be hashed
ordering  worlds of an ordering algorithm
roaming   worlds of a roaming protocol

`make test-slow` explores them, and prints how many states there are. `python -m tests.exhaustive NAME...` explores some
of them, and draws the shortest execution that breaks a rule, if there is one.
"""
