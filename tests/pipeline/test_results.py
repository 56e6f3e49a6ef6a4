"""What tasks tell the driver, and how it is put together."""

from __future__ import annotations

import pyarrow as pa

from antecede.pipeline.dealing import DEALT
from antecede.pipeline.results import FILES, NOTES, TOLD, put_together, tell


def files(*names: str) -> pa.Table:
    rows = [{"file": name, "events": 1, "refused": 0, "is_damaged": False} for name in names]
    return pa.Table.from_pylist(rows, FILES)


def test_tables_of_one_name_are_put_together_and_the_others_are_empty() -> None:
    told = [*tell("files", files("a", "b")), *tell("notes", pa.table({"note": ["n"]})), *tell("files", files("c"))]
    together = put_together(pa.Table.from_batches(told, DEALT))
    assert set(together) == set(TOLD)
    assert together["files"].to_pylist() == files("a", "b", "c").to_pylist()
    assert together["notes"].to_pylist() == [{"note": "n"}]
    for name, table in together.items():
        assert table.schema.names == TOLD[name].names
        assert [field.type for field in table.schema] == [field.type for field in TOLD[name]]
        assert (table.num_rows == 0) == (name not in ("files", "notes"))


def test_a_table_without_rows_is_not_told() -> None:
    assert list(tell("files", files())) == []
    assert all(table.num_rows == 0 for table in put_together(DEALT.empty_table()).values())


def test_only_the_columns_that_are_declared_are_told_in_their_order() -> None:
    odd = pa.table({"more": [1], "note": pa.array(["n"]).dictionary_encode()})
    (told,) = put_together(pa.Table.from_batches(tell("notes", odd), DEALT))["notes"].to_pylist()
    assert told == {"note": "n"}
    assert NOTES.names == ["note"]
