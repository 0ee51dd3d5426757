"""Clusters that are one are merged, clusters that are two are split, and neither is undone by the next pass."""

import numpy as np
import pytest

from ultron_core.clusters import assign_online, find_merges, find_split, settle, unit_rows

T = 0.7


def around(center, count, cosine, seed):
    """Unit vectors at one cosine to a centre, otherwise at random."""
    noise = np.random.default_rng(seed).normal(size=(count, len(center)))
    noise -= np.outer(noise @ center, center)
    return (cosine * center + np.sqrt(1 - cosine**2) * unit_rows(noise)).astype(np.float32)


def centers(cosine):
    """Two directions at a cosine."""
    first, second = np.eye(64)[:2]
    return first, cosine * first + np.sqrt(1 - cosine**2) * second


def test_two_clusters_about_the_same_are_merged_into_the_larger():
    first, second = centers(0.95)
    means = np.stack([around(first, 4, 0.9, 1).mean(0), around(second, 9, 0.9, 2).mean(0), np.eye(64)[9]])
    (merge,) = find_merges(means, [4, 9, 1], T)
    assert (merge.kept, merge.other) == (1, 0) and merge.cosine >= 0.85 and merge.cohesion >= T
    assert find_merges(means, [4, 9, 1], T, changed=[2]) == []


def test_a_cluster_with_a_skill_takes_in_but_is_never_taken_in():
    means = np.stack([np.eye(64)[0], centers(0.95)[1]]).astype(np.float32)
    assert find_merges(means, [2, 50], T, fixed=[True, False])[0].kept == 0
    assert find_merges(means, [2, 50], T, fixed=[True, True]) == []


def test_clusters_that_are_merely_near_stay_two():
    means = np.stack(centers(0.8)).astype(np.float32)
    assert find_merges(means, [5, 5], T) == []


def test_a_loose_union_is_no_cluster():
    # the centroids point the same way, but their members are spread too wide to hold together
    means = 0.6 * np.stack(centers(0.95)).astype(np.float32)
    assert find_merges(means, [5, 5], T) == []


def test_two_topics_in_one_cluster_are_split():
    first, second = centers(0.3)
    vectors = np.concatenate([around(first, 10, 0.9, 1), around(second, 6, 0.9, 2)])
    split = find_split(vectors, T)
    assert split is not None and split.moved == tuple(range(10, 16))
    assert split.cosine < T and split.gain > 0.25


@pytest.mark.parametrize("cosine", [0.7, 0.8, 0.9])
@pytest.mark.parametrize("count", [6, 12, 50])
def test_one_topic_is_not_split(cosine, count):
    assert find_split(around(np.eye(256)[0], count, cosine, count), T) is None


def test_few_members_or_a_small_rest_are_not_split():
    first, second = centers(0.0)
    assert find_split(np.concatenate([around(first, 3, 0.95, 1), around(second, 2, 0.95, 2)]), T) is None
    assert find_split(np.concatenate([around(first, 9, 0.95, 1), around(second, 2, 0.95, 2)]), T) is None


@pytest.mark.parametrize("seed", range(5))
def test_what_has_settled_stays(seed):
    rng = np.random.default_rng(seed)
    topics = unit_rows(rng.normal(size=(12, 32)) + 0.8 * rng.normal(size=32))
    vectors = np.concatenate([around(topic, int(rng.integers(1, 25)), 0.8, seed) for topic in topics])
    vectors = vectors[rng.permutation(len(vectors))]
    once = settle(vectors, assign_online(vectors, T), T)
    assert settle(vectors, once, T) == once
    assert once[0] == 0 and max(once) + 1 == len(set(once))


def test_given_clusters_are_left_alone():
    vectors = np.concatenate([around(np.eye(64)[0], 4, 0.95, 1), around(np.eye(64)[0], 4, 0.95, 2)])
    assert settle(vectors, [0] * 4 + [1] * 4, T, first=2) == [0] * 4 + [1] * 4
    assert settle(vectors, [0] * 4 + [1] * 4, T) == [0] * 8
    assert settle(vectors[:0], [], T) == []
