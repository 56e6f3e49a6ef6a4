"""How two messages stand to each other in happened-before: the answer of every determination."""

from __future__ import annotations

from enum import Enum


class Order(Enum):
    """Of the first message with respect to the second."""

    BEFORE = "before"
    AFTER = "after"
    CONCURRENT = "concurrent"
