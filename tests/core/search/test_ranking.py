"""Boosts, decay and fusion."""

import math

import pytest

from ultron_core.search import BM25_MOST, hotness, relevance, score


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
