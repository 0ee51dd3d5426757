"""Terms and weights, query analysis, windows of the log, fusion and ranking: the pure half of search."""

from ultron_core.search.query import QueryAnalysis, analyze_query
from ultron_core.search.ranking import TIER_BOOSTS, hotness, is_weak, relevance, score
from ultron_core.search.rerank import MOST_CANDIDATES, RerankAnswer, apply_order, rerank_messages
from ultron_core.search.sessions import (
    TIME_TERM,
    LaneWeights,
    RankedSession,
    WindowMatch,
    lift_literal,
    rank_sessions,
)
from ultron_core.search.terms import (
    BM25_B,
    BM25_K1,
    BM25_MOST,
    bm25_weights,
    idf,
    lexical_terms,
    query_terms,
    rarest,
    term_id,
)
from ultron_core.search.timewords import TimeRange, find_range
from ultron_core.search.windows import LAYOUT, Window, make_units, make_windows, windows_of

__all__ = [
    "BM25_B",
    "BM25_K1",
    "BM25_MOST",
    "LAYOUT",
    "MOST_CANDIDATES",
    "TIER_BOOSTS",
    "TIME_TERM",
    "LaneWeights",
    "QueryAnalysis",
    "RankedSession",
    "RerankAnswer",
    "TimeRange",
    "Window",
    "WindowMatch",
    "analyze_query",
    "apply_order",
    "bm25_weights",
    "find_range",
    "hotness",
    "idf",
    "is_weak",
    "lexical_terms",
    "lift_literal",
    "make_units",
    "make_windows",
    "query_terms",
    "rank_sessions",
    "rarest",
    "relevance",
    "rerank_messages",
    "score",
    "term_id",
    "windows_of",
]
