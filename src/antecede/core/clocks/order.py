"""How two messages stand to each other in happened-before: the answer of every determination."""

from __future__ import annotations

from enum import Enum


class Order(Enum):
    """How the first of two messages stands to the second in happened-before."""

    BEFORE = "before"
    AFTER = "after"
    CONCURRENT = "concurrent"
