"""All vectors change their model while others search, upload and change memories."""

import hashlib
import threading
import time

import numpy as np
import pytest

from tests.support.memories import one, rows
from tests.support.worlds import rows_written, solved, write_log
from ultron_core.client import Ultron
from ultron_core.embeddings.protocol import Thresholds
from ultron_core.errors import EmbeddingError, InputError, TextRefusedError
from ultron_core.memories import embedding_text
from ultron_core.steps.clusters.read import cluster_report
from ultron_core.steps.upkeep import reembed as reembed_step
from ultron_core.steps.upkeep.backfill import backfill
from ultron_core.steps.upkeep.reembed import model_states
from ultron_core.store.tables.embeddings import index_name, index_names
from ultron_core.testing import FakeEmbedder

TOOLS = ("docker", "postgres", "pytest", "webpack", "cargo", "nginx")


class Killed(BaseException):
    """The process is gone."""


@pytest.fixture
def old():
    return FakeEmbedder(64, model_id="old")


@pytest.fixture
def new():
    return FakeEmbedder(32, model_id="new", thresholds=Thresholds(merge=0.9, soft=0.8, cluster=0.6))


@pytest.fixture
def ultron(settings, old, monkeypatch):
    monkeypatch.setattr(reembed_step, "_CHUNK", 5)
    with Ultron(settings, embedder=old) as opened:
        yield opened


def fill(ultron, each=4):
    """Memories about six tools, that differ enough not to be merged."""
    texts = [
        f"The {tool} step number {n} stops at {word} with {tool} complaint {tool}{n}."
        for tool in TOOLS
        for n, word in zip(range(each), ("start", "midnight", "release", "logout"), strict=False)
    ]
    return [record.id for record in ultron.upload_memories([{"content": text} for text in texts])]


def state(ultron):
    return {s.model_id: (s.state, s.embedded) for s in model_states(ultron.runtime)}


def assert_vectors_say_what_the_words_say(ultron, embedder):
    """Each memory has one vector, the one that the embedder gives for its present words."""
    stored = rows(
        ultron,
        "SELECT m.*, v.exact FROM memories m JOIN memory_vectors v ON v.memory_id = m.id WHERE v.model_id = %(m)s",
        m=embedder.model_id,
    )
    assert len(stored) == one(ultron, "SELECT count(*) AS n FROM memories")["n"]
    for row in stored:
        text = embedding_text(row["memory_type"], row["content"], row["context"], row["resolution"])
        assert np.allclose(row["exact"].to_numpy(), embedder.embed([text])[0], atol=1e-6)


def test_searches_find_all_the_while_and_then_by_the_new_model(ultron, new):
    ids = fill(ultron)
    stop, seen, errors = threading.Event(), [], []

    def search():
        while not stop.is_set():
            try:
                hits = ultron.search_memories("docker step stops at midnight", record_hits=False)
            except Exception as error:  # reported below: a thread cannot fail a test
                errors.append(error)
                return
            seen.append((ultron.runtime.embedder.model_id, hits[0].similarity_score if hits else None))

    searching = threading.Thread(target=search)
    searching.start()
    report = ultron.reembed(new, grace_seconds=0.3, progress=lambda done, of: time.sleep(0.02))
    time.sleep(0.2)
    stop.set()
    searching.join()
    assert errors == []
    assert {model for model, _ in seen} == {"old", "new"}
    assert all(score is not None and score > 0.3 for _, score in seen)
    assert (report.model_id, report.previous, report.embedded, report.dropped) == ("new", "old", 24, 24)
    assert state(ultron) == {"new": ("in use", len(ids))}
    assert_vectors_say_what_the_words_say(ultron, new)
    indexes = {
        row["indexname"]: row["indexdef"]
        for row in rows(ultron, "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'ultron'")
    }
    assert index_name("old") not in indexes and "halfvec(32)" in indexes[index_name("new")]


def hnsw_indexes(ultron):
    names = rows(ultron, "SELECT indexname FROM pg_indexes WHERE indexname LIKE '%_hnsw_%' ORDER BY 1")
    return [row["indexname"] for row in names]


def test_no_index_of_a_model_stays_that_holds_nothing(ultron, new, tmp_path):
    """Neither that of the log's windows, nor one of vectors that were kept and went with their memories."""
    ultron.ingest([write_log(tmp_path / "a.jsonl", solved("alpha", "pandas"))], "me", process=True)
    fill(ultron, each=1)
    mine = hashlib.sha256(b"new").hexdigest()[:12]
    of_memories = f"memory_vectors_hnsw_{mine}"
    of_new = [of_memories, f"{of_memories}_claimed", f"message_windows_hnsw_{mine}"]
    ultron.reembed(new, grace_seconds=0, keep_old=True)
    assert hnsw_indexes(ultron) == sorted([*index_names("old").values(), *of_new])
    backfill(ultron.runtime)
    assert index_name("old") in hnsw_indexes(ultron), "its vectors are kept"
    for row in rows(ultron, "SELECT id FROM memories"):
        ultron.delete_memory(row["id"])
    backfill(ultron.runtime)
    assert hnsw_indexes(ultron) == of_new


def test_clusters_are_those_of_the_new_model_and_its_threshold(ultron, new):
    fill(ultron)
    skilled = cluster_report(ultron.runtime).clusters[0]
    ultron.clusters.mark_crystallized(skilled.cluster_id, "a-skill")
    ultron.reembed(new, grace_seconds=0)
    after = rows(ultron, "SELECT cluster_id, model_id, skill_slug, centroid FROM clusters")
    assert {row["model_id"] for row in after} == {"new"}
    assert all(len(row["centroid"].to_list()) == 32 for row in after)
    kept = next(c for c in cluster_report(ultron.runtime).clusters if c.skill_slug == "a-skill")
    assert set(skilled.memory_ids) <= set(kept.memory_ids)
    members = one(ultron, "SELECT count(*) AS n FROM cluster_members")["n"]
    assert members == one(ultron, "SELECT count(*) AS n FROM memories")["n"]
    assert ultron.runtime.embedder.thresholds.cluster == 0.6


def test_a_killed_run_goes_on_where_it_stopped(ultron, old, new):
    ids = fill(ultron)

    def die(done, of):
        if done == 10:
            raise Killed

    with pytest.raises(Killed):
        ultron.reembed(new, progress=die)
    assert state(ultron) == {"old": ("in use", 24), "new": ("wanted", 10)}
    assert ultron.search_memories("docker step stops at midnight")[0].similarity_score > 0.3
    new.texts.clear()
    report = ultron.reembed(new, grace_seconds=0)
    assert report.embedded == 14 and len(new.texts) == 14
    assert state(ultron) == {"new": ("in use", len(ids))}


def test_a_run_killed_after_the_switch_cleans_up_when_called_again(ultron, new, monkeypatch):
    fill(ultron)

    def die(*_):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(reembed_step, "_retire", die)
        with pytest.raises(Killed):
            ultron.reembed(new, grace_seconds=0)
    assert state(ultron) == {"new": ("in use", 24), "old": ("left over", 24)}
    report = ultron.reembed(new, grace_seconds=0)
    assert (report.embedded, report.dropped) == (0, 24)
    assert state(ultron) == {"new": ("in use", 24)}


def test_uploads_and_changes_of_the_meantime_are_embedded_as_well(ultron, new):
    first, *_ = fill(ultron)
    ultron.upload_memory("A memory about geese that is archived.", tags=["old"])
    ultron.archive_memories_by_tag("old")
    done_once = threading.Event()

    def meanwhile(done, of):
        if not done_once.is_set():
            done_once.set()
            ultron.upload_memory("Kafka keeps offsets for seven days.")
            ultron.update_memory(first, content="The docker step needs another base image now.")

    ultron.reembed(new, grace_seconds=0, progress=meanwhile)
    assert done_once.is_set()
    assert_vectors_say_what_the_words_say(ultron, new)
    assert one(ultron, "SELECT count(*) AS n FROM memory_vectors")["n"] == 24 + 2
    hit = ultron.search_memories("the docker step needs another base image", record_hits=False)[0]
    assert hit.record.id == first


def test_another_process_follows_the_switch(settings, ultron, old, new):
    fill(ultron)
    now = [0.0]
    with Ultron(settings, embedder=old) as other:
        other._models._monotonic = lambda: now[0]
        other._models.add(new)
        assert other.runtime.embedder is old
        ultron.reembed(new, grace_seconds=0, keep_old=True)
        assert other.search_memories("docker step stops at midnight")[0].similarity_score > 0.3
        now[0] += 3600
        assert other.runtime.embedder is new
        assert other.search_memories("docker step stops at midnight")[0].similarity_score > 0.3


def test_what_an_unaware_writer_left_is_taken_over(settings, ultron, old, new):
    fill(ultron)
    with Ultron(settings, embedder=old) as other:  # it knows the old model alone
        ultron.reembed(new, grace_seconds=0)
        late = other.upload_memory("Kafka keeps offsets for seven days.")
    assert [r["model_id"] for r in rows(ultron, "SELECT model_id FROM memory_vectors WHERE memory_id = %(i)s",
                                        i=late.id)] == ["old"]  # fmt: skip
    cluster_report(ultron.runtime)
    assert backfill(ultron.runtime) == 1
    report = ultron.reembed(new, grace_seconds=0)
    assert (report.embedded, report.dropped) == (0, 1)
    assert_vectors_say_what_the_words_say(ultron, new)
    assert {r["model_id"] for r in rows(ultron, "SELECT model_id FROM clusters")} == {"new"}


def test_the_old_vectors_can_be_kept_and_gone_back_to(ultron, old, new):
    fill(ultron)
    ultron.reembed(new, grace_seconds=0, keep_old=True)
    assert state(ultron) == {"new": ("in use", 24), "old": ("kept", 24)}
    old.texts.clear()
    report = ultron.reembed(old, grace_seconds=0)
    assert (report.embedded, old.texts) == (0, [])
    assert state(ultron) == {"old": ("in use", 24)}


def test_a_second_run_writes_nothing_and_two_at_once_are_refused(ultron, new):
    fill(ultron)
    caught = []

    def second(done, of):
        with pytest.raises(InputError, match="Another re-embedding") as refused:
            ultron.reembed(new)
        caught.append(refused)

    ultron.reembed(new, grace_seconds=0, progress=second)
    assert caught
    before = rows_written(ultron.runtime.database)
    report = ultron.reembed(new, grace_seconds=0)
    assert (report.previous, report.embedded, report.dropped) == (None, 0, 0)
    assert rows_written(ultron.runtime.database) == before


def test_a_target_that_fails_changes_nothing(ultron, new):
    fill(ultron)
    new.down = True
    with pytest.raises(EmbeddingError):
        ultron.reembed(new)
    assert ultron.runtime.embedder.model_id == "old"
    assert ultron.search_memories("docker step stops at midnight")
    new.down = False
    assert ultron.reembed(new, grace_seconds=0).embedded == 24


def refuse(embedder, is_refused):
    """The embedder refuses requests that hold such a text; returns the list of those that were asked for one by one."""
    embed, alone = embedder.embed, []

    def embed_or_refuse(texts):
        if any(map(is_refused, texts)):
            alone.extend(texts if len(texts) == 1 else [])
            raise TextRefusedError("too long")
        return embed(texts)

    embedder.embed = embed_or_refuse
    return alone


def test_a_text_that_the_target_refuses_is_asked_once_and_the_others_go_over(ultron, new):
    fill(ultron)
    words = rows(ultron, "SELECT content FROM memories ORDER BY id LIMIT 1")[0]["content"]
    alone, told = refuse(new, lambda text: words in text), []
    report = ultron.reembed(new, grace_seconds=0, progress=lambda *numbers: told.append(numbers))
    assert (report.embedded, report.dropped) == (23, 24)
    assert state(ultron) == {"new": ("in use", 23)}
    assert told == [(5, 24), (10, 24), (15, 24), (20, 24), (24, 24)], "one pass, told to its end"
    assert len(alone) == 1
    assert [row["vector_refusals"] for row in refusals(ultron)] == [1]


def test_a_target_that_refuses_many_texts_is_not_switched_to_and_deletes_nothing(ultron, new):
    ids = fill(ultron)
    refuse(new, lambda text: "docker" in text or "nginx" in text or "cargo" in text)
    with pytest.raises(
        EmbeddingError, match=r"new refused 1\d of 24 texts.*Nothing was switched.*ultron reembed"
    ):
        ultron.reembed(new, grace_seconds=0)
    assert state(ultron)["old"] == ("in use", len(ids)) and state(ultron)["new"][0] == "wanted"
    assert ultron.runtime.embedder.model_id == "old"
    assert ultron.search_memories("docker step stops at midnight")[0].similarity_score > 0.3
    del new.embed
    ultron.reembed(new, grace_seconds=0)
    assert state(ultron) == {"new": ("in use", len(ids))}


def test_a_few_refused_texts_of_a_small_store_do_not_hold_up_the_switch(ultron, new):
    fill(ultron)
    refuse(new, lambda text: "docker" in text or "nginx" in text)
    assert ultron.reembed(new, grace_seconds=0).embedded == 16
    assert state(ultron) == {"new": ("in use", 16)} and len(refusals(ultron)) == 8


def test_a_target_that_begins_to_fail_after_its_first_answers_changes_nothing(ultron, new):
    ids = fill(ultron)
    asked = []

    def fails(text):
        """All but the first probe."""
        asked.append(text)
        return text != "text" or asked.count("text") > 1

    refuse(new, fails)
    with pytest.raises(EmbeddingError):
        ultron.reembed(new, grace_seconds=0)
    assert state(ultron)["old"] == ("in use", len(ids)) and refusals(ultron) == []


def test_a_target_that_refuses_many_late_texts_leaves_the_vectors_of_unaware_writers(
    settings, ultron, old, new
):
    fill(ultron)
    with Ultron(settings, embedder=old) as other:  # it knows the old model alone
        ultron.reembed(new, grace_seconds=0)
        texts = [f"Kafka topic {word} keeps offsets {word} for seven days." for word in "abcdefghijkl"]
        other.upload_memories([{"content": text} for text in texts])
    late = state(ultron)["old"]
    refuse(new, lambda text: "Kafka" in text)
    with pytest.raises(EmbeddingError, match="were not deleted"):
        ultron.reembed(new, grace_seconds=0)
    assert late[1] >= 10 and state(ultron)["old"] == late


def refusals(ultron):
    return rows(ultron, "SELECT vector_refusals FROM memories WHERE vector_refusals > 0")


def test_sessions_are_found_by_the_new_model_as_well(ultron, new, tmp_path):
    path = write_log(tmp_path / "logs" / "a.jsonl", solved("alpha", "torch"))
    ultron.ingest([path], agent_id="me", process=True)
    report = ultron.reembed(new, grace_seconds=0)
    assert report.windows > 0
    assert rows(ultron, "SELECT DISTINCT model_id FROM message_windows") == [{"model_id": "new"}]
    assert ultron.search_sessions("alpha module torch")[0].similarity_score > 0


def test_an_empty_store_takes_the_model_at_once(ultron, new):
    report = ultron.reembed(new, grace_seconds=0)
    assert (report.embedded, report.clusters) == (0, 0)
    assert state(ultron) == {"new": ("in use", 0)} and ultron.runtime.embedder is new
