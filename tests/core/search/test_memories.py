"""Which memories answer a query, and in what order."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from ultron_core.search.memories import Candidate, Ranking, rank_memories

NOW = datetime(2026, 1, 5, tzinfo=UTC)
RANKING = Ranking(NOW, soft=0.75, decay_alpha=0.05, time_decay_weight=0.1)


def candidate(number, **values):
    """One that says nothing of the query, but for `values`."""
    nothing = {"cosine": None, "bm25": None, "held": None, "asked": 4.0, "unknown": 0, "superseded": False}
    given = {"tier": "WARM", "last_hit_at": NOW, "documents": 100, **nothing, **values}
    return Candidate(id=UUID(int=number), **given)


def ranked(*candidates, limit=10):
    return [one.id.int for one in rank_memories(candidates, RANKING)[:limit]]


def test_a_memory_near_in_meaning_or_in_words_counts_any_other_does_not():
    noise = 0.75 * 0.28
    near, far = candidate(1, cosine=noise), candidate(2, cosine=noise - 0.01)
    worded, hardly = candidate(3, bm25=4.0 * 2.2 * 0.35), candidate(4, bm25=1.0, held=3.0)
    assert set(ranked(near, far, worded, hardly)) == {1, 3}


def test_words_in_a_long_memory_count_by_what_they_ask_not_by_how_dense_they_are():
    assert ranked(candidate(1, bm25=1.0, held=3.2)) == [1]


def test_a_query_of_words_that_nobody_stored_finds_nothing_by_words():
    assert ranked(candidate(1, asked=None, bm25=None, unknown=3)) == []


def test_tier_age_and_supersession_change_the_order_of_equals():
    old = candidate(4, cosine=0.8, last_hit_at=NOW - timedelta(days=60))
    superseded = candidate(5, cosine=0.8, superseded=True, tier="HOT")
    equals = [candidate(n, cosine=0.8, tier=tier) for n, tier in ((1, "COLD"), (2, "HOT"), (3, "WARM"))]
    assert ranked(*equals, old, superseded) == [2, 3, 4, 1, 5]


def test_equal_scores_come_in_order_of_id_and_the_limit_holds():
    assert ranked(*(candidate(n, cosine=0.8) for n in (3, 1, 2)), limit=2) == [1, 2]


def test_a_score_is_explained_by_its_parts():
    (one,) = rank_memories([candidate(1, cosine=0.5, bm25=2.0, superseded=True)], RANKING)
    assert one.explain["cosine"] == 0.5 and one.explain["bm25"] == 2.0 and one.explain["superseded"] == 1.0
    assert one.explain["relevance"] == pytest.approx(one.relevance, abs=1e-4)
    assert one.score == pytest.approx(one.relevance * 0.5, abs=1e-4)


def test_a_memory_in_another_language_shares_no_words_and_is_asked_less_of():
    about = {"cosine": 0.36, "bm25": None}
    chinese, english = (
        candidate(1, **about, summary="推送失败：当前分支没有上游分支"),
        candidate(2, **about, summary="git push"),
    )
    assert {one.id.int: one.weak for one in rank_memories([chinese, english], RANKING)} == {1: False, 2: True}
    asked = replace(RANKING, asked_in="zh")
    assert {one.id.int: one.weak for one in rank_memories([chinese, english], asked)} == {1: True, 2: False}
    assert rank_memories([candidate(1, cosine=0.3, summary="推送失败")], RANKING)[0].weak


@pytest.mark.parametrize(
    ("cosine", "bm25", "weak"), [(0.4, None, True), (0.5, None, False), (0.3, 4.0, False)]
)
def test_a_hit_with_little_in_common_is_weak(cosine, bm25, weak):
    (one,) = rank_memories([candidate(1, cosine=cosine, bm25=bm25)], RANKING)
    assert one.weak is weak
