"""Single memories: read, change, delete, archive by tag, undo a merge, lose a source."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from tests.support.memories import LockWatch, StubEmbedder, axis, one, rows, tables_holding
from tests.support.recount import counters_off
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError, NotFoundError
from ultron_core.steps.rows.status import retract_from_segment
from ultron_core.steps.upkeep.backfill import backfill
from ultron_core.steps.upload.judge import Judge
from ultron_core.steps.upload.plan import make_plan
from ultron_core.steps.upload.prepare import prepare
from ultron_core.steps.upload.records import Upload
from ultron_core.steps.upload.snapshot import holds, take_snapshot
from ultron_core.steps.upload.upload import upload_memories
from ultron_core.steps.upload.write import write_plan

FIRST = "The build failed because wheel was missing in the docker image."
AGAIN = "Building failed in the docker image: wheel was missing. The log is at /var/log/build-7.txt."
NEAR = {"Building failed": axis(1, near=axis(0), cosine=0.95), "The build failed": axis(0)}


@pytest.fixture
def embedder():
    return StubEmbedder(NEAR)


@pytest.fixture
def ultron(settings, embedder):
    with Ultron(settings, embedder=embedder) as opened:
        yield opened


def merge_of(ultron, memory_id):
    query = "SELECT id FROM merge_decisions WHERE memory_id = %(id)s AND decision = 'merge' ORDER BY created_at DESC"
    return rows(ultron, query, id=memory_id)[0]["id"]


def test_details_come_in_the_order_asked_for_and_count_two_hits(ultron):
    ids = [ultron.upload_memory(text).id for text in (FIRST, "I prefer tabs.")]
    got = ultron.get_memory_details([str(ids[1]), uuid4(), ids[0]])
    assert [record.id for record in got] == [ids[1], ids[0]]
    assert [record.hit_count for record in got] == [3, 3]
    with pytest.raises(InputError, match="not an id"):
        ultron.get_memory_details(["not-an-id"])


def test_stats_count_active_memories_by_tier_and_type(ultron):
    ultron.upload_memory("I prefer tabs.", tags=["old"])
    ultron.upload_memory(FIRST)
    ultron.archive_memories_by_tag("old")
    assert ultron.get_memory_stats() == {
        "total": 2,
        "by_tier": {"WARM": 1},
        "by_type": {"error": 1},
        "by_status": {"active": 1, "claimed": 0, "archived": 1},
    }


def test_undoing_a_merge_restores_the_body_and_splits_the_contribution_off(ultron):
    first = ultron.upload_memory(FIRST)
    assert ultron.upload_memory(AGAIN, agent_id="other").id == first.id
    decision = merge_of(ultron, first.id)
    split = ultron.unmerge(decision)
    assert (split.content, split.agent_id) == (AGAIN, "other") and split.id != first.id
    (old,) = ultron.get_memory_details([first.id])
    assert (old.content, old.summary_l0) == (first.content, first.summary_l0)
    assert len(ultron.get_memory_sources(first.id)) == len(ultron.get_memory_sources(split.id)) == 1
    link = one(ultron, "SELECT * FROM memory_links")
    assert (link["from_id"], link["to_id"], link["reason"]) == (split.id, first.id, "unmerged")
    assert {hit.record.id for hit in ultron.search_memories("wheel docker image")} == {first.id, split.id}
    with pytest.raises(InputError, match="undone"):
        ultron.unmerge(decision)
    with pytest.raises(NotFoundError):
        ultron.unmerge(uuid4())


def test_undoing_an_earlier_merge_keeps_what_later_ones_built_on(ultron):
    third = "Building failed in the docker image. Platform people maintain that base layer nightly."
    first = ultron.upload_memory(FIRST)
    ultron.upload_memory(AGAIN)
    earlier = merge_of(ultron, first.id)
    ultron.upload_memory(third)
    ultron.unmerge(earlier)
    (kept,) = ultron.get_memory_details([first.id])
    assert "Platform people" in kept.content and "build-7" in kept.content


def test_a_changed_memory_is_embedded_summarised_and_found_anew(ultron, embedder):
    record = ultron.upload_memory(FIRST, tags=["a"])
    embedder.texts.clear()
    changed = ultron.update_memory(record.id, content="The cake needs vanilla sugar.", tags=["kitchen"])
    assert embedder.texts == ["The cake needs vanilla sugar."]
    assert (changed.content, changed.tags) == ("The cake needs vanilla sugar.", ["kitchen"])
    assert changed.summary_l0 == "The cake needs vanilla sugar."
    assert [h.record.id for h in ultron.search_memories("vanilla sugar")] == [record.id]
    assert ultron.search_memories("vanilla sugar", explain=True)[0].explain["bm25"] > 0
    assert all(hit.explain["bm25"] == 0 for hit in ultron.search_memories("wheel docker", explain=True))


def test_a_change_of_tags_alone_embeds_nothing(ultron, embedder):
    record = ultron.upload_memory(FIRST)
    embedder.texts.clear()
    assert ultron.update_memory(record.id, tags=["x"]).tags == ["x"]
    assert ultron.update_memory(record.id).tags == ["x"]
    assert embedder.texts == []
    with pytest.raises(InputError, match="delete"):
        ultron.update_memory(record.id, content="  ")
    with pytest.raises(NotFoundError):
        ultron.update_memory(uuid4(), content="x")


def test_changes_and_undone_merges_are_embedded_while_no_lock_is_held(settings):
    watching = LockWatch(NEAR)
    with Ultron(settings, embedder=watching) as ultron:
        memory = ultron.upload_memory(FIRST)
        ultron.upload_memory(AGAIN)
        watching.watch(ultron)
        split = ultron.unmerge(merge_of(ultron, memory.id))
        assert watching.texts == [FIRST, AGAIN]  # the body from before and the part of its own
        ultron.update_memory(split.id, content="The cake needs vanilla sugar.")
        assert watching.held == [0, 0, 0]
        vectors = one(ultron, "SELECT count(*) AS n FROM memory_vectors")
        assert vectors["n"] == 2


def test_the_watch_sees_a_lock_that_is_held(settings):
    watching = LockWatch()
    with Ultron(settings, embedder=watching) as ultron:
        watching.watch(ultron)
        with ultron.runtime.database.transaction() as conn:
            conn.execute("SELECT pg_advisory_xact_lock(7)")
            watching.embed(["anything"])
    assert watching.held == [1]


def test_a_body_that_another_call_changed_meanwhile_is_embedded_as_it_then_is(settings):
    """Two changes of one memory at once: the later one keeps the other's context, and the vector is of both."""
    embedder = Interrupted()
    with Ultron(settings, embedder=embedder) as ultron:
        memory = ultron.upload_memory(FIRST)
        embedder.first = lambda: ultron.update_memory(memory.id, context="On Friday.")
        changed = ultron.update_memory(memory.id, content="The disk is full.")
        assert (changed.content, changed.context) == ("The disk is full.", "On Friday.")
        expected = str(list(map(float, embedder.embed([embedder.texts[-1]])[0])))
        near = one(ultron, "SELECT 1 - (exact <=> %(v)s::vector) AS cosine FROM memory_vectors", v=expected)
        assert "disk" in embedder.texts[-1] and "Friday" in embedder.texts[-1]
        assert near["cosine"] == pytest.approx(1.0, abs=1e-5)


class Interrupted(StubEmbedder):
    """Runs `first` once, before it embeds anything else."""

    first = None

    def embed(self, texts):
        if self.first:
            call, self.first = self.first, None
            call()
        return super().embed(texts)


def test_changing_an_archived_memory_does_not_bring_it_back(ultron, embedder):
    record = ultron.upload_memory(FIRST, tags=["old"])
    ultron.archive_memories_by_tag("old")
    embedder.down = True
    ultron.update_memory(record.id, content="The build failed for another reason.")
    embedder.down = False
    ultron.update_memory(record.id, content="The build failed for a third reason.")
    assert ultron.search_memories("build failed third reason") == []
    assert one(ultron, "SELECT status FROM memory_vectors")["status"] == "archived"
    assert rows(ultron, "SELECT 1 FROM clusters") == []


def test_a_deleted_memory_leaves_no_row_in_any_table(ultron):
    record = ultron.upload_memory(FIRST, tags=["docker"], idempotency_key="k")
    ultron.upload_memory(AGAIN)
    ultron.unmerge(merge_of(ultron, record.id))
    ultron.search_memories("docker wheel")
    ultron.delete_memory(record.id)
    assert tables_holding(ultron, str(record.id)) == set()
    assert ultron.get_memory_details([record.id]) == []
    with pytest.raises(NotFoundError):
        ultron.delete_memory(record.id)


def test_archiving_by_tag_takes_exactly_that_tag(ultron):
    ids = {
        tag: ultron.upload_memory(f"The script writes {tag} files.", tags=[tag]).id
        for tag in ("job:1", "job:12", "JOB:1", "%", "job")
    }
    assert ultron.archive_memories_by_tag("job:1") == 1
    assert ultron.archive_memories_by_tag("job:1") == 0
    assert ultron.archive_memories_by_tag("%") == 1
    gone = {row["id"] for row in rows(ultron, "SELECT id FROM memories WHERE status = 'archived'")}
    assert gone == {ids["job:1"], ids["%"]}


def test_a_memory_that_loses_one_of_two_sources_stays(settings, tmp_path):
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))], "agent", process=True)
        segment = one(ultron, "SELECT id FROM task_segments")["id"]
        memory = one(ultron, "SELECT * FROM memories")
        given = Upload(memory["content"], memory["context"], memory_type=memory["memory_type"])
        assert {source.kind for source in ultron.get_memory_sources(memory["id"])} == {"segment"}
        assert upload_memories(ultron.runtime, [given])[0].record.id == memory["id"]
        context = ultron.runtime
        assert context.database.run(lambda conn: retract_from_segment(context, conn, segment, [])) == 0
        (left,) = ultron.get_memory_sources(memory["id"])
        assert left.kind == "upload"
        assert one(ultron, "SELECT status FROM memories")["status"] == "active"


def test_a_memory_that_loses_its_only_source_is_archived(settings, tmp_path):
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))], "agent", process=True)
        segment = one(ultron, "SELECT id FROM task_segments")["id"]
        context = ultron.runtime
        assert context.database.run(lambda conn: retract_from_segment(context, conn, segment, [])) == 1
        kept = one(ultron, "SELECT status, archive_reason FROM memories")
        assert kept == {"status": "archived", "archive_reason": "no_source_left"}


def test_undoing_a_merge_keeps_what_a_person_wrote_since(ultron):
    first = ultron.upload_memory(FIRST)
    ultron.upload_memory(AGAIN)
    edited = "The build failed because wheel was missing; the image has it since May."
    ultron.update_memory(first.id, content=edited)
    ultron.unmerge(merge_of(ultron, first.id))
    assert ultron.get_memory_details([first.id])[0].content == edited


def test_undoing_a_merge_archives_the_memory_whose_last_source_goes_with_it(ultron):
    first = ultron.upload_memory(FIRST)
    ultron.upload_memory(AGAIN)
    with ultron.runtime.database.transaction() as conn:  # as when the session of the first was erased
        conn.execute(
            "DELETE FROM ultron.memory_sources WHERE id ="
            " (SELECT source_id FROM ultron.memory_contributions WHERE NOT merged)"
        )
    split = ultron.unmerge(merge_of(ultron, first.id))
    assert ultron.get_memory_details([first.id])[0].status == "archived"
    assert split.status == "active" and len(ultron.get_memory_sources(split.id)) == 1


def test_undoing_the_first_of_two_merges_of_one_batch_keeps_the_words_of_the_second(ultron):
    third = "Building failed in the docker image. Platform people maintain that base layer nightly."
    first = ultron.upload_memory(FIRST)
    ultron.upload_memories([{"content": AGAIN}, {"content": third}])
    decisions = rows(ultron, "SELECT * FROM merge_decisions WHERE decision = 'merge' ORDER BY created_at")
    assert [d["body_before"]["content"] == FIRST for d in decisions] == [True, False]
    ultron.unmerge(decisions[0]["id"])
    (kept,) = ultron.get_memory_details([first.id])
    assert "Platform people" in kept.content


def test_a_contribution_whose_source_is_gone_is_archived_when_its_merge_is_undone(ultron):
    first = ultron.upload_memory(FIRST)
    ultron.upload_memory(AGAIN)
    with ultron.runtime.database.transaction() as conn:  # as when its session was erased
        conn.execute(
            "DELETE FROM ultron.memory_sources WHERE id ="
            " (SELECT source_id FROM ultron.memory_contributions WHERE merged)"
        )
    split = ultron.unmerge(merge_of(ultron, first.id))
    assert (split.content, split.status) == (AGAIN, "archived")
    assert ultron.get_memory_details([first.id])[0].status == "active"


def test_undoing_merges_into_a_memory_that_was_itself_merged_later_keeps_the_others_words(ultron, embedder):
    """`late` came twice while the embedder was down and became a part of `first`; all of it is undone."""
    late = "Building failed: wheel was missing."
    first = ultron.upload_memory(FIRST)
    embedder.down = True
    ultron.upload_memories([{"content": late}, {"content": late}])
    again = one(ultron, "SELECT id FROM merge_decisions WHERE decision = 'merge'")
    embedder.down = False
    assert backfill(ultron.runtime) == 1
    split = ultron.unmerge(merge_of(ultron, first.id))
    other = ultron.unmerge(again["id"])
    assert ultron.get_memory_details([first.id])[0].content == FIRST
    assert split.content == other.content == late and split.id != other.id
    sources = rows(ultron, "SELECT count(*) AS n FROM memory_sources GROUP BY memory_id")
    assert [row["n"] for row in sources] == [1, 1, 1]


def test_who_archives_or_deletes_waits_for_an_upload_that_has_looked(ultron):
    """An upload found the memory active under the lock of its type: what it then writes must meet it so."""
    memory = ultron.upload_memory(FIRST, tags=["old"])
    context = ultron.runtime
    prepared = prepare(context, [Upload(AGAIN)])
    snapshot = context.database.run(lambda conn: take_snapshot(context, prepared, conn))
    with ThreadPoolExecutor(1) as others, context.database.transaction() as conn:
        assert holds(context, conn, prepared, snapshot, [memory.id])
        archiving = others.submit(ultron.archive_memories_by_tag, "old")
        with pytest.raises(TimeoutError):
            archiving.result(timeout=0.3)
        plan = make_plan(prepared, snapshot, context.thresholds, Judge(context))
        assert [d.memory_id for d in plan.decisions] == [memory.id]
        write_plan(context, conn, plan)
    assert archiving.result() == 1
    assert counters_off(ultron) == []


def test_a_memory_does_not_keep_the_tag_of_a_segment_that_is_gone(settings, tmp_path):
    """Two logs with the same lesson: the memory stays when one of them goes, without that one's tag."""
    one_log = write_log(tmp_path / "one.jsonl", solved("alpha", "pandas"), solved("beta", "numpy"))
    other = write_log(tmp_path / "two.jsonl", solved("alpha", "pandas"))
    with Ultron(settings) as ultron:
        ultron.ingest([one_log, other], "agent", process=True)
        shared = one(
            ultron,
            "SELECT memory_id AS id FROM memory_sources GROUP BY 1 HAVING count(DISTINCT segment_id) = 2",
        )["id"]
        before = tags_of(ultron, shared)
        assert len(before) == 2
        write_log(one_log, solved("beta", "numpy"))
        ultron.ingest([one_log], "agent", process=True)
        (kept,) = tags_of(ultron, shared)
        (lost,) = before - {kept}
        assert ultron.archive_memories_by_tag(lost) == 0
        assert ultron.archive_memories_by_tag(kept) >= 1


def tags_of(ultron, memory_id):
    """Those that tie it to segments."""
    (record,) = ultron.get_memory_details([memory_id])
    return {tag for tag in record.tags if tag.startswith("segment:")}
