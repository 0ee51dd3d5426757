"""Single memories: read, change, delete, archive by tag, undo a merge, lose a source."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from tests.support.memories import LockWatch, StubEmbedder, axis, one, rows, tables_holding
from tests.support.recount import counters_off
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError, NotFoundError
from ultron_core.steps.rows.status import retract_from_segment, settle
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


SECRET = "quicksilver"


@pytest.fixture
def reworded(ultron):
    """A memory of two parts, edited twice, whose older words all hold SECRET."""
    memory = ultron.upload_memory(f"{FIRST} Ask {SECRET} about it.", tags=[SECRET])
    ultron.upload_memory(f"{AGAIN} It was {SECRET}'s image.", agent_id="other", context=f"at {SECRET}")
    rows(ultron, "UPDATE memory_sources SET quote = 'said by quicksilver' RETURNING 1")
    ultron.update_memory(memory.id, content=f"{FIRST} {SECRET} knows.", changed_by="ann")
    return memory


def test_a_purge_leaves_the_old_words_in_no_table(ultron, reworded):
    assert "memory_versions" in tables_holding(ultron, SECRET)
    merge = merge_of(ultron, reworded.id)
    ultron.archive_memory(reworded.id)
    ultron.unarchive_memory(reworded.id)
    now = ultron.update_memory(
        reworded.id, content=FIRST, context="", tags=["build"], changed_by="bob", purge=True
    )
    assert (now.content, now.tags, now.trust) == (FIRST, ["build"], "human")
    assert tables_holding(ultron, SECRET) == set()
    known = ultron.get_memory_history(reworded.id)
    assert [(row["changed_by"], row["content"]) for row in known["versions"]] == [("bob", ""), ("ann", "")]
    told = [(row["decision"], row["reason"]) for row in known["decisions"]]
    assert told == [
        ("insert", "first_of_its_type"),
        ("merge", "words_purged"),
        ("archive", "by_hand"),
        ("return", "by_hand"),
    ]
    with pytest.raises(InputError, match="purged with an edit"):
        ultron.unmerge(merge)
    assert [hit.record.id for hit in ultron.search_memories("wheel missing in docker")] == [reworded.id]
    assert not counters_off(ultron)


def test_a_purge_without_other_words_takes_the_older_ones_alone(ultron, reworded):
    clean = ultron.update_memory(reworded.id, content=FIRST, context="", tags=[])
    purged = ultron.update_memory(reworded.id, purge=True)
    assert (purged.content, purged.version, purged.trust) == (FIRST, clean.version, "human")
    assert tables_holding(ultron, SECRET) == set()


def test_a_purge_leaves_other_memories_their_words(ultron, reworded):
    other = ultron.upload_memory(f"The cake of {SECRET} needs vanilla sugar.")
    ultron.update_memory(reworded.id, content=FIRST, context="", tags=[], purge=True)
    holding = "SELECT memory_id FROM memory_contributions WHERE content LIKE '%%' || %(word)s || '%%'"
    assert [row["memory_id"] for row in rows(ultron, holding, word=SECRET)] == [other.id]


def test_what_is_merged_after_a_purge_can_be_undone(ultron, reworded):
    ultron.update_memory(reworded.id, content=FIRST, context="", tags=[], trust="upload", purge=True)
    ultron.upload_memory(AGAIN, agent_id="third")
    split = ultron.unmerge(merge_of(ultron, reworded.id))
    assert split.content == AGAIN
    (kept,) = ultron.get_memory_details([reworded.id])
    assert kept.content == FIRST and not counters_off(ultron)


def test_an_agents_words_that_were_only_retagged_stay_an_agents_after_a_purge(settings, tmp_path):
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(tmp_path / "run.jsonl", solved("parser", "yaml"))], "coder", process=True)
        (found,) = ultron.browse.memories().rows
        ultron.update_memory(found.id, tags=["x"])
        purged = ultron.update_memory(found.id, purge=True)
        assert (purged.trust, purged.proof, purged.status) == (found.trust, found.proof, found.status)


def test_a_loss_of_a_source_after_a_purge_leaves_the_editors_words(settings):
    """Parts that say what the memory says are its editor's: nobody else stands behind it when one of them goes."""
    with Ultron(settings, embedder=StubEmbedder(NEAR)) as ultron:
        memory = ultron.upload_memory(FIRST)
        ultron.upload_memory(AGAIN, agent_id="other")
        ultron.update_memory(memory.id, content="The image lacks wheel.", purge=True)
        source = ultron.get_memory_sources(memory.id)[0]
        with ultron.runtime.database.transaction() as conn:
            conn.execute("DELETE FROM memory_sources WHERE id = %(id)s", {"id": source.id})
            settle(ultron.runtime, conn, [memory.id])
        (kept,) = ultron.get_memory_details([memory.id])
        assert (kept.content, kept.trust, kept.proof) == ("The image lacks wheel.", "human", "person")


def test_history_tells_archiving_and_returning_with_the_cause(ultron):
    memory = ultron.upload_memory(FIRST, tags=["old"])
    ultron.archive_memory(memory.id)
    ultron.archive_memory(memory.id)  # it is archived already: nothing happened
    ultron.unarchive_memory(memory.id)
    ultron.archive_memories_by_tag("old")
    ultron.upload_memory(FIRST)
    told = [
        (row["decision"], row["reason"], row["decided_by"])
        for row in ultron.get_memory_history(memory.id)["decisions"]
    ]
    assert [one for one in told if one[0] in ("archive", "return")] == [
        ("archive", "by_hand", "person"),
        ("return", "by_hand", "person"),
        ("archive", "by_tag", "person"),
        ("return", "given_again", "rules"),
    ]


def test_history_tells_verdicts_that_bring_back_links_and_hits(ultron):
    first = ultron.upload_memory(FIRST)
    ultron.upload_memory(AGAIN)
    split = ultron.unmerge(merge_of(ultron, first.id))
    ultron.judge_memory(first.id, "junk")
    ultron.judge_memory(first.id, "useful")
    known = ultron.get_memory_history(first.id)
    causes = [row["reason"] for row in known["decisions"] if row["decision"] in ("archive", "return")]
    assert causes == ["judged_junk", "judged_useful"]
    (link,) = known["links"]
    assert (link["other_id"], link["kind"], link["newer"], link["reason"]) == (
        split.id,
        "similar_to",
        False,
        "unmerged",
    )
    assert ultron.get_memory_history(split.id)["links"][0]["newer"]
    before = known["hits"]["count"]
    ultron.get_memory_details([first.id])
    hits = ultron.get_memory_history(first.id)["hits"]
    assert hits["count"] == before + 2 and hits["last"] is not None


def test_several_are_archived_brought_back_and_deleted_or_none(ultron):
    ids = [ultron.upload_memory(text).id for text in (FIRST, "I prefer tabs.", "The relay is down.")]
    for act in (ultron.archive_memories, ultron.unarchive_memories, ultron.delete_memories):
        with pytest.raises(NotFoundError, match="nothing was changed"):
            act([*ids, uuid4()])
        assert ultron.get_memory_stats()["by_status"]["active"] == 3
    assert {record.status for record in ultron.archive_memories(ids)} == {"archived"}
    rows(ultron, "DELETE FROM memory_sources WHERE memory_id = %(id)s RETURNING 1", id=ids[0])
    with pytest.raises(InputError, match=f"{ids[0]} cannot come back"):
        ultron.unarchive_memories(ids)
    assert ultron.get_memory_stats()["by_status"]["archived"] == 3
    assert {record.status for record in ultron.unarchive_memories(ids[1:])} == {"active"}
    ultron.delete_memories(ids)
    assert ultron.get_memory_stats()["total"] == 0 and not counters_off(ultron)
