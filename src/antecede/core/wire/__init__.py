"""Packets as bytes.

shapes      the shapes that stamps are made of, and their binary form
fields      the binary form of a stamp that follows from its fields
bit_string  a table of counts as a string of bits and integers
common_part what the stamps of one message share, written once
packets     a packet as bytes and back, with a version, within limits
"""
