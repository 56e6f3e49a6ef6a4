"""One huge run across several tasks, as windows between consistent cuts.

compose    where to cut, what a window does, and how windows compose
parts      which part of a run a row belongs to
summaries  what a task says about its windows
cut        the same on Spark: join by message, deal out, summarise, compose, verify
"""
