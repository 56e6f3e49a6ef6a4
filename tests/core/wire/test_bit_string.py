"""A table as 000 §7.1 writes it: N x N bits, and an integer for each bit that is set."""

from __future__ import annotations

from random import Random

import pytest

from antecede import WireError
from antecede.core.wire.bit_string import read_table, split_table, write_table
from antecede.core.wire.shapes import Reader, Writer

NAMES = [f"p{number}" for number in range(9)]
NUMBERS = {name: number for number, name in enumerate(NAMES)}
BIT_BYTES = 11
"""81 bits."""


def random_table(seed: int) -> dict[str, dict[str, int]]:
    random = Random(f"barrier {seed}")
    rows = {dest: {sender: random.randint(1, 10**6) for sender in NAMES if random.random() < 0.3} for dest in NAMES}
    return {dest: row for dest, row in rows.items() if row}


def write(table: dict[str, dict[str, int]]) -> bytes:
    writer = Writer(NUMBERS)
    write_table(writer, table)
    return bytes(writer.out)


def read(data: bytes, names: list[str] = NAMES, met: int = len(NAMES)) -> dict[str, dict[str, int]]:
    return read_table(Reader(data, names, met=met))


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read_and_takes_x_plus_1_by_W_of_N_squared_integers(seed: int) -> None:
    table, n = random_table(seed), len(NAMES)
    assert read(write(table)) == table
    bits, counts = split_table(table, NUMBERS)
    share = sum(map(len, table.values())) / n**2
    assert len(bits) / 4 + len(counts) == pytest.approx((share + 1 / 32) * n**2, abs=0.25), "the bits fill whole bytes"


def test_the_form_is_the_number_of_names_a_bit_for_each_place_and_the_counts_by_place() -> None:
    """Bit 1 is row p0, column p1; bit 9 is row p1, column p0; bit 80 is the last."""
    bits = bytes([0b10, 0b10, *bytes(8), 0b1])
    assert write({"p8": {"p8": 3}, "p1": {"p0": 300}, "p0": {"p1": 7}}) == b"\x09" + bits + b"\x07\xac\x02\x03"


@pytest.mark.parametrize(("count", "size"), [(0, 1), (1, 1), (127, 1), (128, 2), (2**14 - 1, 2), (2**63 - 1, 9)])
def test_an_integer_has_as_many_bytes_as_it_needs(count: int, size: int) -> None:
    written = write({"p0": {"p1": count}})
    assert len(written) == 1 + BIT_BYTES + size
    assert read(written) == {"p0": {"p1": count}}


def test_names_that_are_not_in_the_roster_are_numbered_after_it_in_their_own_order() -> None:
    writer = Writer({"p0": 0})
    write_table(writer, {"b": {"p0": 1}, "p0": {"a": 2}})
    assert list(writer.index) == ["p0", "a", "b"]
    reader = Reader(bytes(writer.out), ["p0", "a", "b"], met=1)
    assert read_table(reader) == {"b": {"p0": 1}, "p0": {"a": 2}}
    assert reader.met == 3
    assert reader.at == len(writer.out)


def test_an_empty_table_of_no_names_is_one_byte() -> None:
    writer = Writer()
    write_table(writer, {})
    assert writer.out == b"\0"
    assert read(b"\0", [], 0) == {}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x0a" + bytes(20), "a table of 10 names"),
        (b"\x08" + bytes(20), "a table of 8 names"),
        (b"\xff" * 8 + b"\x7f" + bytes(20), f"a table of {2**63 - 1} names"),
        (b"\x09" + bytes(BIT_BYTES - 1), "11 bytes of bits announced before byte 1, where 10 bytes are left"),
        (b"\x09" + bytes(BIT_BYTES - 1) + b"\x02" + bytes(20), "bit 81 is set in a string of 81 bits"),
        (b"\x09" + b"\xff" * (BIT_BYTES - 1) + b"\x01" + bytes(80), "81 numbers announced"),
        (b"\x09\x01" + bytes(BIT_BYTES - 1) + b"\xff" * 9 + b"\x01", "more than nine bytes"),
        (b"", "ends inside a number"),
    ],
)
def test_bytes_that_are_not_a_table_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(WireError, match=message):
        read(data)
