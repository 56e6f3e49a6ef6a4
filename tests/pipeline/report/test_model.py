"""The plain values of a report have the columns of the tables that they come from."""

from dataclasses import fields

import pyarrow as pa

from antecede.pipeline import schema
from antecede.pipeline.report.model import RunAnswer


def test_the_answer_on_a_run_is_a_row_of_the_table_of_runs() -> None:
    types = {pa.string(): {"str", "str | None"}, pa.int64(): {"int"}, pa.int32(): {"int"}}
    columns = {field.name: types[field.type] for field in schema.RUNS}
    assert {field.name for field in fields(RunAnswer)} == columns.keys()
    assert [field.name for field in fields(RunAnswer) if field.type not in columns[field.name]] == []
