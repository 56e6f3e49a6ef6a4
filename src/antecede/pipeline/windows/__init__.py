"""Judge one huge run in several tasks, as windows between consistent cuts.

compose      where to cut, the summary of a window, and how windows compose
window_plan  the window of each row, and messages that cross windows
summaries    the tables that a task tells about its windows
tasks        tasks that join rows by message, summarise windows, and compose states
cut          run these tasks, and find out whether cuts are consistent
"""
