"""Windows with their scores, ranked as sessions."""

import pytest

from ultron_core.search import TIME_TERM, LaneWeights, WindowMatch, lift_literal, rank_sessions
from ultron_core.search.terms import BM25_MOST

IDF = {1: 4.0, 2: 1.0, 3: 5.0}  # a query of three words


def window(session, place=0, cosine=0.0, words=(), thread="main"):
    """A short window: it holds each of `words` once, at half of what a word can weigh."""
    bm25 = sum(IDF[word] for word in words) * BM25_MOST / 2
    return WindowMatch(session, thread, place, cosine, bm25, frozenset(words))


def order(*windows, idf=IDF, **weights):
    return [hit.session for hit in rank_sessions(windows, idf, LaneWeights(**weights) if weights else None)]


def test_a_session_counts_by_its_best_window():
    hits = rank_sessions(
        [window("a", 0, words=[2]), window("a", 9, words=[1, 3]), window("b", words=[1])], IDF
    )
    assert [hit.session for hit in hits] == ["a", "b"]
    assert hits[0].window.place == 9


def test_a_rare_word_outweighs_a_common_one():
    assert order(window("common", words=[2]), window("rare", words=[3])) == ["rare", "common"]


def test_words_near_a_window_lift_it_and_words_far_away_do_not():
    beside = [window("beside", 3, words=[1]), window("beside", 7, words=[3])]
    apart = [window("apart", 3, words=[1]), window("apart", 30, words=[3])]
    alone = [window("alone", 3, words=[3])]
    hits = {hit.session: hit for hit in rank_sessions([*beside, *apart, *alone], IDF)}
    assert hits["beside"].around == pytest.approx(0.9)
    assert hits["apart"].around == hits["alone"].around == pytest.approx(0.5)
    assert hits["beside"].score > hits["apart"].score


def test_another_thread_is_not_near():
    side = [window("s", 0, words=[1]), window("s", 1, words=[3], thread="agent-1")]
    assert rank_sessions(side, IDF)[0].around == pytest.approx(0.5)


def test_the_scale_does_not_depend_on_the_other_candidates():
    alone = rank_sessions([window("a", cosine=0.5, words=[1])], IDF)[0].score
    among = rank_sessions([window("a", cosine=0.5, words=[1]), window("b", words=[1, 2, 3])], IDF)
    assert alone == next(hit.score for hit in among if hit.session == "a")
    assert alone == pytest.approx(0.3 * 0.5 + 0.5 * 0.2 + 0.2 * 0.4)


def test_words_that_nothing_holds_lower_the_score():
    known = rank_sessions([window("a", words=[1])], {1: 4.0})[0]
    unknown = rank_sessions([window("a", words=[1])], {1: 4.0, 99: 9.0})[0]
    assert known.speaks(0.74) and not unknown.speaks(0.74)


def test_a_vector_alone_can_speak_of_the_query_and_little_of_both_is_noise():
    other_language = rank_sessions([window("a", cosine=0.6)], IDF)[0]
    assert other_language.speaks(0.74) and not other_language.noise(0.74)
    nothing = rank_sessions([window("a", cosine=0.1)], IDF)[0]
    assert nothing.noise(0.74) and not nothing.speaks(0.74)


def test_the_time_that_a_query_names_lifts_and_does_not_filter():
    idf = {1: 4.0, TIME_TERM: 3.0}
    then = WindowMatch("then", "main", 0, 0.0, 4.0, frozenset({1, TIME_TERM}))
    later = WindowMatch("later", "main", 0, 0.0, 4.0, frozenset({1}))
    assert order(later, then, idf=idf) == ["then", "later"]


def test_lanes_alone():
    near, worded = window("near", cosine=0.9), window("worded", words=[1, 2, 3])
    assert order(near, worded, vector=1, words=0, around=0) == ["near", "worded"]
    assert order(near, worded, vector=0, words=1, around=0) == ["worded", "near"]


def test_the_very_words_of_a_pasted_line_come_first():
    ranked = rank_sessions([window("a", words=[1, 3]), window("b", words=[3])], IDF)
    texts = {"a": "the pool ran dry on port 5432", "b": "user: Pool  timeout\non port 5432"}
    lifted = lift_literal(ranked, texts, ["pool timeout on port 5432"])
    assert [hit.session for hit in lifted] == ["b", "a"]
    assert [hit.literal for hit in lifted] == [1.0, 0.0]


def test_of_two_phrases_one_counts_half_and_none_changes_nothing():
    ranked = rank_sessions([window("a", words=[1])], IDF)
    half = lift_literal(ranked, {"a": "red wine"}, ["red", "green"])[0]
    assert half.score == pytest.approx(ranked[0].score + 0.1)
    assert lift_literal(ranked, {"a": "red wine"}, []) == ranked


def test_nothing_found_and_equal_scores():
    assert rank_sessions([], IDF) == []
    assert order(window("b", words=[1]), window("a", words=[1])) == ["a", "b"]
