"""Numbers for texts, by which they are dealt out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from antecede.pipeline.kernel import loops
from antecede.pipeline.kernel.hashes import hash_texts

TEXTS = [f"m{number}" for number in range(3_000)] + ["", "ü", "x" * 1_000]


def test_the_numbers_are_the_same_compiled_and_tell_texts_apart() -> None:
    found = hash_texts(pa.chunked_array([TEXTS]))
    with loops.interpret_up_to(-1):
        assert np.array_equal(found, hash_texts(pa.chunked_array([TEXTS])))
    with loops.interpret_up_to(2**40):
        assert np.array_equal(found, hash_texts(pa.chunked_array([TEXTS])))
    assert len(np.unique(found)) == len(TEXTS)
    assert found.min() >= 0


def test_a_text_has_the_same_number_wherever_it_stands() -> None:
    whole = hash_texts(pa.chunked_array([TEXTS]))
    pieces = pa.chunked_array([pa.array(["z", *TEXTS[:7]]).slice(1), pa.array(TEXTS[7:])])
    assert np.array_equal(whole, hash_texts(pieces))
    assert len(hash_texts(pa.chunked_array([], pa.string()))) == 0
    assert len(hash_texts(pa.chunked_array([pa.array([], pa.string())]))) == 0


def test_texts_are_spread_evenly() -> None:
    assert np.bincount(hash_texts(pa.chunked_array([TEXTS])) % 10).min() > 200
