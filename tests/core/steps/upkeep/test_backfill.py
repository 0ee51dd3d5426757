"""An embedder or a model that is down loses nothing: rows are stored at once and completed when it is back."""

import pytest

from tests.support.memories import LockWatch, StubEmbedder, StubLLM, axis, one, rows, tables_holding
from tests.support.worlds import rows_written
from ultron_core.client import Ultron
from ultron_core.errors import ModelAnswerError
from ultron_core.settings import ExtractSettings
from ultron_core.steps.upkeep import backfill as backfill_step
from ultron_core.steps.upkeep.backfill import backfill

FIRST = "The build failed because wheel was missing in the docker image."
AGAIN = "Building failed in the docker image: wheel was missing. The log is at /var/log/build-7.txt."
NEAR = {"Building failed": axis(1, near=axis(0), cosine=0.95), "The build failed": axis(0)}
SUMMARY = {"summary_l0": "By the model: wheel is missing.", "overview_l1": "By the model: install wheel."}
MERGED = {
    "content": "By the model: wheel was missing, see /var/log/build-7.txt.",
    "context": "",
    "resolution": "",
}


@pytest.fixture
def embedder():
    return StubEmbedder(NEAR)


@pytest.fixture
def ultron(settings, embedder):
    with Ultron(settings, embedder=embedder) as opened:
        yield opened


@pytest.fixture
def model():
    return StubLLM(
        classify={"memory_type": "error"}, summarize=SUMMARY, merge=MERGED, search={"phrases": ["wheel"]}
    )


@pytest.fixture
def modelled(settings, embedder, model):
    # a summary so short that no note is one as it stands
    short = settings.model_copy(update={"extract": ExtractSettings(l0_max_tokens=8)})
    with Ultron(short, embedder=embedder, llm=model) as opened:
        yield opened


# --- the embedder is down ------------------------------------------------------------------------------------


def test_without_an_embedder_a_memory_is_stored_and_found_by_words(ultron, embedder):
    embedder.down = True
    memory = ultron.upload_memory(FIRST)
    assert rows(ultron, "SELECT 1 FROM memory_vectors") == rows(ultron, "SELECT 1 FROM cluster_members") == []
    assert [hit.record.id for hit in ultron.search_memories("docker wheel")] == [memory.id]
    assert ultron.upload_memory(FIRST).id == memory.id  # the same words need no vector


def test_backfill_embeds_deduplicates_and_clusters(ultron, embedder):
    first = ultron.upload_memory(FIRST, tags=["a"])
    embedder.down = True
    second = ultron.upload_memory(AGAIN, tags=["b"], idempotency_key="k")
    other = ultron.upload_memory("I prefer tabs.")
    assert second.id != first.id
    assert backfill(ultron.runtime) == 0
    embedder.down = False
    assert backfill(ultron.runtime) == 2
    (merged,) = ultron.get_memory_details([first.id, second.id])
    assert (merged.id, merged.hit_count, merged.tags) == (first.id, 1 + 1 + 2, ["a", "b"])
    assert merged.content.startswith(FIRST) and "/var/log/build-7.txt" in merged.content
    assert len(ultron.get_memory_sources(first.id)) == 2
    assert ultron.clusters.assign_memory_to_cluster(other.id).memory_ids == [other.id]
    assert ultron.upload_memory(AGAIN, tags=["b"], idempotency_key="k").id == first.id
    decision = one(ultron, "SELECT * FROM merge_decisions WHERE reason = 'near_duplicate_found_later'")
    assert decision["score"] == pytest.approx(0.95, abs=1e-5) and decision["other_id"] == second.id
    split = ultron.unmerge(decision["id"])
    assert split.content == AGAIN and ultron.get_memory_details([first.id])[0].content == FIRST


def test_backfill_keeps_near_equals_that_diverge(ultron, embedder):
    embedder.vectors = {"Postgres": axis(0)}
    embedder.down = True
    ids = {ultron.upload_memory(f"Postgres listens on port {port} here.").id for port in (5432, 5433)}
    embedder.down = False
    assert backfill(ultron.runtime) == 2
    assert {row["memory_id"] for row in rows(ultron, "SELECT memory_id FROM memory_vectors")} == ids


def test_a_merge_found_later_embeds_its_body_while_no_lock_is_held(settings):
    watching = LockWatch(NEAR)
    with Ultron(settings, embedder=watching) as ultron:
        ultron.upload_memory(FIRST)
        watching.down = True
        ultron.upload_memory(AGAIN)
        watching.down = False
        watching.watch(ultron)
        assert backfill(ultron.runtime) == 1
        merged = one(ultron, "SELECT content FROM memories")["content"]
    assert watching.texts[-1].split() == merged.split() and FIRST in merged and "build-7" in merged
    assert watching.held == [0, 0]  # the late vector, then the merged body


def test_a_merge_worded_later_embeds_its_body_while_no_lock_is_held(settings, model):
    watching = LockWatch(NEAR)
    with Ultron(settings, embedder=watching, llm=model) as ultron:
        ultron.upload_memory(FIRST)
        model.down = True
        ultron.upload_memory(AGAIN)
        model.down = False
        watching.watch(ultron)
        backfill(ultron.runtime)
        assert one(ultron, "SELECT content FROM memories")["content"] == MERGED["content"]
    assert watching.texts[-1] == MERGED["content"] and watching.held == [0]


def test_a_second_backfill_writes_nothing(ultron, embedder):
    embedder.down = True
    ultron.upload_memory(FIRST)
    embedder.down = False
    assert backfill(ultron.runtime) == 1
    before = rows_written(ultron.runtime.database)
    assert backfill(ultron.runtime) == 0
    assert rows_written(ultron.runtime.database) == before


def test_a_body_changed_while_the_embedder_is_down_gets_its_own_vector_later(ultron, embedder):
    memory = ultron.upload_memory(FIRST)
    embedder.down = True
    ultron.update_memory(memory.id, content=AGAIN)
    assert rows(ultron, "SELECT 1 FROM memory_vectors") == rows(ultron, "SELECT 1 FROM cluster_members") == []
    embedder.down = False
    assert backfill(ultron.runtime) == 1
    stored = one(
        ultron, "SELECT 1 - (exact <=> %(v)s::vector) AS cosine FROM memory_vectors", v=str(axis(0).tolist())
    )
    assert stored["cosine"] == pytest.approx(0.95, abs=1e-5)
    assert len(ultron.clusters.assign_memory_to_cluster(memory.id).memory_ids) == 1


# --- the model is down ---------------------------------------------------------------------------------------


def test_with_a_model_type_summaries_and_merge_are_its_own(modelled, model):
    model.answers["classify"] = {"memory_type": "security"}
    first = modelled.upload_memory(FIRST)
    assert (first.memory_type, first.summary_l0, first.needs_model) == (
        "security",
        SUMMARY["summary_l0"],
        False,
    )
    merged = modelled.upload_memory(AGAIN)
    assert (merged.id, merged.content, merged.hit_count) == (first.id, MERGED["content"], 2)


def test_while_the_model_is_down_rules_store_the_memory_at_once(modelled, model):
    model.down = True
    memory = modelled.upload_memory(FIRST)
    assert memory.needs_model and memory.memory_type == "error" and memory.summary_l0.startswith("The build")
    assert backfill(modelled.runtime) == 0
    model.down = False
    model.answers["classify"] = {"memory_type": "pattern"}
    assert backfill(modelled.runtime) == 1
    (done,) = modelled.get_memory_details([memory.id])
    assert (done.memory_type, done.summary_l0, done.overview_l1) == ("pattern", *SUMMARY.values())
    assert not done.needs_model and done.hit_count == 1 + 2
    types = rows(
        modelled, "SELECT memory_type FROM memory_search UNION SELECT memory_type FROM memory_vectors"
    )
    assert types == [{"memory_type": "pattern"}]
    before, calls = rows_written(modelled.runtime.database), len(model.calls)
    assert backfill(modelled.runtime) == 0
    assert (rows_written(modelled.runtime.database), len(model.calls)) == (before, calls)


def test_while_the_model_is_down_a_merge_waits_and_the_body_stays(modelled, model):
    first = modelled.upload_memory(FIRST, tags=["a"])
    model.down = True
    merged = modelled.upload_memory(AGAIN, tags=["b"])
    assert (merged.id, merged.hit_count, merged.content, merged.tags) == (first.id, 2, FIRST, ["a", "b"])
    waiting = one(modelled, "SELECT content FROM memory_contributions WHERE pending_merge")
    assert waiting["content"] == AGAIN
    backfill(modelled.runtime)
    assert modelled.get_memory_details([first.id])[0].content == FIRST
    model.down = False
    assert backfill(modelled.runtime) == 2  # the merge, then the summaries of the new body
    (done,) = modelled.get_memory_details([first.id])
    assert (done.content, done.summary_l0, done.needs_model) == (
        MERGED["content"],
        SUMMARY["summary_l0"],
        False,
    )
    assert rows(modelled, "SELECT 1 FROM memory_contributions WHERE pending_merge") == []
    decision = one(modelled, "SELECT id FROM merge_decisions WHERE decision = 'merge'")
    modelled.unmerge(decision["id"])
    assert modelled.get_memory_details([first.id])[0].content == FIRST


def test_a_merge_by_the_model_that_would_lose_a_fact_leaves_the_body(modelled, model):
    model.answers["merge"] = {"content": "Wheel was missing."}
    modelled.upload_memory(FIRST)
    merged = modelled.upload_memory(AGAIN)
    assert merged.content == FIRST
    assert tables_holding(modelled, "/var/log/build-7.txt") == {"memory_contributions"}


def test_an_answer_that_makes_no_sense_does_not_hold_up_other_memories(modelled, model):
    model.down = True
    for text in (FIRST, "I prefer tabs."):
        modelled.upload_memory(text)
    model.down = False
    real = model.complete

    def complete(messages, schema, *, stage=""):
        if "docker" in str(messages):
            raise ModelAnswerError("not what was asked for")
        return real(messages, schema, stage=stage)

    model.complete = complete
    assert backfill(modelled.runtime) == 1
    left = one(modelled, "SELECT content FROM memories WHERE needs_model")
    assert left["content"] == FIRST


def refuse_all_but(model, word):
    real = model.complete

    def complete(messages, schema, *, stage=""):
        if word not in str(messages):
            raise ModelAnswerError("not what was asked for")
        return real(messages, schema, stage=stage)

    model.complete = complete


def test_memories_that_the_model_refuses_do_not_fill_every_round(modelled, model, monkeypatch):
    monkeypatch.setattr(backfill_step, "_BATCH", 2)
    model.down = True
    for text in (FIRST, "I prefer tabs.", "We deploy on Fridays.", "The port of staging is 8443."):
        modelled.upload_memory(text)
    model.down = False
    refuse_all_but(model, "8443")
    assert [backfill(modelled.runtime), backfill(modelled.runtime)] == [0, 1]
    assert rows(modelled, "SELECT 1 FROM memories WHERE NOT needs_model AND content LIKE '%%8443%%'")


def test_merges_that_the_model_refuses_do_not_fill_every_round(modelled, model, monkeypatch):
    monkeypatch.setattr(backfill_step, "_BATCH", 2)
    memory = modelled.upload_memory(FIRST)
    model.down = True
    for place in ("/var/log/first.txt", "/var/log/second.txt", "/var/log/third.txt"):
        text = f"Building failed in the docker image: wheel was missing. The log is at {place}."
        assert modelled.upload_memory(text).id == memory.id
    model.down = False
    model.answers["merge"] = {
        **MERGED,
        "content": "Wheel was missing in the docker image, see /var/log/third.txt.",
    }
    refuse_all_but(model, "third.txt")
    backfill(modelled.runtime)
    backfill(modelled.runtime)
    waiting = [
        row["content"]
        for row in rows(modelled, "SELECT content FROM memory_contributions WHERE pending_merge")
    ]
    assert waiting and not any("third.txt" in text for text in waiting)


def test_a_memory_that_gets_its_vector_by_a_change_joins_a_cluster_at_once(ultron, embedder):
    embedder.down = True
    memory = ultron.upload_memory(FIRST)
    embedder.down = False
    ultron.update_memory(memory.id, content=AGAIN)
    assert one(ultron, "SELECT memory_id FROM cluster_members")["memory_id"] == memory.id
