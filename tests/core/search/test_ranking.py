"""Boosts, decay and fusion."""

import math

import pytest

from ultron_core.search import BM25_MOST, hotness, is_weak, relevance, score


def test_score_is_relevance_times_boost_times_decay():
    decay = 1 - 0.1 + 0.1 * math.exp(-0.05 * 20)
    assert score(0.8, "hot", 20) == pytest.approx(0.8 * 1.2 * decay)
    assert score(0.8, "cold", 20) == pytest.approx(0.8 * 0.8 * decay)
    assert score(0.8, "warm", 0) == pytest.approx(0.8)


def test_hotness_halves_in_about_a_fortnight_and_never_exceeds_one():
    assert hotness(13.86) == pytest.approx(0.5, abs=0.001)
    assert hotness(-3) == 1.0


def test_relevance_keeps_two_poor_candidates_close():
    # min-max would give 0.75 and 0.25
    first = relevance(0.21, 1.1, 10, noise=0.2)
    second = relevance(0.22, 1.0, 10, noise=0.2)
    assert 0 < first < 0.05 and abs(first - second) < 0.01


def test_relevance_of_what_holds_every_word_is_near_one_and_unknown_words_lower_it():
    known, unknown = 6.0, 4.0
    full = known * BM25_MOST
    assert relevance(1.0, full, known) == pytest.approx(1.0)
    assert relevance(0.0, full, known + unknown) == pytest.approx(0.75 * 0.6)
    assert relevance(0.0, 0.0, 0.0) == 0.0
    assert relevance(0.1, 0.0, known, noise=0.2) == 0.0


@pytest.mark.parametrize(
    ("found", "cosine", "weak"),
    [
        (0.54, 0.67, False),  # words and meaning
        (0.36, 0.25, False),  # words alone
        (0.09, 0.49, False),  # meaning alone: the memory is in another language
        (0.13, 0.38, True),  # one common word by chance
        (0.02, 0.27, True),
    ],
)
def test_a_hit_with_little_in_common_by_words_and_by_meaning_is_weak(found, cosine, weak):
    assert is_weak(found, cosine, soft=0.74) is weak
