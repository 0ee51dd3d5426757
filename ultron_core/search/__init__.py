"""Terms and weights, query analysis, fusion and ranking: the pure half of search."""

from ultron_core.search.query import QueryAnalysis, analyze_query
from ultron_core.search.ranking import TIER_BOOSTS, hotness, minmax_fuse, score
from ultron_core.search.terms import bm25_weights, idf, lexical_terms, query_terms, term_id

__all__ = [
    "TIER_BOOSTS",
    "QueryAnalysis",
    "analyze_query",
    "bm25_weights",
    "hotness",
    "idf",
    "lexical_terms",
    "minmax_fuse",
    "query_terms",
    "score",
    "term_id",
]
