"""Note the fields, and the values of the kind, that a mapping names and the first rows of the input do not have.

A misspelt name in a mapping reads as a missing value in every row. The notes name it, beside the names in the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from antecede.pipeline.errors import did_you_mean
from antecede.pipeline.read.detection.head_sample import ROWS_MAX, Sample, take_sample
from antecede.pipeline.read.formats.mapped import FIELD, FIELDS, to_text

NAMES_SHOWN_MAX = 20


def note_what_is_missing(heads: Mapping[str, bytes], mapping: Mapping[str, object], head_bytes: int) -> tuple[str, ...]:
    """Return notes on the fields and values that a mapping names and the input lacks.

    `heads` has the beginnings of files by path, each of at most `head_bytes`. There are no notes on columns of CSV,
    because the reader of a file tells what its header lacks.
    """
    samples = [take_sample(head) for head in heads.values()]
    sample = Sample("the input", tuple(row for one in samples for row in one.rows))
    if not sample.rows:
        return ()
    is_cut = any(len(head) >= head_bytes for head in heads.values()) or any(
        len(one.rows) >= ROWS_MAX for one in samples
    )
    rows = f"none of the first {len(sample.rows):,} rows" if is_cut else "no row"
    fields = () if any(one.is_csv for one in samples) else _missing_fields(sample, mapping, rows)
    return (*fields, *_missing_kinds(sample, mapping, rows, is_cut=is_cut))


def _missing_fields(sample: Sample, mapping: Mapping[str, object], rows: str) -> Iterator[str]:
    kind: Any = mapping.get("kind", "kind")
    fields = {name: mapping[name] for name in FIELDS if name in mapping}
    fields["kind"] = kind["field"] if isinstance(kind, Mapping) else kind
    there = set().union(*sample.rows)
    for column, given in fields.items():
        found = FIELD.match(str(given))
        field = found["path"] if found else str(given)
        if any(f"{name}.".startswith(f"{field}.") or field.startswith(f"{name}.") for name in there):
            continue
        advice = "; if the log does not name destinations, leave dests out of the mapping" if column == "dests" else ""
        yield (
            f"{rows} has the field {field!r} that the mapping names for {column}; there are "
            f"{_list(sample.fields)}{did_you_mean(field, sample.fields)}{advice}"
        )


def _missing_kinds(sample: Sample, mapping: Mapping[str, object], rows: str, *, is_cut: bool) -> Iterator[str]:
    """Yield notes on values of the kind that no row has.

    If the rows are not all rows, a value may come later. Then a note is given only if all values of a kind are missing.
    """
    words: Any = mapping.get("kind")
    if not isinstance(words, Mapping):
        return
    field = str(words["field"])
    there = list(dict.fromkeys(text for row in sample.rows if (text := to_text(row.get(field))) is not None))
    if not there:
        return
    for kind, values in words.items():
        missing = [text for value in values if (text := to_text(value)) is not None and text not in there]
        if kind == "field" or not missing or (is_cut and len(missing) < len(values)):
            continue
        for text in missing:
            meant = did_you_mean(text, there)
            yield f"{rows} has the {field} {text!r} that the mapping names; there are {_list(there)}{meant}"


def _list(names: list[str]) -> str:
    more = f" and {len(names) - NAMES_SHOWN_MAX} more" if len(names) > NAMES_SHOWN_MAX else ""
    return ", ".join(name[:100] for name in names[:NAMES_SHOWN_MAX]) + more
