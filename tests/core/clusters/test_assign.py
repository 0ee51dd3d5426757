"""The online rule on vectors one can draw."""

import numpy as np

from ultron_core.clusters import assign_online


def at(degrees):
    angle = np.radians(degrees)
    return np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)


def test_near_vectors_share_a_cluster_and_far_ones_open_their_own():
    vectors = np.stack([at(0), at(10), at(90), at(95), at(5)])
    assert assign_online(vectors, 0.9) == [0, 0, 1, 1, 0]


def test_a_cosine_equal_to_the_threshold_joins():
    vectors = np.array([[1, 0], [0, 1]], dtype=np.float32)
    assert assign_online(vectors, 0.0) == [0, 0]
    assert assign_online(vectors, 1e-9) == [0, 1]


def test_the_centroid_moves_with_its_members():
    # 60 degrees is too far from 0 alone, but not from the mean of 0 and 30
    assert assign_online(np.stack([at(0), at(60)]), 0.7) == [0, 1]
    assert assign_online(np.stack([at(0), at(30), at(60)]), 0.7) == [0, 0, 0]


def test_given_centroids_come_first():
    assert assign_online(np.stack([at(91), at(1), at(180)]), 0.9, [at(0), at(90)]) == [1, 0, 2]


def test_nothing_in_nothing_out():
    assert assign_online(np.zeros((0, 2), dtype=np.float32), 0.7) == []
