"""The report pages: the findings of a check as one file that can be sent to a colleague and opened anywhere.

Python draws the page as HTML and SVG. The page is complete without its script, which only adds zooming, panning and the
text under a diagram, and the filter of violations. Read in this order:

report      builds the page from the report of a check (`antecede.pipeline.report.model`)
sections    the plain sections: verdict, counts, runs, processes, quarantine, method
violations  the worst violation and the others, by shape: a sentence, a diagram, numbered steps
steps       the steps of a chain: file, line, ids, attributes
step_links  links from steps to another tool
legend      how to read a diagram
measures    delays, hold-back, stamps and the time line
matrix      who sends to whom
diagram/    the space-time diagram of a violation
charts      bar charts
tables      tables
names       labels of processes, messages and files, which differ if the names do
words       events and messages in words
text        text and numbers as a page may show them
export      a part of a trace as a ShiViz log or as OTLP/JSON
"""
