"""The judge: happened-before from the events alone. Shares no clock code with the algorithms it judges.

`events` is the trace's row, `trace` the runs made of rows, `judge` the verdict, `rule` how an answer
follows from what was found, `explain` a violation in words.
"""
