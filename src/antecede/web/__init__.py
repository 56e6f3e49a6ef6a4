"""The report pages: the findings of a check as one file that can be sent to a colleague and opened anywhere.

Python draws the page as HTML and SVG. The page is complete without its script, which only adds zooming, panning and the
text under a diagram. Read in this order:

report      builds the page from the report of a check (`antecede.pipeline.report.model`)
sections    the plain sections: verdict, counts, runs, processes, quarantine, method
violations  the worst violations: a sentence, a diagram, numbered steps
measures    delays, hold-back, stamps and the time line
matrix      who sends to whom
diagram/    the space-time diagram of a violation
charts      bar charts
tables      tables
text        text, numbers, events and messages as a page may show them
export      a part of a trace as a ShiViz log or as OTLP/JSON
"""
