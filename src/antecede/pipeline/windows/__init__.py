"""One huge run across several tasks, as windows between consistent cuts.

compose      where to cut, what a window does, and how windows compose
window_plan  which window a row belongs to, and messages that cross windows
summaries    what a task tells about its windows, as tables
tasks        what runs on the executors: join by message, summarise windows, compose states
cut          the same as steps of a runner, and whether cuts are consistent
"""
