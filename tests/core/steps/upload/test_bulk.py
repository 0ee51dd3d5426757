"""Many memories at once: equal words are one memory, everything else as after single uploads."""

import pytest

from tests.support.memories import StubEmbedder, axis, one, rows
from tests.support.recount import counters_off
from ultron_core.client import Ultron
from ultron_core.memories import Body
from ultron_core.steps.upkeep.backfill import backfill
from ultron_core.steps.upload import judge
from ultron_core.store.tables.embeddings import index_name
from ultron_core.testing import FakeLLM

MANY = [{"content": f"The build of service {n} needs tool number {n}.", "tags": [f"s{n}"]} for n in range(60)]


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=StubEmbedder()) as opened:
        yield opened


def indexes(ultron):
    name = index_name(ultron.runtime.embedder.model_id)
    return rows(ultron, f"SELECT 1 FROM pg_indexes WHERE schemaname = 'ultron' AND indexname = '{name}'")


def test_loaded_memories_are_found_like_uploaded_ones(ultron):
    told = []
    assert ultron.load_memories(MANY, expected=60, progress=told.append) == 60
    assert told == [60]
    (hit,) = ultron.search_memories("service 41 tool", limit=1, record_hits=False)
    assert hit.record.tags == ["s41"]
    assert one(ultron, "SELECT documents FROM lexical_stats WHERE scope = 'memory'")["documents"] == 60
    assert one(ultron, "SELECT count(*) AS n FROM cluster_members")["n"] == 60
    assert len(indexes(ultron)) == 1
    contributions = rows(ultron, "SELECT memory_id FROM memory_contributions")
    assert len({row["memory_id"] for row in contributions}) == 60


def test_loading_the_same_again_adds_nothing_but_hits(ultron):
    ultron.load_memories(MANY)
    assert ultron.load_memories(MANY[:10]) == 0
    assert ultron.get_memory_stats()["total"] == 60
    assert one(ultron, "SELECT max(hit_count) AS hits FROM memory_usage")["hits"] == 2


def test_a_secret_in_a_loaded_memory_is_redacted(ultron):
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    ultron.load_memories([{"content": f"The deploy token is {secret}."}])
    assert secret not in one(ultron, "SELECT content FROM memories")["content"]


def test_an_upload_after_an_interrupted_load_makes_the_index_again(ultron):
    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ultron.load_memories(MANY, expected=60, progress=stop)
    assert indexes(ultron) == []
    ultron.upload_memory("The linter wants two blank lines.")
    assert len(indexes(ultron)) == 1 and ultron.get_memory_stats()["total"] == 61


def test_a_memory_whose_body_a_load_changes_leaves_its_cluster_until_it_has_a_vector_again(ultron):
    """What was edited by hand is given once more as it first was: the merged body is not embedded in a load."""
    given = "I prefer tabs in code, as written in ~/.editorconfig of mine."
    memory = ultron.upload_memory(given)
    ultron.update_memory(memory.id, content="I prefer 2 spaces in yaml code.", trust="upload")
    ultron.load_memories([{"content": given}])
    assert "editorconfig" in one(ultron, "SELECT content FROM memories")["content"]
    assert counters_off(ultron) == []
    assert backfill(ultron.runtime) == 1
    assert one(ultron, "SELECT memory_id FROM cluster_members")["memory_id"] == memory.id


def test_no_model_is_asked_while_a_chunk_holds_its_locks(settings, monkeypatch):
    """Words that were once merged into a memory come again: its body has others by now, which a model words."""
    held = []

    def word(runtime, old, new):
        with runtime.database.transaction() as conn:
            held.append(
                conn.execute("SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory'").fetchone()["n"]
            )
        return Body("Wheel is missing in the docker image, and pip 24 brings it.")

    monkeypatch.setattr(judge, "word_merge", word)
    first, second = "The image lacks wheel.", "The image lacks wheel: pip 24 brings it."
    vectors = {"The image": axis(0)}
    llm = FakeLLM({"classify": lambda _: {"memory_type": "error"}})
    with Ultron(settings, embedder=StubEmbedder(vectors), llm=llm) as ultron:
        ultron.upload_memory(first)
        ultron.upload_memory(second)
        held.clear()
        assert ultron.load_memories([{"content": second}]) == 0
        assert held == [], "the lock of the type was held while the model was asked"
        assert one(ultron, "SELECT count(*) AS n FROM memory_contributions WHERE pending_merge")["n"] == 1
