"""The parts of `antecede simulate`: its options, what they ask for, and the words of its summary."""
