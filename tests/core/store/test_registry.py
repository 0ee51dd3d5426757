"""Every table with user data has a rule for erasure, and the rule is what the schema does."""

from ultron_core.store.registry import ERASURE, OF_AGENT


def cascades(conn, parent):
    """Tables whose rows go with a row of `parent`, or with a row that goes with it."""
    found = conn.execute(
        "WITH RECURSIVE gone AS (SELECT %(parent)s::regclass::oid AS id UNION"
        " SELECT c.conrelid FROM pg_constraint c JOIN gone ON c.confrelid = gone.id"
        " WHERE c.contype = 'f' AND c.confdeltype = 'c')"
        " SELECT id::regclass::text AS name FROM gone WHERE id <> %(parent)s::regclass",
        {"parent": parent},
    ).fetchall()
    return {row["name"] for row in found}


def test_no_table_is_missing(database):
    with database.connection() as conn:
        tables = conn.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'ultron' AND tablename <> 'schema_migrations'"
        ).fetchall()
    assert {row["tablename"] for row in tables} == set(ERASURE)


def test_rows_that_go_with_a_session_or_a_memory_really_do(database):
    with database.connection() as conn:
        with_session, with_memory = cascades(conn, "sessions"), cascades(conn, "memories")
        with_segment = cascades(conn, "task_segments")
    assert {name for name, rule in ERASURE.items() if rule == "session"} <= with_session
    assert {name for name, rule in ERASURE.items() if rule == "segment"} <= with_segment & with_session
    assert {name for name, rule in ERASURE.items() if rule == "memory"} - {"memories"} <= with_memory


def test_every_table_but_the_shared_bytes_names_its_account(database):
    with database.connection() as conn:
        rows = conn.execute(
            "SELECT table_name FROM information_schema.columns"
            " WHERE table_schema = 'ultron' AND column_name = 'account_id'"
        ).fetchall()
    assert set(ERASURE) - {row["table_name"] for row in rows} == {"raw_blobs"}


def test_whatever_names_an_agent_goes_with_its_sessions_and_memories_or_by_itself(database):
    with database.connection() as conn:
        rows = conn.execute(
            "SELECT table_name FROM information_schema.columns"
            " WHERE table_schema = 'ultron' AND column_name = 'agent_id'"
        ).fetchall()
    gone = {"sessions", *(name for name, rule in ERASURE.items() if rule in ("session", "memory", "kept"))}
    assert {row["table_name"] for row in rows} - gone <= set(OF_AGENT)
