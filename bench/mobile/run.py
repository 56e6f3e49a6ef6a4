"""Table 1 of 001 by counting, with the protocols it does not have."""

from __future__ import annotations

from dataclasses import asdict

from bench import table
from bench.mobile.drive import Measured, Setting, measure

PROTOCOLS = ("av1", "av2", "av3", "prs-mobile", "av2-ks", "roam")
COLUMNS = (
    "protocol",
    "hosts",
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


def table_1(settings: tuple[Setting, ...]) -> list[Measured]:
    rows = [measure(setting) for setting in settings]
    shape = {f"{s.stations} stations, {s.hosts} hosts, {s.duration_s:g} s" for s in settings}
    table.show(f"Table 1 of 001 by counting: {'; '.join(sorted(shape))}", COLUMNS, [astuple(row) for row in rows])
    return rows


def astuple(row: Measured) -> tuple[object, ...]:
    return tuple(asdict(row).values())


def main() -> None:
    small = table_1(tuple(Setting(name, hosts=20) for name in PROTOCOLS))
    large = table_1(tuple(Setting(name, hosts=100, warm_s=25, duration_s=30, watch=False) for name in PROTOCOLS))
    print(f"\nkept in {table.keep('mobile', {'table 1': [asdict(row) for row in (*small, *large)]})}")


if __name__ == "__main__":
    main()
