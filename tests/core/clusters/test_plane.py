"""Where memories lie on the map."""

import numpy as np

from ultron_core.clusters.plane import place


def test_what_is_alike_lies_together_and_the_picture_is_always_the_same():
    dice = np.random.default_rng(1)
    ways = np.eye(3, 64, dtype=np.float32)
    vectors = np.concatenate([way + 0.05 * dice.normal(size=(20, 64)).astype(np.float32) for way in ways])
    points = place(vectors)
    assert points.shape == (60, 2) and points.min() >= 0 and points.max() <= 1
    middles = points.reshape(3, 20, 2).mean(axis=1)
    within = max(np.linalg.norm(points.reshape(3, 20, 2)[k] - middles[k], axis=1).max() for k in range(3))
    between = min(np.linalg.norm(middles[a] - middles[b]) for a, b in ((0, 1), (0, 2), (1, 2)))
    assert between > 2 * within
    assert np.array_equal(points, place(vectors.copy()))


def test_few_and_equal_ones_have_a_place_too():
    assert place(np.zeros((0, 8), dtype=np.float32)).shape == (0, 2)
    for count in (1, 2, 5):
        points = place(np.ones((count, 8), dtype=np.float32))
        assert points.shape == (count, 2) and np.isfinite(points).all()
