"""A barrier as 000 §7.1 writes it: N x N bits, and an integer for each bit that is set."""

from random import Random

import pytest

from antecede.lab.bit_string import read_barrier, write_barrier

NAMES = [f"p{number}" for number in range(9)]


def random_barrier(seed: int) -> dict[str, dict[str, int]]:
    random = Random(f"barrier {seed}")
    rows = {dest: {sender: random.randint(1, 10**6) for sender in NAMES if random.random() < 0.3} for dest in NAMES}
    return {dest: row for dest, row in rows.items() if row}


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read_and_takes_x_plus_1_by_W_of_N_squared_integers(seed: int) -> None:
    barrier, n = random_barrier(seed), len(NAMES)
    written = write_barrier(barrier, NAMES, 4)
    assert read_barrier(written, NAMES, 4) == barrier
    share = sum(map(len, barrier.values())) / n**2
    assert len(written) / 4 == pytest.approx((share + 1 / 32) * n**2, abs=0.25), "the bits fill whole bytes"


@pytest.mark.parametrize(("count", "size"), [(0, 1), (1, 1), (127, 1), (128, 2), (2**14 - 1, 2), (2**14, 3)])
def test_without_a_width_an_integer_has_as_many_bytes_as_it_needs(count: int, size: int) -> None:
    assert len(write_barrier({"p0": {"p1": count}}, NAMES)) == len(write_barrier({}, NAMES)) + size
