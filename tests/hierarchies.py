"""Processes of `hierarchy` that leave and come, for random executions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import antecede
from antecede import Misuse


def is_handing_over(node: Any) -> bool:
    return bool(node.is_handing_over)


def may_leave(node: Any) -> bool:
    """Whether a process of `hierarchy` may: not if it represents others above, and nobody of its cluster is left."""
    try:
        antecede.restore(node.snapshot()).leave(node.process)
    except Misuse as refusal:
        if "on a higher level" not in str(refusal):
            raise
        return False
    return True


def present_clusters(levels: list[dict[str, list[str]]], nodes: Mapping[str, Any]) -> dict[str, Any]:
    """The options for a newcomer to a `hierarchy`: the clusters without those who left, and who plays their roles."""
    players = {node.inner.inner.process: name for name, node in nodes.items() if node.inner.inner is not None}
    through = nodes[min(players.values())].inner.representative
    lowest = {role: [name for name in nodes if through[name] == role and name != role] for role in players}
    above = [
        {head: [role for role in members if role in players] for head, members in level.items() if head in players}
        for level in levels[1:]
    ]
    successors = {role: player for role, player in players.items() if role != player}
    return {"representatives": [lowest, *above], "successors": successors or None}
