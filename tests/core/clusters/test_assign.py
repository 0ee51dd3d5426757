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


def test_given_centroids_weigh_as_much_as_their_members():
    # at 44 degrees the newcomer pulls a centroid of one member along, but hardly one of a hundred
    vectors = np.stack([at(44), at(66)])
    assert assign_online(vectors, 0.7, [at(0)]) == [0, 0]
    assert assign_online(vectors, 0.7, [at(0)], [100]) == [0, 1]


def test_blocks_give_what_one_after_another_gives():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(300, 8)) + 0.5
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    sums, labels = [], []
    for vector in vectors.astype(np.float64):
        cosines = [float(s @ vector / np.linalg.norm(s)) for s in sums]
        best = int(np.argmax(cosines)) if sums and max(cosines) >= 0.8 else len(sums)
        if best == len(sums):
            sums.append(np.zeros(8))
        sums[best] += vector
        labels.append(best)
    assert assign_online(vectors, 0.8) == labels


def test_nothing_in_nothing_out():
    assert assign_online(np.zeros((0, 2), dtype=np.float32), 0.7) == []
