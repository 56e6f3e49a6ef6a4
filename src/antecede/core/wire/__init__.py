"""Packets as bytes.

shapes   the shapes that stamps are made of, and their binary form
packets  a packet as bytes and back, with a version, within limits
"""
