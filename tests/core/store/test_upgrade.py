"""The schema that all migrations make is the one that is written down, and an old database keeps its rows."""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from ultron_core.models import QualityLabel
from ultron_core.store.database import Database
from ultron_core.store.migrate import FOLDER, migrate

WRITTEN = Path(__file__).parent / "schema.txt"

NOW = datetime(2026, 1, 1, tzinfo=UTC)
#: columns of rows that a migration does not look at
OWNER = {"account_id": "default", "agent_id": "a", "created_at": NOW, "updated_at": NOW}
READ = {"content_sha256": "x", "bytes": 1, "format": "openai", "changed_at": NOW, "lines": Jsonb({})}
READ |= {"message_count": 1, "parser_version": "1"}
CUT = {"generation": 0, "thread": "main", "start_line": 1, "end_line": 1, "fingerprint": "f", "closed": True}
CUT |= {"segmenter": "1", "redaction_version": "1"}
SUMMARY = {"overall_score": 0.5, "memory_score": 0.5, "success_probability": 0.5}

SCHEMA = """
    SELECT line FROM (
    SELECT 'column ' || table_name || '.' || column_name || ' ' || udt_name
        || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END
        || coalesce(' default ' || column_default, '') AS line
    FROM information_schema.columns WHERE table_schema = 'ultron'
    UNION ALL
    SELECT 'index ' || regexp_replace(indexdef, '^CREATE ', '') FROM pg_indexes WHERE schemaname = 'ultron'
    UNION ALL
    SELECT 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'ultron'::regnamespace AND contype <> 'n'
    UNION ALL
    SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid::regclass::text IN (
        SELECT tablename FROM pg_tables WHERE schemaname = 'ultron')
    ) lines ORDER BY line COLLATE "C"
"""


@pytest.fixture
def empty(new_database):
    with Database.open(new_database()) as database:
        yield database


def insert(conn, table, **values):
    names = sql.SQL(", ").join(sql.Identifier(name) for name in values)
    places = sql.SQL(", ").join(sql.Placeholder(name) for name in values)
    conn.execute(
        sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(sql.Identifier(table), names, places), values
    )


def schema(database):
    with database.direct() as conn:
        return "".join(row["line"] + "\n" for row in conn.execute(SCHEMA))


def test_all_migrations_make_the_schema_that_is_written_down(empty):
    migrate(empty)
    made = schema(empty)
    assert made == WRITTEN.read_text("utf-8"), (
        f"the schema changed: if you meant it, write what this test made into {WRITTEN.name} and read the diff"
    )


def test_a_database_of_the_first_version_gets_the_same_schema_and_keeps_its_rows(empty, tmp_path):
    first = tmp_path / "first"
    first.mkdir()
    shutil.copytree(FOLDER / "0001_schema", first / "0001_schema")
    migrate(empty, first)
    with empty.transaction() as conn:
        conn.execute(
            "INSERT INTO memories (id, account_id, agent_id, memory_type, content, extractor, redaction_version,"
            " body_sha256, created_at, updated_at) VALUES (gen_random_uuid(), 'default', 'a', 'error', 'old words',"
            " '3', '1', 'x', now(), now())"
        )
        conn.execute(
            "INSERT INTO memory_vectors (memory_id, model_id, account_id, memory_type, status, embedding, exact)"
            " SELECT id, 'm', 'default', 'error', 'active', '[1,0]', '[1,0]' FROM memories"
        )
    migrate(empty)
    assert schema(empty) == WRITTEN.read_text("utf-8")
    with empty.transaction() as conn:
        row = conn.execute(
            "SELECT m.content, m.extractor FROM memories m JOIN memory_vectors v ON v.memory_id = m.id"
        )
        assert row.fetchone() == {"content": "old words", "extractor": "offline:3"}


def test_labels_from_before_lose_what_is_empty_in_them_and_nothing_else(empty, tmp_path):
    before = tmp_path / "before"
    before.mkdir()
    for migration in sorted(FOLDER.iterdir()):
        if migration.name < "0023":
            copy = shutil.copytree if migration.is_dir() else shutil.copy
            copy(migration, before / migration.name)
    migrate(empty, before)
    metrics = {
        "safety": {"score": 1.0, "weight": 0.0, "lines": [], "note": ""},
        "completeness": {"score": 0.5, "weight": 2.0, "lines": [3, 7], "note": ""},
        "goal_reached": {"score": 0.5, "weight": 0.0, "lines": [], "note": "no verdict in the log"},
        "own": "not an object",
    }
    labels = {
        0: {"summary": {"overall_score": 0.5}, "metrics": metrics, "labeler": "offline:1"},
        1: {"summary": {"overall_score": 0.5}, "metrics": {}, "labeler": "offline:1"},
        2: None,
        3: {"verdict": "of somebody else"},
    }
    with empty.transaction() as conn:
        session = uuid4()
        log = {**OWNER, "id": session, "session_file": "x.jsonl"}
        insert(conn, "sessions", **log, partition_key="a/x.jsonl", **READ)
        for place, label in labels.items():
            segment = {**OWNER, "id": uuid4(), "session_id": session, "session_file": "x.jsonl", **CUT}
            where = {
                "segment_index": place,
                "start_message": place,
                "end_message": place + 1,
                "occurrence": place,
            }
            insert(conn, "task_segments", **segment, **where, quality_metrics=label and Jsonb(label))
    migrate(empty)
    with empty.transaction() as conn:
        rows = conn.execute("SELECT segment_index, quality_metrics FROM task_segments").fetchall()
    kept = {
        "safety": {"score": 1.0, "weight": 0.0},
        "completeness": {"score": 0.5, "weight": 2.0, "lines": [3, 7]},
        "goal_reached": {"score": 0.5, "weight": 0.0, "note": "no verdict in the log"},
        "own": "not an object",
    }
    found = {row["segment_index"]: row["quality_metrics"] for row in rows}
    assert found == {**labels, 0: {**labels[0], "metrics": kept}}
    label = QualityLabel.from_json(
        {**labels[0], "summary": SUMMARY, "metrics": {k: kept[k] for k in list(kept)[:3]}}
    )
    assert label.metrics["safety"].lines == () and label.metrics["safety"].note == ""
