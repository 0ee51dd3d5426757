"""The schema that all migrations make is the one that is written down, and an old database keeps its rows."""

import shutil
from pathlib import Path

import pytest

from ultron_core.store.database import Database
from ultron_core.store.migrate import FOLDER, migrate

WRITTEN = Path(__file__).parent / "schema.txt"

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
