"""The pages: what a check found, as one file that can be sent to a colleague and opened anywhere.

The page is drawn here, in Python, as HTML and SVG. It is complete without its script, which only adds zooming, panning
and the text under a diagram. Read in this order:

model       what a report says, as plain values
fill        the model from what a check found
report      the page from the model
sections    the plain parts: verdict, counts, runs, processes, quarantine, method
violations  the worst violations: a sentence, a diagram, numbered steps
measures    delays, hold-back, stamps and the time line
matrix      who sends to whom
diagram/    the space-time diagram of a violation
charts      bar charts
tables      tables
text        text and numbers as a page may show them
words       events and messages in words
window      a part of a trace in memory
export      a part of a trace as a ShiViz log or as OTLP/JSON
"""
