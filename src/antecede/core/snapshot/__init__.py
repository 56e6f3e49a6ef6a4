"""The state of an algorithm as bytes, without pickle.

types   whether a value has the type that a field was declared with
values  a snapshot as bytes and back
"""
