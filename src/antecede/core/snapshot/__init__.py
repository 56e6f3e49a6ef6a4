"""The state of an algorithm as bytes, without pickle.

values  a snapshot as bytes and back, each field checked against its declared type
"""
