"""What an embedder may not answer."""

import numpy as np
import pytest

from tests.support.memories import DIMENSION, StubEmbedder
from ultron_core.client import Ultron
from ultron_core.embeddings.checked import embed_checked, embed_taken
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


def test_one_refused_text_costs_the_others_nothing():
    embedder = StubEmbedder()
    embedder.refused = "poison"
    texts = [f"text {n}" for n in range(200)]
    texts[77] = "poison"
    vectors = embed_taken(embedder, texts)
    assert [place for place, vector in enumerate(vectors) if vector is None] == [77]
    assert np.array_equal(vectors[78], StubEmbedder().embed(["text 78"])[0])
    assert embedder.asked <= 20


def test_who_refuses_everything_is_down():
    embedder = StubEmbedder()
    embedder.refused = ""
    with pytest.raises(EmbeddingError):
        embed_taken(embedder, ["one", "two"])
    assert embedder.asked == 2, "not each text by itself"


def test_who_begins_to_refuse_everything_while_one_text_is_looked_for_is_down():
    class Failing(StubEmbedder):
        def embed(self, texts):
            if self.asked == 2:
                self.refused = ""
            return super().embed(texts)

    embedder = Failing()
    embedder.refused = "poison"
    with pytest.raises(EmbeddingError):
        embed_taken(embedder, ["one", "poison", "three", "four"])


def test_a_single_refused_text_is_two_questions():
    embedder = StubEmbedder()
    embedder.refused = "poison"
    assert embed_taken(embedder, ["poison"]) == [None] and embedder.asked == 2


def test_who_is_down_is_asked_once():
    embedder = StubEmbedder()
    embedder.down = True
    with pytest.raises(EmbeddingError):
        embed_taken(embedder, ["one", "two"])
    assert embedder.asked == 1


def test_no_text_is_no_question():
    embedder = StubEmbedder()
    assert embed_taken(embedder, []) == [] and embedder.asked == 0
