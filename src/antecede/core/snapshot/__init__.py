"""The state of an algorithm as bytes, without pickle.

values          a snapshot as bytes and back
declared_types  the check of each field against its declared type
"""
