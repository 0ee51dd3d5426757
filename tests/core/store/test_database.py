import psycopg
import pytest
from psycopg import errors

from ultron_core.errors import DatabaseUnreachableError, PgvectorMissingError
from ultron_core.store import database as database_module
from ultron_core.store.database import Database, check_pgvector, describe_url, ensure_database


def test_a_transaction_is_undone_by_an_error(database):
    with database.connection() as conn:
        conn.execute("CREATE TABLE IF NOT EXISTS public.scratch (id int)")
    with pytest.raises(ZeroDivisionError), database.transaction() as conn:
        conn.execute("INSERT INTO scratch VALUES (1)")
        raise ZeroDivisionError
    with database.connection() as conn:
        assert conn.execute("SELECT count(*) AS n FROM scratch").fetchone() == {"n": 0}
        conn.execute("DROP TABLE scratch")


def test_vectors_come_back_as_vectors_and_times_in_utc(database):
    with database.connection() as conn:
        row = conn.execute("SELECT '[1,2]'::halfvec AS v, current_setting('TimeZone') AS zone").fetchone()
    assert row["v"].to_list() == [1, 2]
    assert row["zone"] == "UTC"


def waiting(url, waits):
    database = Database(url, sleep=waits.append, jitter=lambda: 0.5)
    database._pool.open()
    return database


def test_a_deadlock_is_tried_again_with_growing_waits(database_url):
    waits, calls = [], []

    def work(conn):
        calls.append(1)
        if len(calls) < 3:
            raise errors.DeadlockDetected("deadlock")
        return conn.execute("SELECT 7 AS n").fetchone()["n"]

    with waiting(database_url, waits) as database:
        assert database.run(work) == 7
    assert waits == [0.05, 0.1]


def test_a_killed_connection_is_replaced(database_url):
    waits, calls = [], []

    def work(conn):
        calls.append(1)
        if len(calls) == 1:
            with psycopg.connect(database_url, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s)", [conn.info.backend_pid])
        return conn.execute("SELECT 7 AS n").fetchone()["n"]

    with waiting(database_url, waits) as database:
        assert database.run(work) == 7
    assert len(calls) == 2


def test_work_of_several_transactions_keeps_what_it_committed_and_starts_anew(database, database_url):
    pids = []

    def work(conn):
        pids.append(conn.info.backend_pid)
        conn.execute("CREATE TEMPORARY TABLE notes (id int)")  # would fail, had the last one left its own
        conn.execute("CREATE TABLE IF NOT EXISTS public.kept (id int)")
        if len(pids) == 1:
            with psycopg.connect(database_url, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, 1000)", [conn.info.backend_pid])
        return conn.execute("SELECT count(*) AS n FROM kept, notes").fetchone()["n"]

    assert database.run_session(work) == database.run_session(work) == 0
    assert len(pids) == 3 and pids[0] != pids[1]
    with pytest.raises(ZeroDivisionError), database.transaction() as conn:
        conn.execute("DROP TABLE public.kept")
        raise ZeroDivisionError
    with database.transaction() as conn:  # the connection is one of transactions again
        conn.execute("DROP TABLE public.kept")


def test_a_connection_that_died_while_idle_is_not_given_out(database_url, monkeypatch):
    monkeypatch.setattr(database_module, "IDLE_SECONDS", 0.0)
    with Database.open(database_url) as database:
        with database.transaction() as conn:
            first = conn.info.backend_pid
        with psycopg.connect(database_url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 1000)", [first])
        with database.transaction() as conn:  # no second try here: the caller's block runs once
            assert conn.execute("SELECT 7 AS n").fetchone()["n"] == 7
            assert conn.info.backend_pid != first


def test_nobody_holds_locks_for_ever(database):
    with database.transaction() as conn:
        shown = [conn.execute(f"SHOW {name}").fetchone()[name] for name in (
            "idle_in_transaction_session_timeout", "client_connection_check_interval")]  # fmt: skip
    assert shown == ["5min", "10s"]


def test_other_errors_are_not_tried_again(database_url):
    waits = []
    with waiting(database_url, waits) as database, pytest.raises(errors.UndefinedTable):
        database.run(lambda conn: conn.execute("SELECT * FROM nothing_here"))
    assert waits == []


@pytest.mark.parametrize(
    "url", ["postgresql://me:s3cr3tword@127.0.0.1:1/x", "postgresql://me:s3cr3tword@[bad/x", "s3cr3tword"]
)
def test_an_unreachable_database_is_named_without_its_password(url):
    with pytest.raises(DatabaseUnreachableError) as caught:
        Database.open(url)
    assert "s3cr3tword" not in str(caught.value) + describe_url(url)


@pytest.mark.parametrize("version", [None, "0.7.4"])
def test_a_missing_or_old_pgvector_says_what_to_do(version):
    with pytest.raises(PgvectorMissingError, match="CREATE EXTENSION vector"):
        check_pgvector(version)


def test_a_missing_database_is_made_and_kept(new_database):
    url = new_database()
    with psycopg.connect(url) as conn:
        conn.execute("CREATE TABLE kept (id int)")
    ensure_database(url)
    with psycopg.connect(url) as conn:
        assert conn.execute("SELECT count(*) FROM kept").fetchone() == (0,)
