"""Table 1 of 001 by counting, with the protocols it does not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple

from bench import table
from bench.mobile.drive import Measured, Setting, measure

ROWS = (("av1", 1), ("av2", 1), ("av3", 2), ("av3", 4), ("prs-mobile", 1), ("av2-ks", 1), ("roam", 1))
COLUMNS = (
    "protocol",
    "hosts",
    "k",
    "header entries",
    "header bytes",
    "packets/message",
    "control/message",
    "hand-offs",
    "messages/hand-off",
    "bytes/hand-off",
    "forwarded/hand-off",
    "deliveries",
    "delay, ms",
    "held for nothing",
)


def table_1(settings: Sequence[Setting]) -> list[Measured]:
    rows = [measure(setting) for setting in settings]
    one = settings[0]
    title = (
        f"Table 1 of 001 by counting: {one.stations} stations, {one.hosts} hosts that send every {one.send_s:g} s "
        f"and move every {one.move_s:g} s, from {one.warm_s:g} to {one.duration_s:g} s"
    )
    table.show(title, COLUMNS, [astuple(row) for row in rows])
    return rows


def main() -> None:
    busy = [
        Setting(name, hosts=24, stations=3, logical=k, send_s=0.1, move_s=5, warm_s=1, duration_s=6) for name, k in ROWS
    ]
    many = [Setting(name, hosts=100, logical=k, warm_s=25, duration_s=30, watch=False) for name, k in ROWS]
    rows = [*table_1(busy), *table_1(many)]
    print(f"\nkept in {table.keep('mobile', {'table 1': [asdict(row) for row in rows]})}")


if __name__ == "__main__":
    main()
