"""The diagram of a hand-off, drawn from the table that the stations run by."""

from __future__ import annotations

from antecede.core.mobile import handoff


def diagram(table: handoff.Table = handoff.SIMPLE) -> str:
    """A Mermaid state diagram: one arrow for each entry, labelled with its event and its actions."""
    lines = ["stateDiagram-v2", f"    [*] --> {handoff.AWAY}"]
    for (state, event), (after, actions) in table.items():
        lines.append(f"    {state} --> {after}: {event} / {', '.join(actions).replace('_', ' ')}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(diagram())
