"""Documents for the BM25 lane, and the counts that its weights rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from ultron_core.search import bm25_weights, lexical_terms
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import memories as store
from ultron_core.store.tables import uploads as upload_rows
from ultron_core.store.tables.memories import Lexical

__all__ = [
    "MEMORY",
    "MOST_TERMS",
    "WINDOW",
    "count_documents",
    "count_memories",
    "forget_words",
    "make_lexical",
    "make_lexicals",
]

MEMORY, WINDOW = "memory", "window"
#: what pgvector's sparse vector holds; of longer texts the words that occur most count
MOST_TERMS = 16_000
#: the average length assumed while a store is empty
_FIRST_AVERAGE = 60.0


def make_lexical(runtime: Runtime, conn: Connection, text: str, scope: str) -> Lexical:
    """Weights of one document against the present average length."""
    return make_lexicals(runtime, conn, [text], scope)[0]


def make_lexicals(runtime: Runtime, conn: Connection, texts: Sequence[str], scope: str) -> list[Lexical]:
    """Weights of documents against the present average length, the same for all of them."""
    documents, total = _stats(runtime, conn, scope)
    average = total / documents if documents else _FIRST_AVERAGE
    counted = [lexical_terms(text) for text in texts]
    lengths = [sum(counts.values()) for counts in counted]
    counted = [Counter(dict(counts.most_common(MOST_TERMS))) for counts in counted]
    return [
        Lexical(bm25_weights(counts, length, average), length, average)
        for counts, length in zip(counted, lengths, strict=True)
    ]


def _stats(runtime: Runtime, conn: Connection, scope: str) -> tuple[int, int]:
    rows = store.fetch(conn, "lexical_stats", {"account_id": runtime.account_id, "scope": scope})
    return (int(rows[0]["documents"]), int(rows[0]["total_length"])) if rows else (0, 0)


def count_documents(runtime: Runtime, conn: Connection, scope: str, documents: Sequence[Lexical]) -> None:
    """Add documents to frequencies and totals."""
    frequencies = Counter(term for document in documents for term in document.weights)
    upload_rows.run(
        conn,
        "count_documents",
        {
            "account_id": runtime.account_id,
            "scope": scope,
            "documents": len(documents),
            "length": sum(document.length for document in documents),
            "terms": list(frequencies),
            "counts": list(frequencies.values()),
        },
    )


def count_memories(runtime: Runtime, conn: Connection, ids: Sequence[UUID], sign: int) -> None:
    """The stored words of memories that come back (sign 1) or go (-1); the caller holds the cluster lock."""
    params = {"account_id": runtime.account_id, "ids": sorted(ids), "sign": sign}
    store.run(conn, "count_memories", params)
    store.run(conn, "count_memory_lengths", params)


def forget_words(runtime: Runtime, conn: Connection, ids: Sequence[UUID]) -> None:
    """After their words were counted out and before they are written anew or deleted."""
    store.run(conn, "forget_words", {"account_id": runtime.account_id, "ids": sorted(ids)})
