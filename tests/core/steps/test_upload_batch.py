"""A batch costs a fixed number of statements, and gives what single uploads would give."""

import psycopg
import pytest

from tests.support.memories import StubEmbedder, axis, rows
from ultron_core.client import Ultron


@pytest.fixture
def statements(monkeypatch):
    """How many statements were sent since the list was last cleared."""
    sent = []
    execute = psycopg.Cursor.execute

    def counting(self, query, *args, **kwargs):
        text = query if isinstance(query, str) else query.as_string()
        if "account_id" in text:  # not those that set up a connection
            sent.append(text)
        return execute(self, query, *args, **kwargs)

    monkeypatch.setattr(psycopg.Cursor, "execute", counting)
    return sent


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=StubEmbedder()) as opened:
        opened.upload_memory("The first memory makes index and model known.")
        yield opened


def memories(start, count):
    return [
        {"content": f"The cache of worker {n} holds {n} entries.", "idempotency_key": f"k{n}"}
        for n in range(start, start + count)
    ]


def test_two_hundred_uploads_take_as_many_statements_as_twenty(ultron, statements):
    statements.clear()
    ultron.upload_memories(memories(0, 20))
    few = len(statements)
    statements.clear()
    ultron.upload_memories(memories(1000, 200))
    # a few depend on what is found: near memories are read, clusters are opened and moved
    assert len(statements) <= few + 6, "statements must not grow with the batch"
    assert few < 45


def test_a_batch_decides_like_single_uploads(settings):
    texts = [
        "Alpha: the build fails.",
        "Alpha again: the build fails here.",
        "Beta: the test hangs.",
        "Alpha: the build fails.",
        "Gamma: port 5432 is taken.",
        "Gamma: port 5433 is taken.",
    ]
    vectors = {
        "Alpha again": axis(5, near=axis(0), cosine=0.95),
        "Alpha": axis(0),
        "Beta": axis(1),
        "Gamma": axis(2),
    }

    def outcome(upload):
        with Ultron(settings, embedder=StubEmbedder(vectors)) as ultron:
            upload(ultron)
            stored = rows(ultron, "SELECT id, content FROM memories ORDER BY content")
            decided = rows(ultron, "SELECT decision, reason FROM merge_decisions ORDER BY decision, reason")
            links = rows(ultron, "SELECT kind, reason FROM memory_links")
            for row in stored:
                ultron.delete_memory(row["id"])
        return [row["content"] for row in stored], decided, links

    together = outcome(lambda ultron: ultron.upload_memories([{"content": text} for text in texts]))
    apart = outcome(lambda ultron: [ultron.upload_memory(text) for text in texts])
    assert together == apart
    assert len(together[0]) == 4 and len(together[2]) == 1


def test_a_key_that_was_used_for_other_words_stores_nothing_of_the_batch(ultron):
    from ultron_core.errors import InputError

    ultron.upload_memory("One.", idempotency_key="k")
    with pytest.raises(InputError, match="was used for another memory"):
        ultron.upload_memories([{"content": "Two."}, {"content": "Three.", "idempotency_key": "k"}])
    assert ultron.get_memory_stats()["total"] == 2


def test_a_text_with_more_words_than_an_index_row_holds_is_stored_and_found(ultron):
    words = " ".join(
        f"zz{number:x}".translate(str.maketrans("0123456789", "ghijklmnop")) for number in range(17_000)
    )
    record = ultron.upload_memory(f"railway railway {words}")
    assert ultron.search_memories("railway", limit=1, record_hits=False)[0].record.id == record.id
