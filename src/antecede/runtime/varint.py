"""Numbers as bytes: seven bits a byte, the lowest first; the high bit says that more follow. At most nine bytes."""

from __future__ import annotations

NUMBER_BYTES_MAX = 9


def write_number(value: int, out: bytearray) -> None:
    """Append `value`, which is not negative, to `out`."""
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at byte `at`, and where it ends. Raise `ValueError` if it has no end."""
    value = shift = 0
    for taken in range(NUMBER_BYTES_MAX):
        if at + taken >= len(data):
            break
        byte = data[at + taken]
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at + taken + 1
    raise ValueError(f"a number without an end at byte {at}")
