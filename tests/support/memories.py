"""Embedders and models of which a test says exactly what they answer."""

import hashlib
import threading

import numpy as np

from ultron_core.embeddings.protocol import Thresholds
from ultron_core.errors import EmbeddingError, ModelUnavailableError, TextRefusedError

DIMENSION = 16


def axis(number, near=None, cosine=0.0):
    """The unit vector along an axis; with `near`, one at that cosine to it."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[number] = 1.0
    if near is None:
        return vector
    return (cosine * np.asarray(near) + np.sqrt(1 - cosine**2) * vector).astype(np.float32)


class StubEmbedder:
    """The vector of the first key that a text holds; any other text gets one of its own. Can be down, and refuses what
    holds the word `refused`; `asked` counts requests."""

    model_id = "stub"
    dimension = DIMENSION
    thresholds = Thresholds(merge=0.9, soft=0.75, cluster=0.7)

    def __init__(self, vectors=None):
        self.vectors = dict(vectors or {})
        self.down = False
        self.refused = None
        self.asked = 0
        self.texts = []

    def embed(self, texts):
        self.asked += 1
        if self.down:
            raise EmbeddingError("the test embedder is down")
        if self.refused is not None and any(self.refused in text for text in texts):
            raise TextRefusedError("the test embedder does not take one of these")
        self.texts += texts
        rows = [self._one(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), DIMENSION)

    def _one(self, text):
        for key, vector in self.vectors.items():
            if key in text:
                return vector
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).normal(size=DIMENSION)
        return vector / np.linalg.norm(vector)


class LockWatch(StubEmbedder):
    """Notes at each call how many advisory locks are held in the test's database, seen from elsewhere."""

    def __init__(self, vectors=None):
        super().__init__(vectors)
        self.held = []
        self._database = None

    def watch(self, ultron):
        """From now on; what was embedded before is forgotten."""
        self._database = ultron.runtime.database
        self.texts.clear()

    def embed(self, texts):
        if self._database is not None:
            with self._database.direct() as conn:
                self.held.append(conn.execute(_LOCKS).fetchone()["held"])
        return super().embed(texts)


_LOCKS = """
    SELECT count(*)::int AS held FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class StubLLM:
    """Answers each stage with the values that the test gives. Can be down; counts calls by stage."""

    model_id = "stub-model"

    def __init__(self, **answers):
        self.answers = answers
        self.down = False
        self.calls = []
        self._lock = threading.Lock()

    def complete(self, messages, schema, *, stage=""):
        with self._lock:
            self.calls.append(stage)
        if self.down:
            raise ModelUnavailableError("the test model is down")
        answer = self.answers[stage]
        if isinstance(answer, Exception):
            raise answer
        return schema(**answer)


def rows(ultron, query, **params):
    """All rows of a query on the test's database."""
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(query, params or None).fetchall()


def one(ultron, query, **params):
    """The only row of a query."""
    (row,) = rows(ultron, query, **params)
    return row


def tables_holding(ultron, text):
    """Names of the tables of schema `ultron` with a row whose text form holds `text`."""
    names = [
        row["tablename"]
        for row in rows(ultron, "SELECT tablename FROM pg_tables WHERE schemaname = 'ultron'")
    ]
    return {
        name
        for name in names
        if rows(
            ultron,
            f"SELECT 1 FROM ultron.{name} t WHERE position(%(text)s in t::text) > 0 LIMIT 1",
            text=text,
        )
    }
