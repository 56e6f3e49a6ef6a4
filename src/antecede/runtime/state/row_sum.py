"""The sum of all rows of a store: so that a row that is missing is noticed, and not only one that was changed.

Every row has a checksum of its own. The sum is the exclusive or of these checksums, over all tables but the log, whose
entries are numbered without a gap. It is a row itself, the fact `FACT`, which is written in every transaction that
changes another row. A page that falls back to what it was before, or a row that somebody deletes, leaves a sum that
does not fit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable

from antecede.runtime.state.store_error import checksum

FACT = "sum of rows"
ROWS = (
    "SELECT 'fact', key, checksum FROM fact WHERE key != ? UNION ALL SELECT 'outbox', n, checksum FROM outbox"
    " UNION ALL SELECT 'inbox', n, checksum FROM inbox UNION ALL SELECT 'quarantine', n, checksum FROM quarantine"
    " UNION ALL SELECT 'snapshot', one, checksum FROM snapshot"
)


class RowSum:
    """The sum, and the checksum of each row that is part of it."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._checksums: dict[tuple[str, Hashable], int] = {}
        self.value = 0
        for table, key, found in database.execute(ROWS, (FACT,)):
            self.put(table, key, found)

    def put(self, table: str, key: Hashable, found: int) -> None:
        """Count a row that is written, or written anew, with this checksum."""
        self.drop(table, key)
        self._checksums[table, key] = found
        self.value ^= found

    def drop(self, table: str, key: Hashable) -> None:
        """Count a row no more, if it was counted."""
        self.value ^= self._checksums.pop((table, key), 0)

    def row(self) -> tuple[str, bytes, int]:
        """Return the row of the sum itself."""
        value = b"%d" % self.value
        return FACT, value, checksum(FACT, value)
