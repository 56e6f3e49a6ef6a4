"""Hash texts to deal them out. Equal texts have equal hashes, and the hashes are not used for anything else."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from antecede.pipeline.arrow import Longs
from antecede.pipeline.kernel.loops import kernels


def hash_texts(texts: pa.ChunkedArray) -> Longs:
    """Return a number of 63 bits for each text, from its bytes."""
    flat = pa.concat_arrays(texts.chunks) if texts.num_chunks else pa.array([], pa.string())
    found = np.empty(len(flat), np.int64)
    if len(flat):
        _, offsets, data = flat.buffers()
        start = np.frombuffer(offsets, np.int32)[flat.offset : flat.offset + len(flat) + 1].astype(np.int64)
        letters = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
        seeds = np.zeros(len(flat), np.int64)
        kernels(int(start[-1] - start[0]) * 8).hash_letters(start, letters, seeds, found)
    return found
