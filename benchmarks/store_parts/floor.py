"""The floor: frozen SQL on tables of its own, through one prepared connection."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self
from uuid import UUID

import numpy as np
import psycopg
from pgvector import HalfVector, SparseVector
from pgvector.psycopg import register_vector
from psycopg import sql

from ultron_core.search import bm25_weights, idf, lexical_terms, query_terms, term_id

FOLDER = Path(__file__).resolve().parent.parent / "floor"
ACCOUNT = "default"
AVERAGE_LENGTH = 60.0


class Floor:
    """Tables in schema `floor` of the database at `url`; recreated and dropped at the end, or kept."""

    def __init__(self, url: str, *, keep: bool = False) -> None:
        self._url = url
        self._keep = keep

    def __enter__(self) -> Self:
        self.conn = self.connect()
        self.df: dict[int, int] = {}
        self.rows = 0
        if self._keep and self._stored():
            return self
        self.conn.execute("DROP SCHEMA IF EXISTS floor CASCADE")
        self.conn.execute(_sql("schema"))
        return self

    def _stored(self) -> bool:
        """Take over what an earlier run kept; false when there is nothing."""
        found = self.conn.execute("SELECT to_regclass('floor.search') IS NOT NULL").fetchone()
        if not found or not found[0]:
            return False
        counted = self.conn.execute("SELECT count(*) FROM floor.search").fetchone()
        self.rows = int(counted[0]) if counted else 0
        self.df = dict(
            self.conn.execute("SELECT term, count(*) FROM floor.search, unnest(terms) AS term GROUP BY term")
        )
        return self.rows > 0

    def __exit__(self, *_: object) -> None:
        if not self._keep:
            self.conn.execute("DROP SCHEMA IF EXISTS floor CASCADE")
        self.conn.close()

    def connect(self) -> psycopg.Connection[Any]:
        """Another connection, set up as the floor was measured."""
        conn = psycopg.connect(self._url, autocommit=True, prepare_threshold=1)
        register_vector(conn)
        conn.execute("SET hnsw.ef_search = 100; SET hnsw.iterative_scan = relaxed_order; SET jit = off")
        conn.execute("SET max_parallel_workers_per_gather = 0; SET search_path = public")
        return conn

    def load(self, ids: Sequence[UUID], rows: Any) -> None:
        """COPY one block; `index` makes the indexes when all are there."""
        now = datetime.now(UTC)
        words = [self.words(text) for text in rows.texts]
        with self.conn.transaction(), self.conn.cursor() as cursor:
            with cursor.copy("COPY floor.bodies FROM STDIN") as copy:
                for row_id, text in zip(ids, rows.texts, strict=True):
                    copy.write_row((row_id, ACCOUNT, text))
            with cursor.copy("COPY floor.usage FROM STDIN") as copy:
                for row_id, hits in zip(ids, rows.hits, strict=True):
                    copy.write_row((row_id, "WARM", int(hits), now))
            with cursor.copy("COPY floor.search FROM STDIN") as copy:
                for row_id, vector, kind, (terms, weights) in zip(
                    ids, rows.vectors, rows.types, words, strict=True
                ):
                    half = HalfVector(vector).to_text()
                    copy.write_row((row_id, ACCOUNT, kind, "active", half, terms, weights.to_text()))
        self.rows += len(ids)

    def index(self) -> None:
        self.conn.execute("SET maintenance_work_mem = '2GB'")
        for statement in _sql("indexes").split(";"):
            if statement.strip():
                self.conn.execute(statement)

    def drop_indexes(self) -> None:
        self.conn.execute("DROP INDEX IF EXISTS floor.search_hnsw, floor.search_terms, floor.search_filter")

    def words(self, text: str) -> tuple[list[int], SparseVector]:
        """Term ids and BM25 weights of a document; counts its words."""
        counts = lexical_terms(text)
        weights = bm25_weights(counts, sum(counts.values()), AVERAGE_LENGTH)
        for term in weights:
            self.df[term] = self.df.get(term, 0) + 1
        return sorted(weights), _sparse(weights)

    def asked(self, text: str) -> dict[str, Any]:
        """A query's weights, and its rare words within the budget of postings."""
        ids = {term_id(term) for term in query_terms(text)}
        known = sorted((self.df[term], term) for term in ids if term in self.df)
        budget, spent, rare = max(500, min(5000, self.rows // 20)), 0, []
        for place, (df, term) in enumerate(known):
            spent += df
            if place < 2 or spent <= budget:
                rare.append(term)
        return {"rare": rare, "query": _sparse({term: idf(df, self.rows) for df, term in known})}

    def search(self, conn: psycopg.Connection[Any], vector: np.ndarray, asked: dict[str, Any]) -> list[Any]:
        params = {"account": ACCOUNT, "vector": HalfVector(vector), "now": datetime.now(UTC), **asked}
        with conn.transaction():
            conn.execute("SET LOCAL synchronous_commit = off")
            return conn.execute(_sql("search"), params).fetchall()

    def filtered(self, vector: np.ndarray, asked: dict[str, Any], kind: str, *, exact: bool) -> list[Any]:
        params = {"account": ACCOUNT, "vector": HalfVector(vector), "type": kind, **asked}
        return self.conn.execute(_sql("filtered_exact" if exact else "filtered_indexed"), params).fetchall()

    def upload(self, ids: Sequence[UUID], rows: Any) -> None:
        """Lock, nearest of the same type, insert, commit."""
        vectors = [HalfVector(vector) for vector in rows.vectors]
        now = datetime.now(UTC)
        words = [self.words(text) for text in rows.texts]
        with self.conn.transaction():
            self.conn.execute("SELECT pg_advisory_xact_lock(42)")
            params = {"positions": list(range(len(ids))), "types": list(rows.types), "vectors": vectors}
            self.conn.execute(_sql("nearest"), {"account": ACCOUNT, **params}).fetchall()
            with self.conn.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO floor.bodies VALUES (%s, %s, %s)",
                    [(row_id, ACCOUNT, text) for row_id, text in zip(ids, rows.texts, strict=True)],
                )
                cursor.executemany(
                    "INSERT INTO floor.usage VALUES (%s, 'WARM', 1, %s)", [(row_id, now) for row_id in ids]
                )
                cursor.executemany(
                    "INSERT INTO floor.search VALUES (%s, %s, %s, 'active', %s, %s, %s)",
                    [
                        (row_id, ACCOUNT, kind, vector, terms, weights)
                        for row_id, kind, vector, (terms, weights) in zip(
                            ids, rows.types, vectors, words, strict=True
                        )
                    ],
                )
        self.rows += len(ids)

    def rebalance(self) -> int:
        return self.conn.execute(_sql("rebalance")).rowcount

    def bytes(self) -> int:
        row = self.conn.execute(
            "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace"
            " WHERE n.nspname = 'floor' AND relkind = 'r'"
        ).fetchone()
        return int(row[0]) if row else 0


def _sql(name: str) -> sql.SQL:
    return (FOLDER / f"{name}.sql").read_text("utf-8")  # type: ignore[return-value]


def _sparse(weights: dict[int, float]) -> SparseVector:
    return SparseVector({term - 1: weight for term, weight in weights.items()}, 1_000_000_000)
