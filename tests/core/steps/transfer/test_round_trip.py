"""Memories out and in again: into another database, account or embedder, with all that belongs to them."""

import json

import pytest

from tests.core.steps.transfer.worlds import (
    FACTS,
    NEAR,
    OtherEmbedder,
    fill,
    lines_of,
    memories_of,
    open_as,
    rewrite,
)
from tests.support.claims import again, said, segments_of
from tests.support.memories import one, rows
from tests.support.recount import counters_off
from ultron_core.steps.rows.origins import hand_over
from ultron_core.store import content_digest
from ultron_core.store.registry import CARRIED, ERASURE, NOT_CARRIED


@pytest.fixture
def out(settings, tmp_path):
    """An open store with one of everything, and its export with vectors."""
    with open_as(settings) as ultron:
        fill(ultron, tmp_path)
        ultron.export_memories(tmp_path / "out", vectors=True)
        yield ultron, tmp_path / "out"


@pytest.fixture
def target(settings, new_database):
    """Opens accounts of another database."""
    url = new_database()
    opened = []

    def make(account="default", embedder=None):
        opened.append(open_as(settings, account, embedder, url))
        return opened[-1]

    yield make
    for ultron in opened:
        ultron.close()


def carried(ultron):
    """The rows of all carried tables as text, those of memories too; a part names a session of its own store."""
    local = {"memory_contributions": "- 'session_id'"}
    return {
        table: sorted(
            row["row"]
            for row in rows(
                ultron, f"SELECT (to_jsonb(t) {local.get(table, '')})::text AS row FROM {table} t"
            )
        )
        for table in ("memories", *CARRIED)
    }


def test_another_database_has_the_very_same_rows(out, target):
    """But for sources, whose log is not there: they tell it in words."""
    source, folder = out
    other = target()
    done = other.import_memories(folder)
    assert (done.new, done.known, done.conflicts) == (source.get_memory_stats()["total"], 0, ())
    assert done.vectors == done.new and done.embedded == 0 and done.links == 1
    assert memories_of(other) == memories_of(source)
    here, there = carried(source), carried(other)
    assert {table for table in here if here[table] != there[table]} == {"memory_sources"}
    assert all(here.values()), "every table has a row"
    assert counters_off(other) == []
    vectors = "SELECT memory_id, model_id, exact::text AS v FROM memory_vectors ORDER BY 1"
    assert rows(other, vectors) == rows(source, vectors)


def test_every_column_is_carried_as_it_stands(settings, target, tmp_path):
    """A new column goes along by itself: here each has a value that no default gives."""
    with open_as(settings) as source:
        fill(source, tmp_path)
        for table in ("memories", *CARRIED):
            _plant(source, table)
        source.export_memories(tmp_path / "planted")
        other = target()
        other.import_memories(tmp_path / "planted")
        here, there = carried(source), carried(other)
        for table in here:
            if table != "memory_sources":
                assert here[table] == there[table], table
        kept = (
            "SELECT to_jsonb(s) - '{session_id,segment_id,raw_upload_id,cited,project}'::text[] AS row"
            " FROM memory_sources s ORDER BY id"
        )
        assert rows(other, kept) == rows(source, kept)


#: what a column of a type is given that no default gives
PLANTED = {
    "text": "'planted {name}'",
    "_text": "ARRAY['planted {name}']",
    "int4": "77",
    "int8": "77",
    "float4": "0.77",
    "float8": "0.77",
    "bool": "NOT {name}",
    "timestamptz": "'2025-01-02 03:04:05.678901+00'",
    "jsonb": """'{{"content": "planted"}}'""",
}
#: an import compares these
WORDS = {"content", "context", "resolution", "body_sha256"}


def _plant(ultron, table):
    """A value of its own in every column of a table, but for keys and for those with a list of values."""
    columns = rows(
        ultron,
        "SELECT a.attname AS name, t.typname AS type FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid"
        " WHERE a.attrelid = %(t)s::regclass AND a.attnum > 0 AND NOT a.attisdropped AND NOT EXISTS ("
        "   SELECT 1 FROM pg_constraint c WHERE c.conrelid = a.attrelid AND a.attnum = ANY(c.conkey)"
        "     AND c.contype IN ('p', 'f', 'c') AND pg_get_constraintdef(c.oid) NOT LIKE '%%probability%%')",
        t=f"ultron.{table}",
    )
    planted = [
        f"{column['name']} = {PLANTED[column['type']].format(name=column['name'])}"
        for column in columns
        if column["type"] in PLANTED and column["name"] not in WORDS | {"account_id"}
    ]
    with ultron.runtime.database.transaction() as conn:
        conn.execute(f"UPDATE {table} SET {', '.join(planted)}")


def test_the_lines_are_read_without_ultron(out):
    _, folder = out
    line = next(line for line in lines_of(folder) if line["content"].startswith(FACTS[0]))
    assert list(line)[:4] == ["content", "context", "resolution", "tags"]
    assert line["tags"] == ["t", "again"] and len(line["sources"]) == len(line["contributions"]) == 3
    assert [row["decision"] for row in line["decisions"]] == ["insert", "merge", "merge"]
    assert line["verdicts"][0]["verdict"] == "confirmed" and line["usage"]["hit_count"] > 1
    from_log = next(line for line in lines_of(folder) if line["sources"][0]["log"])
    log = from_log["sources"][0]["log"]
    assert log["agent_id"] == "agent" and log["session_file"].endswith("log.jsonl")
    assert from_log["sources"][0]["quote"] and from_log["sources"][0]["start_line"]
    assert all("account_id" not in line for line in lines_of(folder))


def test_lines_can_be_uploaded_as_they_are(out, target):
    _, folder = out
    words = [{k: line[k] for k in ("content", "context", "resolution", "tags")} for line in lines_of(folder)]
    assert len(target().upload_memories(words)) == len(words)


def test_importing_twice_changes_nothing(out, target):
    _, folder = out
    other = target()
    first = other.import_memories(folder)
    before = carried(other), rows(other, "SELECT xmin::text, * FROM memory_search ORDER BY memory_id")
    clusters = rows(other, "SELECT * FROM cluster_members ORDER BY memory_id")
    again = other.import_memories(folder)
    assert (again.new, again.known, again.conflicts, again.links) == (0, first.new, (), 0)
    assert (
        carried(other),
        rows(other, "SELECT xmin::text, * FROM memory_search ORDER BY memory_id"),
    ) == before
    assert rows(other, "SELECT * FROM cluster_members ORDER BY memory_id") == clusters


def test_into_the_store_that_it_left_nothing_is_new(out):
    source, folder = out
    before = carried(source)
    done = source.import_memories(folder)
    assert done.new == 0 and done.conflicts == () and carried(source) == before


def test_what_was_deleted_comes_back_to_its_task(out):
    source, folder = out
    before = content_digest(source.runtime.database)
    for row in rows(source, "SELECT id FROM memories"):
        source.delete_memory(row["id"])
    done = source.import_memories(folder)
    assert done.cited == 0 and content_digest(source.runtime.database) == before
    assert rows(source, "SELECT 1 FROM memory_sources WHERE segment_id IS NOT NULL")


def test_another_account_of_the_same_database_has_its_own_rows(out, settings):
    source, folder = out
    before = content_digest(source.runtime.database)
    with open_as(settings, "other") as other:
        done = other.import_memories(folder)
        assert done.conflicts == () and memories_of(other) == memories_of(source)
        assert other.import_memories(folder).new == 0
        assert counters_off(other) == [] and content_digest(source.runtime.database) == before
        (hit,) = other.search_memories("wheel docker build", limit=1, record_hits=False)
        assert source.get_memory_details([hit.record.id]) == []
        (row,) = rows(other, "SELECT count(*) AS n FROM memory_links WHERE account_id = 'other'")
        assert row["n"] == 1


def test_another_embedder_makes_its_own_vectors(out, target):
    source, folder = out
    other = target(embedder=OtherEmbedder(NEAR))
    done = other.import_memories(folder)
    assert done.vectors == 0 and done.embedded == done.new and memories_of(other) == memories_of(source)
    assert {row["model_id"] for row in rows(other, "SELECT model_id FROM memory_vectors")} == {"other-stub"}
    assert counters_off(other) == []


def test_an_embedder_that_is_down_leaves_vectors_to_back_filling(settings, target, tmp_path):
    with open_as(settings) as source:
        fill(source, tmp_path)
        source.export_memories(tmp_path / "bare")
    other = target()
    other.runtime.embedder.down = True
    done = other.import_memories(tmp_path / "bare")
    assert (done.vectors, done.embedded) == (0, 0) and done.new == 6
    other.runtime.embedder.down = False
    other.process_pending()
    assert counters_off(other) == [] and len(rows(other, "SELECT 1 FROM memory_vectors")) >= 5


def test_what_is_here_otherwise_is_listed_and_stays(out, target):
    _, folder = out
    other = target()
    mine = other.upload_memory("The linter wants 2 blank lines.", resolution="Add them.")
    assert {c.reason for c in other.import_memories(folder).conflicts} == {"same_words"}
    (edited,) = rows(other, "SELECT id FROM memories WHERE content = %(c)s", c=FACTS[2])
    other.update_memory(edited["id"], content="I prefer 4 spaces.")
    done = other.import_memories(folder)
    told = {conflict.reason: conflict for conflict in done.conflicts}
    assert told["same_words"].other == mine.id
    assert told["differs"].id == edited["id"] and "content" in told["differs"].fields
    assert (
        one(other, "SELECT content FROM memories WHERE id = %(i)s", i=edited["id"])["content"]
        == "I prefer 4 spaces."
    )


def test_what_was_merged_since_is_a_conflict(out, target):
    """Its parts are another memory's here: brought in once more it would have none."""
    _, folder = out
    other = target()
    other.import_memories(folder)
    found = {row["content"]: row["id"] for row in rows(other, "SELECT id, content FROM memories")}
    gone, kept = found[FACTS[2]], found[FACTS[3]]
    with other.runtime.database.transaction() as conn:
        hand_over(other.runtime, conn, gone, kept, pending=False)
    other.delete_memory(gone)
    (conflict,) = other.import_memories(folder).conflicts
    assert (conflict.reason, conflict.id, conflict.other) == ("merged", gone, kept)


def test_a_source_without_its_log_is_shown_in_words_and_goes_on_with_the_next_export(out, target, tmp_path):
    source, folder = out
    other = target()
    other.import_memories(folder)
    (here,) = [
        s
        for r in rows(source, "SELECT id FROM memories WHERE lesson <> ''")[:1]
        for s in source.get_memory_sources(r["id"])[:1]
    ]
    (there,) = [
        s
        for s in other.get_memory_sources(
            one(other, "SELECT memory_id FROM memory_sources WHERE id = %(i)s", i=here.id)["memory_id"]
        )
        if s.id == here.id
    ]
    same = ("agent_id", "session_file", "partition_key", "start_line", "end_line", "quote", "topic", "trust")
    assert [getattr(there, name) for name in same] == [getattr(here, name) for name in same]
    assert there.session_id is None and here.session_id is not None
    other.export_memories(tmp_path / "next", vectors=True)
    assert lines_of(tmp_path / "next") == lines_of(folder)


def test_two_sessions_that_are_not_here_still_count_as_two(settings, target, tmp_path):
    """What an agent said in both is proven by that, also once the memory is looked at again."""
    with open_as(settings) as source:
        first, second = segments_of(source, "a.jsonl", "one"), segments_of(source, "b.jsonl", "two")
        record = said(source, first[0], "The cache lives in /tmp/cache-7.")
        said(source, second[0], "The cache lives in /tmp/cache-7.")
        assert again(source, record).proof == "repeated"
        source.export_memories(tmp_path / "said")
    other = target()
    other.import_memories(tmp_path / "said")
    other.upload_memory("The cache lives in /tmp/cache-7.")
    kept = one(other, "SELECT status, proof FROM memories WHERE id = %(i)s", i=record.id)
    assert (kept["status"], kept["proof"]) == ("active", "repeated")


def test_every_table_of_a_memory_is_carried_or_has_a_reason():
    of_memories = {table for table, rule in ERASURE.items() if rule == "memory"} - {"memories"}
    assert of_memories == set(CARRIED) | set(NOT_CARRIED)


def test_an_older_export_has_the_defaults_of_columns_that_came_later(out, target):
    _, folder = out

    def before(line):
        line.pop("vector_refusals")
        line.pop("lesson")
        return line

    rewrite(folder, before)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"schema": "0020_sft_drafted"}))
    other = target()
    assert other.import_memories(folder).conflicts == ()
    assert {row["vector_refusals"] for row in rows(other, "SELECT vector_refusals FROM memories")} == {0}
