"""The word lane: lexical rows of memories, and the counts that BM25 weights rest on.

The caller holds the lock of clusters and word counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from psycopg.types.json import Jsonb

from ultron_core.search.terms import bm25_weights, lexical_terms
from ultron_core.steps.rows.body import MemoryRow
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables.memories import MOST_TERMS, Lexical, sparse

__all__ = ["count_words", "forget_words", "write_words"]

_SQL = NamedQueries("search/lanes")
#: the average length assumed while a store is empty
_FIRST_AVERAGE = 60.0


def write_words(runtime: Runtime, conn: Connection, rows: Sequence[MemoryRow]) -> None:
    """Lexical rows and word counts of memories; of changed bodies the old words are taken out first."""
    if not rows:
        return
    old = [row.id for row in rows if row.new is None and row.status != "archived"]
    if old:
        count_words(runtime, conn, old, -1)
        forget_words(runtime, conn, old)
    lexicals = _weighed(runtime, conn, [row.body.text for row in rows])
    given = [
        {
            "id": str(row.id),
            "memory_type": row.memory_type,
            "terms": lexical.terms,
            "weights": sparse(lexical.weights).to_text(),
            "length": lexical.length,
        }
        for row, lexical in zip(rows, lexicals, strict=True)
    ]
    average = {"average_length": lexicals[0].average_length}
    with conn.pipeline():
        _SQL.run(conn, "upsert_search", {**runtime.account, **average, "rows": Jsonb(given)})
        count_words(runtime, conn, [row.id for row in rows if row.status != "archived"], 1)


def _weighed(runtime: Runtime, conn: Connection, texts: Sequence[str]) -> list[Lexical]:
    """Weights of documents against the present average length, the same for all of them."""
    counted = _SQL.fetch_one(conn, "lexical_stats", runtime.account)
    average = (
        counted["total_length"] / counted["documents"] if counted and counted["documents"] else _FIRST_AVERAGE
    )
    terms = [lexical_terms(text) for text in texts]
    lengths = [sum(counts.values()) for counts in terms]
    terms = [
        counts if len(counts) <= MOST_TERMS else Counter(dict(counts.most_common(MOST_TERMS)))
        for counts in terms
    ]
    return [
        Lexical(bm25_weights(counts, length, average), length, average)
        for counts, length in zip(terms, lengths, strict=True)
    ]


def count_words(runtime: Runtime, conn: Connection, ids: Sequence[UUID], sign: int) -> None:
    """Add the stored words of memories to the counts (sign 1), or take them out (-1)."""
    if ids:
        _SQL.run(conn, "count_words", {**runtime.account, "ids": sorted(ids), "sign": sign})


def forget_words(runtime: Runtime, conn: Connection, ids: Sequence[UUID]) -> None:
    """After their words were counted out, and before they are rewritten or deleted."""
    _SQL.run(conn, "forget_words", {**runtime.account, "ids": sorted(ids)})
