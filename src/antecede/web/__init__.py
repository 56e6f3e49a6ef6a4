"""The pages: what a check found, as one file that can be sent to a colleague and opened anywhere.

`model` is the data a report is made of, `report.render` turns it into one self-contained page, and `export`
writes a window of a trace in the formats of other viewers. The page is drawn here, in Python, as HTML and SVG:
it is complete without its script, which only adds zooming, panning and the read-out under a diagram.
"""
