"""Terms, term ids and BM25 weights."""

import math
import zlib

import pytest

from ultron_core.search import bm25_weights, idf, lexical_terms, query_terms, rarest, term_id
from ultron_core.search.terms import stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("running", "run"), ("hopping", "hop"), ("agreed", "agre"),
        ("relational", "relat"), ("conditional", "condit"), ("generalization", "gener"), ("adjustable", "adjust"),
        ("happy", "happi"), ("sky", "sky"), ("controlling", "control"),
    ],
)  # fmt: skip
def test_stems_are_those_of_the_paper(word, expected):
    assert stem(word) == expected


def test_forms_of_a_word_are_one_term_and_stop_words_none():
    assert lexical_terms("The worker retries; it retried and is retrying") == {"worker": 1, "retri": 3}


def test_an_identifier_is_found_whole_and_by_its_parts():
    terms = lexical_terms("read_session raised ModuleNotFoundError in /etc/app/settings.toml with --no-cache")
    for term in (
        "read_session",
        "session",
        "modulenotfounderror",
        "modul",
        "/etc/app/settings.toml",
        "toml",
        "--no-cache",
    ):
        assert terms[term] == 1


def test_chinese_words_are_found_however_they_are_cut():
    terms = lexical_terms("数据库连接失败")
    assert terms["数据库"] == 1
    assert terms["连接"] == 1
    assert set(query_terms("连接")) <= set(terms)


def test_full_width_text_counts_as_ascii():
    assert lexical_terms("ＡＰＩ　５４３２") == lexical_terms("API 5432")


def test_a_query_of_stop_words_alone_still_has_terms():
    assert query_terms("who is it") == ["who", "is", "it"]
    assert query_terms("who fixed it, and who fixed the pool") == ["fix", "pool"]


def test_term_ids_stay_in_range_and_are_stable():
    assert term_id("psycopg") == zlib.crc32(b"psycopg") % 999_999_999 + 1
    assert all(1 <= term_id(f"term{i}") <= 999_999_999 for i in range(2_000))


def test_bm25_weight_is_the_formula():
    weights = bm25_weights({"pool": 3}, length=10, average_length=20)
    assert weights == {term_id("pool"): pytest.approx(3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 0.5)))}


def test_bm25_saturates_and_prefers_short_documents():
    once, often = (bm25_weights({"a": n}, 10, 10)[term_id("a")] for n in (1, 50))
    assert once < often < 2.2
    assert bm25_weights({"a": 1}, 5, 10)[term_id("a")] > bm25_weights({"a": 1}, 50, 10)[term_id("a")]


def test_idf_falls_with_frequency_and_is_never_negative():
    assert idf(1, 1000) == pytest.approx(math.log(1 + 999.5 / 1.5))
    assert idf(1, 1000) > idf(500, 1000) > idf(1000, 1000) > 0


def test_candidates_are_found_by_the_rare_words():
    assert rarest({1: 4000, 2: 10, 3: 900, 4: 9000}, 5000) == [2, 3, 1]
    assert rarest({1: 40_000, 2: 30_000}, 5000) == [2, 1]
    assert rarest({}, 5000) == []
