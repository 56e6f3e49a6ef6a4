"""The judge: the naive, independent truth. It decides from the events of a trace alone.

It shares no clock code with the algorithms that it judges. Read in this order:

row       the fields of one decoded row, each checked
events    one event: how a row becomes one, and why a row does not
trace     the events of a trace as runs, and a walk along happened-before
pasts     the explicit causal past of every process and every message in flight
judge     the verdict on a run and on a trace
rule      how verdicts and refused rows become one answer; the pipeline follows it too
causes    the messages that may have caused a message, nearest first
explain   a violation in words, with the shortest chain that proves it
cycle     a cycle in happened-before in words
"""
