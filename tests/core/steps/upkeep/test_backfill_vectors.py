"""Late vectors are written in batches, with the decisions of memories that come one by one."""

import pytest

from tests.support.memories import StubEmbedder, axis, rows
from ultron_core.client import Ultron
from ultron_core.steps.upkeep import backfill_vectors
from ultron_core.steps.upkeep.backfill import backfill
from ultron_core.store.tables.embeddings import index_name

#: near to each other: facts that add up, facts that diverge, and what is in one cluster with them
TOPICS = {
    "wheel": axis(0),
    "Wheel": axis(1, near=axis(0), cosine=0.95),
    "port": axis(2),
    "deploy": axis(3, near=axis(0), cosine=0.8),
}
TEXTS = [
    "The build failed because wheel was missing in the image.",
    *(f"Postgres listens on port {port} here." for port in range(5430, 5436)),
    "Wheel was missing in the image: the build failed. See /var/log/build-7.txt.",
    "A deploy needs the image first.",
    *(f"Note {n} stands alone." for n in range(12)),
    "Because wheel was missing in the image the build failed.",
    "Another deploy waited for the image.",
]


@pytest.fixture
def opened(settings):
    def make(account="default"):
        store = settings.store.model_copy(update={"account_id": account})
        return Ultron(settings.model_copy(update={"store": store}), embedder=StubEmbedder(TOPICS))

    return make


def fill_while_down(ultron, texts=TEXTS):
    ultron.runtime.embedder.down = True
    for text in texts:
        ultron.upload_memory(text)
    ultron.runtime.embedder.down = False


def missing(ultron):
    query = (
        "SELECT count(*)::int AS n FROM memories m"
        " WHERE NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id)"
    )
    return rows(ultron, query)[0]["n"]


def memories_and_clusters(ultron):
    """Bodies with hits, and clusters as sets of bodies."""
    account = {"account": ultron.runtime.account_id}
    stored = rows(
        ultron,
        "SELECT m.content, u.hit_count FROM memories m JOIN memory_usage u ON u.memory_id = m.id"
        " WHERE m.account_id = %(account)s",
        **account,
    )
    clusters = rows(
        ultron,
        "SELECT array_agg(m.content ORDER BY m.content) AS bodies FROM cluster_members c"
        " JOIN memories m ON m.id = c.memory_id WHERE m.account_id = %(account)s GROUP BY c.cluster_id",
        **account,
    )
    return sorted((r["content"], r["hit_count"]) for r in stored), sorted(r["bodies"] for r in clusters)


def test_batches_decide_as_one_by_one(opened, monkeypatch):
    with opened("batch") as batch, opened("single") as single:
        for ultron in (batch, single):
            fill_while_down(ultron)
        assert backfill(batch.runtime) == len(TEXTS)
        monkeypatch.setattr(backfill_vectors, "_BATCH", 1)
        assert backfill(single.runtime) == len(TEXTS)
        expected = memories_and_clusters(single)
        assert memories_and_clusters(batch) == expected
        assert len(expected[0]) == len(TEXTS) - 3  # the wheel was told three times, the deploy twice
        assert missing(batch) == 0


def test_a_stored_memory_takes_in_what_comes_late(opened):
    with opened() as ultron:
        first = ultron.upload_memory(TEXTS[0])
        fill_while_down(ultron, [*TEXTS[1:7], TEXTS[7], *TEXTS[9:12]])
        backfill(ultron.runtime)
        assert "/var/log/build-7.txt" in ultron.get_memory_details([first.id])[0].content
        assert len(memories_and_clusters(ultron)[0]) == 1 + 6 + 3


def test_a_batch_is_one_transaction_of_a_constant_number_of_statements(opened, monkeypatch):
    with opened() as ultron:
        fill_while_down(ultron, [f"Note {n} stands alone." for n in range(40)])
        told, transactions, run = [], [], ultron.runtime.database.run

        def counted(work):
            transactions.append(work)
            return run(work)

        monkeypatch.setattr(type(ultron.runtime.database), "run", lambda _, work: counted(work))
        assert backfill_vectors.fill_vectors(ultron.runtime, told.append) == 40
        assert told == [40] and len(transactions) == 1


def test_killed_between_two_batches_the_next_call_does_the_rest(opened, monkeypatch):
    monkeypatch.setattr(backfill_vectors, "_BATCH", 10)

    def die(done):
        raise KeyboardInterrupt

    with opened() as ultron:
        fill_while_down(ultron, [f"Note {n} stands alone." for n in range(25)])
        with pytest.raises(KeyboardInterrupt):
            backfill(ultron.runtime, die)
        assert missing(ultron) == 15
        told = []
        assert backfill(ultron.runtime, told.append) == 15 and told == [10, 15]
        assert missing(ultron) == 0
        assert sum(len(bodies) for bodies in memories_and_clusters(ultron)[1]) == 25


def test_killed_inside_a_batch_nothing_of_it_is_written(opened, monkeypatch):
    def die(*_):
        raise KeyboardInterrupt

    with opened() as ultron:
        fill_while_down(ultron, TEXTS[:6])
        with monkeypatch.context() as patched:
            patched.setattr(backfill_vectors, "place", die)
            with pytest.raises(KeyboardInterrupt):
                backfill(ultron.runtime)
        assert missing(ultron) == 6
        assert backfill(ultron.runtime) == 6 and missing(ultron) == 0


def test_what_was_changed_or_archived_while_it_was_embedded_is_left_to_the_next_round(opened, monkeypatch):
    with opened() as ultron:
        fill_while_down(ultron, TEXTS[1:5])
        changed, gone = (row["id"] for row in rows(ultron, "SELECT id FROM memories LIMIT 2"))
        embed = StubEmbedder.embed

        def meanwhile(self, texts):
            monkeypatch.setattr(StubEmbedder, "embed", embed)
            with ultron.runtime.database.transaction() as conn:
                conn.execute("UPDATE memories SET content = 'Tabs, never spaces.' WHERE id = %s", [changed])
                conn.execute("UPDATE memories SET status = 'archived' WHERE id = %s", [gone])
            return embed(self, texts)

        monkeypatch.setattr(StubEmbedder, "embed", meanwhile)
        backfill(ultron.runtime)
        assert "Tabs, never spaces." in "".join(ultron.runtime.embedder.texts)
        left = rows(ultron, "SELECT memory_id FROM memory_vectors")
        assert {changed} <= {row["memory_id"] for row in left} and gone not in {r["memory_id"] for r in left}


def test_a_text_that_the_embedder_refuses_holds_up_no_other(opened):
    with opened() as ultron:
        embedder = ultron.runtime.embedder
        embedder.refused = "poison"
        fill_while_down(ultron, [*TEXTS[9:14], "The poison stands alone.", *TEXTS[14:18]])
        assert backfill_vectors.fill_vectors(ultron.runtime) == 9
        assert missing(ultron) == 1
        assert [row["vector_refusals"] for row in refusals(ultron)] == [1]


def test_a_refused_text_is_tried_a_few_times_and_again_when_it_is_another(opened):
    with opened() as ultron:
        embedder = ultron.runtime.embedder
        embedder.refused = "poison"
        fill_while_down(ultron, ["The poison stands alone."])
        most = ultron.settings.segments.max_attempts
        for _ in range(most + 2):
            backfill_vectors.fill_vectors(ultron.runtime)
        (row,) = refusals(ultron)
        assert row["vector_refusals"] == most
        asked = embedder.asked
        assert backfill_vectors.fill_vectors(ultron.runtime) == 0 and embedder.asked == asked
        embedder.down = True
        ultron.update_memory(row["id"], content="The antidote stands alone.")
        embedder.down = False
        assert backfill_vectors.fill_vectors(ultron.runtime) == 1 and missing(ultron) == 0


def test_another_model_is_asked_again(opened, monkeypatch):
    with opened() as ultron:
        ultron.runtime.embedder.refused = "poison"
        fill_while_down(ultron, ["The poison stands alone."])
        for _ in range(ultron.settings.segments.max_attempts):
            backfill_vectors.fill_vectors(ultron.runtime)
        monkeypatch.setattr(StubEmbedder, "model_id", "another")
        ultron.runtime.embedder.refused = None
        assert backfill_vectors.fill_vectors(ultron.runtime) == 1


def test_while_it_is_down_nothing_counts_as_refused(opened):
    with opened() as ultron:
        fill_while_down(ultron, TEXTS[:3])
        ultron.runtime.embedder.refused = ""
        assert backfill_vectors.fill_vectors(ultron.runtime) == 0
        assert refusals(ultron) == []


def test_an_upload_beside_a_refused_text_has_its_vector_at_once(opened):
    with opened() as ultron:
        ultron.runtime.embedder.refused = "poison"
        ultron.upload_memories([{"content": text} for text in ("The poison stands alone.", TEXTS[9])])
        assert missing(ultron) == 1


def refusals(ultron):
    return rows(ultron, "SELECT id, vector_refusals FROM memories WHERE vector_refusals > 0")


def test_no_index_is_made_while_there_is_no_vector(opened):
    with opened() as ultron:
        ultron.runtime.embedder.model_id = "never seen before"  # indexes outlive the rows of a test
        ultron.runtime.embedder.down = True
        ultron.upload_memory(TEXTS[0])
        ultron.load_memories([{"content": TEXTS[1]}])
        assert indexes(ultron) == []
        ultron.runtime.embedder.down = False
        ultron.process_pending()
        assert len(indexes(ultron)) == 1


def indexes(ultron):
    name = index_name(ultron.runtime.embedder.model_id)
    return rows(ultron, "SELECT 1 FROM pg_indexes WHERE indexname = %(name)s", name=name)
