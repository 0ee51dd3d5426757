"""What an embedder may not answer."""

import numpy as np
import pytest

from tests.support.memories import DIMENSION, StubEmbedder
from ultron_core.client import Ultron
from ultron_core.embeddings.checked import embed_checked
from ultron_core.errors import EmbeddingError

BROKEN = {
    "NaN": lambda vectors: np.full_like(vectors, np.nan),
    "infinity": lambda vectors: np.full_like(vectors, np.inf),
    "another dimension": lambda vectors: vectors[:, :-1],
    "a row too few": lambda vectors: vectors[:-1],
}


class BreakableEmbedder(StubEmbedder):
    broken = None

    def embed(self, texts):
        vectors = super().embed(texts)
        return self.broken(vectors) if self.broken else vectors


@pytest.fixture(params=BROKEN)
def embedder(request):
    stub = BreakableEmbedder()
    stub.broken = BROKEN[request.param]
    return stub


def test_an_unusable_answer_is_an_embedding_error(embedder):
    with pytest.raises(EmbeddingError, match="stub gave"):
        embed_checked(embedder, ["one", "two"])
    embedder.broken = None
    assert embed_checked(embedder, ["one", "two"]).shape == (2, DIMENSION)


def test_with_a_broken_embedder_memories_are_stored_found_by_words_and_embedded_later(settings, embedder):
    with Ultron(settings, embedder=embedder) as ultron:
        stored = ultron.upload_memory("I prefer tabs in Makefiles.")
        assert [hit.record.id for hit in ultron.search_memories("tabs Makefiles")] == [stored.id]
        assert not list(ultron.search_sessions("tabs Makefiles"))
        embedder.broken = None
        ultron.process_pending()
        with ultron.runtime.database.transaction() as conn:
            assert conn.execute("SELECT count(*) AS n FROM memory_vectors").fetchone()["n"] == 1
