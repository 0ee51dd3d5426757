"""What an upload becomes: a new memory, a part of one that is there, or a neighbour linked to it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from tests.support.memories import StubEmbedder, axis, one, rows, tables_holding
from tests.support.worlds import rows_written
from ultron_core.client import Ultron
from ultron_core.errors import ConflictError, InputError
from ultron_core.settings import DedupSettings
from ultron_core.steps.upload import upload as upload_step
from ultron_core.steps.upload.upload import Source, Upload, upload_memories

FIRST = "The build failed because wheel was missing in the docker image."
AGAIN = "Building failed in the docker image: wheel was missing. The log is at /var/log/build-7.txt."
NEAR = {"Building failed": axis(1, near=axis(0), cosine=0.95), "The build failed": axis(0)}


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=StubEmbedder(NEAR)) as opened:
        yield opened


def decisions(ultron):
    return rows(ultron, "SELECT * FROM merge_decisions ORDER BY created_at, decision")


def test_eight_identical_uploads_at_once_are_one_memory_with_eight_hits(ultron):
    ready = threading.Barrier(8)
    found, errors = [], []

    def work(number):
        ready.wait()
        try:
            found.append(ultron.upload_memory(FIRST, resolution="pip install wheel", tags=[f"t{number}"]))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len({record.id for record in found}) == 1
    (memory,) = ultron.get_memory_details([found[0].id])
    assert ultron.get_memory_stats()["total"] == 1
    assert (
        one(ultron, "SELECT hit_count FROM memory_usage")["hit_count"] == 8 + 2
    )  # the look just now counts two
    assert set(memory.tags) == {f"t{number}" for number in range(8)}
    assert len(rows(ultron, "SELECT 1 FROM memory_contributions")) == 8
    assert [d["decision"] for d in decisions(ultron)].count("merge") == 7


def test_a_near_duplicate_is_merged_and_no_fact_is_lost(ultron):
    first = ultron.upload_memory(FIRST, resolution="pip install wheel", tags=["docker"])
    second = ultron.upload_memory(AGAIN, tags=["Docker", "ci"])
    assert second.id == first.id and second.hit_count == 2
    assert second.content.startswith(FIRST) and "/var/log/build-7.txt" in second.content
    assert second.resolution == "pip install wheel"
    assert second.tags == ["docker", "ci"]
    merged = decisions(ultron)[-1]
    assert (merged["decision"], merged["reason"]) == ("merge", "near_duplicate")
    assert merged["score"] == pytest.approx(0.95, abs=1e-5) and merged["threshold"] == pytest.approx(0.9)
    assert merged["body_before"]["content"] == FIRST
    kept = rows(ultron, "SELECT content, merged FROM memory_contributions ORDER BY merged")
    assert [(row["content"], row["merged"]) for row in kept] == [(FIRST, False), (AGAIN, True)]


def test_near_equals_that_diverge_are_linked_not_merged(ultron):
    ultron.runtime.embedder.vectors = {"Postgres": axis(0)}
    first = ultron.upload_memory("Postgres listens on port 5432 here.")
    second = ultron.upload_memory("Postgres listens on port 5433 here.")
    assert first.id != second.id
    link = one(ultron, "SELECT * FROM memory_links")
    assert (link["from_id"], link["to_id"], link["kind"]) == (second.id, first.id, "similar_to")
    assert link["reason"].startswith("diverging_") and link["score"] == pytest.approx(1.0)


def test_between_the_thresholds_memories_are_linked_and_below_not(ultron):
    base = axis(0)
    ultron.runtime.embedder.vectors = {
        "apples": base,
        "pears": axis(1, near=base, cosine=0.8),
        "plums": axis(2, near=base, cosine=0.7),
    }
    ids = [ultron.upload_memory(f"The script sorts {fruit}.").id for fruit in ("apples", "pears", "plums")]
    assert len(set(ids)) == 3
    links = rows(ultron, "SELECT from_id, to_id FROM memory_links")
    assert [(row["from_id"], row["to_id"]) for row in links] == [(ids[1], ids[0])]


def test_memories_of_other_types_are_never_merged(ultron):
    ultron.runtime.embedder.vectors = {"": axis(0)}
    texts = ["The build failed with an error.", "I prefer short answers."]
    records = [ultron.upload_memory(text) for text in texts]
    assert [record.memory_type for record in records] == ["error", "preference"]
    assert rows(ultron, "SELECT 1 FROM memory_links") == []


def test_thresholds_of_the_settings_win(settings):
    strict = settings.model_copy(update={"dedup": DedupSettings(similarity_threshold=0.97)})
    with Ultron(strict, embedder=StubEmbedder(NEAR)) as ultron:
        ids = {ultron.upload_memory(text).id for text in (FIRST, AGAIN)}
        assert len(ids) == 2
        assert decisions(ultron)[-1]["threshold"] == pytest.approx(0.97)


def test_the_threshold_itself_does_not_merge(settings):
    exact = settings.model_copy(update={"dedup": DedupSettings(similarity_threshold=0.0)})
    with Ultron(exact, embedder=StubEmbedder({"cats": axis(0), "dogs": axis(1)})) as ultron:
        assert len({ultron.upload_memory(f"The script counts {pet}.").id for pet in ("cats", "dogs")}) == 2


def test_the_same_words_again_are_one_more_hit(ultron):
    first = ultron.upload_memory(FIRST, "in CI", "pip install wheel")
    second = ultron.upload_memory(FIRST, "in CI", "pip install wheel")
    assert (second.id, second.hit_count, second.content) == (first.id, 2, first.content)
    assert decisions(ultron)[-1]["reason"] == "same_words"


def test_words_once_merged_find_their_memory_again(ultron):
    first = ultron.upload_memory(FIRST)
    ultron.upload_memory(AGAIN)
    assert ultron.upload_memory(AGAIN).id == first.id
    assert decisions(ultron)[-1]["reason"] == "same_words"


def test_a_text_source_again_is_known_and_writes_no_row(ultron):
    text = "Error: ModuleNotFoundError: No module named 'yaml'. Fixed it with pip install pyyaml."
    assert ultron.ingest_text(text)["memories_uploaded"] >= 1
    source = one(ultron, "SELECT raw_upload_id FROM memory_sources LIMIT 1")["raw_upload_id"]
    part = one(ultron, "SELECT * FROM memory_contributions LIMIT 1")
    memory_type = one(ultron, "SELECT memory_type FROM memories LIMIT 1")["memory_type"]
    upload = Upload(
        content=part["content"],
        context=part["context"],
        resolution=part["resolution"],
        memory_type=memory_type,
        sources=(Source(kind="ingest_text", raw_upload_id=source),),
    )
    before = rows_written(ultron.runtime.database)
    (result,) = upload_memories(ultron.runtime, [upload])
    assert (result.action, result.reason, result.record.id) == ("known", "same_source", part["memory_id"])
    assert rows_written(ultron.runtime.database) == before


def test_a_batch_gives_what_one_after_another_gives(ultron):
    texts = [FIRST, AGAIN, FIRST, "I prefer tabs.", "Postgres listens on port 5432 here."]
    batch = ultron.upload_memories([{"content": text, "tags": [str(n)]} for n, text in enumerate(texts)])
    digest = contents(ultron)
    with ultron.runtime.database.transaction() as conn:
        conn.execute("DELETE FROM memories")
        conn.execute("DELETE FROM clusters")
    for n, text in enumerate(texts):
        ultron.upload_memory(text, tags=[str(n)])
    assert contents(ultron) == digest
    assert [record.id for record in batch].count(batch[0].id) == 3


def contents(ultron):
    query = "SELECT memory_type, content, tags, hit_count FROM memories JOIN memory_usage ON memory_id = id"
    return sorted(tuple(map(str, row.values())) for row in rows(ultron, query))


def test_an_idempotency_key_stands_for_one_request(ultron):
    first = ultron.upload_memory(FIRST, tags=["a"], idempotency_key="k1")
    before = rows_written(ultron.runtime.database)
    second = ultron.upload_memory(FIRST, tags=["a"], idempotency_key="k1")
    assert (second.id, second.hit_count) == (first.id, 1)
    assert rows_written(ultron.runtime.database) == before
    with pytest.raises(InputError, match="was used for another memory"):
        ultron.upload_memory("Other words.", idempotency_key="k1")
    assert ultron.get_memory_stats()["total"] == 1


def test_one_key_at_once_for_two_types_is_one_memory_and_one_conflict(ultron, monkeypatch):
    """The lock of a type holds nobody up who writes another type: each key has one, too."""
    both_found_nothing = threading.Barrier(2, timeout=1.5)
    write = upload_step._written

    def written_by_both(*given):
        with suppress(threading.BrokenBarrierError):
            both_found_nothing.wait()
        return write(*given)

    monkeypatch.setattr(upload_step, "_written", written_by_both)
    given = [
        Upload(FIRST, memory_type="error", idempotency_key="k1"),
        Upload("I prefer tabs.", memory_type="life", idempotency_key="k1"),
    ]
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(upload_memories, ultron.runtime, [one]) for one in given]
    (refused,) = [run.exception() for run in runs if run.exception()]
    assert isinstance(refused, ConflictError) and "was used for another memory" in str(refused)
    assert ultron.get_memory_stats()["total"] == 1


def test_empty_content_is_refused_before_anything_is_written(ultron):
    with pytest.raises(InputError, match="content"):
        ultron.upload_memories([{"content": FIRST}, {"content": " \n"}])
    assert ultron.get_memory_stats()["total"] == 0
    assert ultron.upload_memories([]) == []


def test_secrets_and_personal_data_reach_no_table(ultron):
    key = "sk-" + "proj-" + "Zk3Qw8Rt5Yp1Lm9Xv7Bn2Hs6Jd4Gf0Ca"
    mail = "wei.zhang" + "@" + "corp-mail.com"
    upload = Upload(
        content=f"The call failed with key {key}.",
        context=f"asked by {mail}",
        tags=(key, f"by {mail}", f"segment:{key}"),
        sources=(Source(kind="upload", quote=f"OPENAI_API_KEY={key} {mail}"),),
    )
    (result,) = upload_memories(ultron.runtime, [upload])
    changed = ultron.update_memory(result.record.id, resolution=f"ask {mail} for {key}", tags=[key])
    ultron.search_memories(f"failed with key {key}")
    assert "<LLM_API_KEY" in result.record.content and "<EMAIL" in changed.resolution
    assert tables_holding(ultron, key) == set() and tables_holding(ultron, mail) == set()


def test_text_that_no_database_can_hold_is_cleaned(ultron):
    record = ultron.upload_memory("NUL \x00 and half \ud83d a pair", "a\x00b", tags=["t\x00\udc00"])
    assert "\x00" not in record.content and "half" in record.content
    changed = ultron.update_memory(record.id, content="again \x00 \ud83d", tags=["u\x00\ud83d"])
    assert "again" in changed.content and changed.tags[0].startswith("u")


def test_an_archived_memory_comes_back_with_id_and_hits(ultron):
    first = ultron.upload_memory(FIRST, tags=["old"])
    ultron.upload_memory(FIRST)
    assert ultron.archive_memories_by_tag("old") == 1
    again = ultron.upload_memory(FIRST)
    assert (again.id, again.status, again.hit_count) == (first.id, "active", 3)
    assert [hit.record.id for hit in ultron.search_memories("wheel docker image")] == [first.id]
    assert len(ultron.clusters.assign_memory_to_cluster(first.id).memory_ids) == 1


def test_the_index_of_a_large_store_decides_like_the_exact_comparison(ultron, monkeypatch):
    monkeypatch.setattr("ultron_core.store.tables.uploads.EXACT_BELOW", 0)
    first = ultron.upload_memory(FIRST)
    ultron.upload_memory("The parser fails on tabs.")
    assert ultron.upload_memory(AGAIN).id == first.id
    assert decisions(ultron)[-1]["score"] == pytest.approx(0.95, abs=1e-6)
    assert first.id in {hit.record.id for hit in ultron.search_memories("Building failed there")}


def test_a_text_with_nul_and_a_lone_surrogate_is_ingested(ultron):
    answer = ultron.ingest_text(
        "Error: git push\x00 failed \ud800: no upstream branch. Fix: git push -u origin main."
    )
    assert [memory["memory_type"] for memory in answer["memories"]] == ["error"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"content": FIRST, "memory_type": "life"}, "memory_type cannot be given"),
        ({"content": FIRST, "confidence": 1.0}, "confidence cannot be given"),
        ({"content": FIRST, "extractor": "me"}, "extractor cannot be given"),
        ({"content": FIRST, "sources": ()}, "sources cannot be given"),
        ({"content": FIRST, "tags": "python"}, "tags must be a list"),
        ({"content": 7}, "content must be a string"),
        ({"context": FIRST}, "needs content"),
        (FIRST, "must be a mapping with content"),
    ],
)
def test_a_mapping_holds_the_documented_arguments_alone(ultron, given, message):
    with pytest.raises(InputError, match=message):
        ultron.upload_memories([given])
