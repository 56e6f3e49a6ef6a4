"""Docstrings as Markdown paragraphs."""

from __future__ import annotations

import inspect


def paragraphs(docstring: str | None) -> list[str]:
    """The paragraphs of prose, each on one line. Indented blocks, which are tables or examples, are left out."""
    blocks = inspect.cleandoc(docstring or "").split("\n\n")
    return [" ".join(block.split()) for block in blocks if block and not block.startswith(" ")]
