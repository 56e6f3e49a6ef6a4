"""A space-time diagram: a column for each process, time downwards by cause alone.

layout      where the events go
geometry    places in pixels
labels      where the name of a message goes
arrows      the messages
space_time  the diagram as SVG
"""
