"""A space-time diagram: a column for each process, and time downwards by cause alone.

layout      the rows and columns of the events, and their positions in pixels
labels      the position of the name of a message
arrows      the messages
space_time  the diagram as SVG
"""
