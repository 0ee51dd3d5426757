"""A batch costs a fixed number of statements, and gives what single uploads would give."""

import psycopg
import pytest

from tests.support.memories import StubEmbedder, axis, rows
from ultron_core.client import Ultron
from ultron_core.steps.clusters.read import get_clusters
from ultron_core.steps.upload.upload import Upload, upload_memories
from ultron_core.store.tables import uploads as upload_rows


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


@pytest.mark.parametrize("small_store", [True, False])
def test_a_batch_decides_like_single_uploads(settings, monkeypatch, small_store):
    if not small_store:
        monkeypatch.setattr(upload_rows, "EXACT_BELOW", 0)
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


def test_in_a_large_store_a_duplicate_is_found_behind_many_near_ones_of_other_types(settings, monkeypatch):
    monkeypatch.setattr(upload_rows, "EXACT_BELOW", 0)
    with Ultron(settings, embedder=StubEmbedder({"The port": axis(0)})) as ultron:
        (first,) = upload_memories(
            ultron.runtime, [Upload("The port of staging is open.", memory_type="life")]
        )
        others = [
            Upload(f"The port of staging is open, says team {n}.", memory_type="error") for n in range(25)
        ]
        assert sum(one.action == "insert" for one in upload_memories(ultron.runtime, others)) > 20
        (again,) = upload_memories(
            ultron.runtime, [Upload("The port of staging is open!", memory_type="life")]
        )
    assert again.record.id == first.record.id


def test_in_a_large_store_memories_join_the_clusters_of_their_neighbours(settings, monkeypatch):
    monkeypatch.setattr(upload_rows, "EXACT_BELOW", 0)
    near = {f"Fact {n} about pumps": axis(n + 5, near=axis(0), cosine=0.88) for n in range(6)}
    far = {f"Fact {n} about valves": axis(n + 5, near=axis(1), cosine=0.88) for n in range(6)}
    with Ultron(settings, embedder=StubEmbedder({**near, **far})) as ultron:
        ultron.upload_memories([{"content": text} for text in [*near, *far][::3]])
        for text in (*near, *far):
            ultron.upload_memory(text)
        clusters = get_clusters(ultron.runtime)
    assert sorted(cluster.size for cluster in clusters) == [6, 6]
