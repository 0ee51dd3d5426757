"""A batch is compared with itself a block at a time: what all pairs at once would give, in room that grows with it."""

import tracemalloc

import numpy as np
import pytest

from ultron_core.steps.upload import among as among_module
from ultron_core.steps.upload.among import Among


def unit_vectors(count, size=16):
    rows = np.random.default_rng(7).normal(size=(count, size)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("block", [1, 7, 256])
def test_the_nearest_before_are_those_of_all_pairs(monkeypatch, block):
    monkeypatch.setattr(among_module, "_BLOCK", block)
    vectors = [None if n % 11 == 5 else row for n, row in enumerate(unit_vectors(200))]
    types = [("error", "life", "pattern")[n % 3] for n in range(200)]
    among = Among(vectors)
    made = []
    for position, (vector, memory_type) in enumerate(zip(vectors, types, strict=True)):
        if vector is None:
            continue
        if position % 5 != 2:  # the others were merged, or known: some blocks are never asked for
            before = [(n, float(vectors[n] @ vector)) for n in made if types[n] == memory_type]
            wanted = sorted(before, key=lambda pair: -pair[1])[:5]
            found = sorted(among.nearest(position, memory_type, 5), key=lambda pair: -pair[1])
            assert [n for n, _ in found] == [n for n, _ in wanted]
            assert np.allclose([c for _, c in found], [c for _, c in wanted], atol=1e-6)
            among.add(position, memory_type)
            made.append(position)
    assert len(made) > 100


def test_the_room_it_takes_does_not_grow_with_the_square_of_the_batch():
    rows = list(unit_vectors(6000))
    tracemalloc.start()
    among = Among(rows)
    for position in range(len(rows)):
        among.nearest(position, "error", 5)
        among.add(position, "error")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000, "the cosines of all pairs are 144 MB"
