"""Two processes share the work: each row is worked on once, and a dead holder's rows are taken over."""

import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import DatabaseUnreachableError
from ultron_core.steps.stages import segment
from ultron_core.steps.stages.process import process_pending, run_stage
from ultron_core.steps.stages.waiting import holders
from ultron_core.steps.stages.waiting import leases as leases_module
from ultron_core.steps.stages.waiting.leases import Leases, telling
from ultron_core.steps.stages.waiting.loop import run_batch


def rows(ultron, query):
    with ultron.runtime.database.transaction() as conn:
        return conn.execute(query).fetchall()


@pytest.fixture
def two(settings, tmp_path):
    """Two clients on one store, with ten sessions that nobody has segmented."""
    with Ultron(settings) as one, Ultron(settings) as other:
        for name in "abcdefghij":
            one.ingest(
                [write_log(tmp_path / f"{name}.jsonl", solved(name, "pandas"))], "agent", process=False
            )
        yield one, other


def test_two_at_once_do_every_row_once(two):
    start = threading.Barrier(2)

    def work(ultron):
        start.wait()
        return process_pending(ultron.runtime)

    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(work, two))
    assert sum(report.sessions for report in reports) == 10
    assert sum(report.failed + report.pending for report in reports) == 0
    (one, _) = two
    process_pending(one.runtime)  # what the other one held when this one looked
    assert rows(one, "SELECT count(*) AS n FROM task_segments WHERE labeled = 1")[0]["n"] >= 10
    assert rows(one, "SELECT * FROM leases") == []


def test_rows_that_another_process_works_on_are_left_to_it(two):
    one, other = two
    with Leases(one.runtime, "segments") as leases:
        with one.runtime.database.transaction() as conn:
            ids = [row["id"] for row in conn.execute("SELECT id FROM sessions")]
            assert leases.claim(conn, ids) == set(ids)
        assert run_batch(other.runtime, segment.STEP) == []
        keys = [row["partition_key"] for row in rows(other, "SELECT partition_key FROM sessions")]
        (report,) = run_stage(other.runtime, "segments", keys[:1])
        assert report.status == "pending" and "another process is working on it" in report.error
    assert len(run_batch(other.runtime, segment.STEP)) == 10, "free once the first one is done"


def test_the_rows_of_a_dead_holder_are_taken_over(two):
    one, other = two
    dead = Leases(one.runtime, "segments")
    with one.runtime.database.transaction() as conn:
        dead.claim(conn, [row["id"] for row in conn.execute("SELECT id FROM sessions")])
    dead._over.set()  # a killed process renews nothing
    assert run_batch(other.runtime, segment.STEP) == []
    rows(other, "UPDATE leases SET expires_at = expires_at - interval '60 seconds' RETURNING 1")
    assert len(run_batch(other.runtime, segment.STEP)) == 10


def test_a_process_that_was_killed_on_this_host_is_replaced_at_once(two):
    one, other = two
    child = subprocess.Popen(["true"])
    child.wait()
    dead = Leases(one.runtime, "segments")
    with one.runtime.database.transaction() as conn:
        dead.claim(conn, [row["id"] for row in conn.execute("SELECT id FROM sessions")])
        conn.execute("UPDATE leases SET pid = %s", [child.pid])
    dead._over.set()
    assert len(run_batch(other.runtime, segment.STEP)) == 10


def claim_all(ultron):
    """By a process that ends without a word: its lease is not renewed."""
    leases = Leases(ultron.runtime, "segments")
    with ultron.runtime.database.transaction() as conn:
        leases.claim(conn, [row["id"] for row in conn.execute("SELECT id FROM sessions")])
    leases._over.set()


def test_another_machine_of_the_same_name_keeps_its_leases(two, monkeypatch):
    """Its process has a number that means nothing here; nor does it free ours."""
    one, other = two
    elsewhere = "/".join((holders.place().split("/")[0], "another-boot", "pid:[1]"))
    with monkeypatch.context() as there:
        there.setattr(holders, "place", lambda: elsewhere)
        claim_all(one)
    rows(one, "UPDATE leases SET pid = 99999999 RETURNING 1")
    assert run_batch(other.runtime, segment.STEP) == []
    rows(other, "UPDATE leases SET expires_at = expires_at - interval '60 seconds' RETURNING 1")
    assert len(run_batch(other.runtime, segment.STEP)) == 10, (
        "dead or not, it has not renewed them for a cycle"
    )


def test_a_number_that_another_process_has_now_frees_the_leases_of_the_dead_one(two):
    """A container whose processes share the machine's numbers, or a process that lived long."""
    one, other = two
    claim_all(one)
    rows(one, "UPDATE leases SET started = 'before' RETURNING 1")
    assert len(run_batch(other.runtime, segment.STEP)) == 10


def test_a_killed_process_that_nobody_waited_for_is_replaced_at_once(two):
    one, other = two
    child = subprocess.Popen(["sleep", "60"])
    claim_all(one)
    with one.runtime.database.transaction() as conn:
        conn.execute("UPDATE leases SET pid = %s, started = %s", [child.pid, holders.started(child.pid)])
    assert run_batch(other.runtime, segment.STEP) == []
    child.kill()
    for _ in range(100):
        if done := run_batch(other.runtime, segment.STEP):
            break
        threading.Event().wait(0.1)
    assert len(done) == 10
    child.wait()


def test_where_nothing_tells_a_machine_from_another_each_process_has_a_place_of_its_own(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(holders, "_BOOT", tmp_path / "missing")
    monkeypatch.setenv("PATH", str(tmp_path))
    first, second = holders.place.__wrapped__(), holders.place.__wrapped__()
    assert first != second and first.split("/")[0] == second.split("/")[0]


def test_a_lease_lasts_as_long_as_the_work(two, monkeypatch):
    monkeypatch.setattr(leases_module, "LASTS", timedelta(seconds=0.6))
    monkeypatch.setattr(leases_module, "_RENEW_SECONDS", 0.1)
    one, other = two
    with Leases(one.runtime, "segments") as leases:
        with one.runtime.database.transaction() as conn:
            leases.claim(conn, [row["id"] for row in conn.execute("SELECT id FROM sessions")])
        threading.Event().wait(1.5)
        assert run_batch(other.runtime, segment.STEP) == []


def test_a_renewal_that_finds_no_connection_does_not_end_the_next_ones(two, monkeypatch):
    """The pool says so with an error of its own: all its connections were in use for 30 s."""
    monkeypatch.setattr(leases_module, "LASTS", timedelta(seconds=1.2))
    monkeypatch.setattr(leases_module, "_RENEW_SECONDS", 0.1)
    one, other = two
    database = one.runtime.database
    transaction, refused = database.transaction, []

    def busy():
        if threading.current_thread().name.startswith("leases of") and not refused:
            refused.append(True)
            raise DatabaseUnreachableError("No connection within 30 s: all connections are in use.")
        return transaction()

    monkeypatch.setattr(database, "transaction", busy)
    with Leases(one.runtime, "segments") as leases:
        with transaction() as conn:
            leases.claim(conn, [row["id"] for row in conn.execute("SELECT id FROM sessions")])
        threading.Event().wait(2.0)
        assert refused
        assert run_batch(other.runtime, segment.STEP) == []


def test_who_tells_and_never_ends_holds_nobody_up_for_ever(settings, monkeypatch, caplog):
    monkeypatch.setattr(leases_module, "_LONGEST_TELLING", timedelta(seconds=1))
    with Ultron(settings) as one, telling(one.runtime, "segments"), telling(one.runtime, "segments"):
        assert "this one goes on" in caplog.text


def test_when_a_process_began_is_told_alike_whatever_the_zone_of_the_caller(monkeypatch):
    told = set()
    for zone in ("UTC", "Asia/Tokyo"):
        monkeypatch.setenv("TZ", zone)
        told.add(holders._told("date", "+%H"))
    assert len(told) == 1
