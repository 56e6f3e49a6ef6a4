"""The judge: a naive, independent check of causal order. It decides from the events of a trace alone.

The judge shares no clock code with the algorithms that it judges. Read in this order:

times         read a time in any usual unit or spelling
row_refusals  read the fields of one decoded row, and refuse each wrong one with a reason
events        turn rows into events, and say why a row is not an event
trace         group the events of a trace into runs, and walk a run along happened-before
pasts         keep the explicit causal past of every process and of every message in flight
judge         give the verdict on a run and on a trace
orders        judge which other orders a run keeps: FIFO, agreed, synchronous
rule          combine verdicts and refused rows into one answer; the pipeline follows this rule too
causes        find the messages that may have caused a message, nearest first
explain       explain a violation in words, with the shortest chain that proves it
cycle         describe a cycle in happened-before in words
"""
