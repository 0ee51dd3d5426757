"""Killed at any moment, run again: the same content as if nothing had happened."""

import os
import signal
import subprocess
import sys
import time

import psycopg
import pytest

from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.settings import SessionSettings
from ultron_core.store import content_digest

WORK = """
import sys
from ultron_core.client import Ultron
from ultron_core.settings import Settings
settings = Settings.model_validate_json(sys.stdin.read())
with Ultron(settings) as ultron:
    print("ready", flush=True)
    ultron.ingest([sys.argv[1]], "agent", process=True)
"""


@pytest.fixture
def logs(tmp_path):
    """Twelve logs; some share a solved error, so that merges are in it."""
    packages = ["pandas", "requests", "lxml", "numpy"]
    for number in range(12):
        name = f"part{number}"
        write_log(
            tmp_path / "logs" / f"{name}.jsonl", solved(name, packages[number % 4]), task(f"more{number}")
        )
    return tmp_path / "logs"


def start(settings, logs):
    """The work in a process of its own, past its start-up."""
    process = subprocess.Popen(
        [sys.executable, "-c", WORK, str(logs)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process.stdin.write(settings.model_dump_json())
    process.stdin.close()
    assert process.stdout.readline() == "ready\n"
    return process


def with_url(settings, url):
    return settings.model_copy(update={"store": settings.store.model_copy(update={"database_url": url})})


#: moments by what is stored: while reading, cutting, judging, extracting
MOMENTS = (
    "SELECT count(*) >= 3 FROM sessions",
    "SELECT count(*) >= 4 FROM task_segments",
    "SELECT count(*) >= 4 FROM task_segments WHERE labeled <> 0",
    "SELECT count(*) >= 1 FROM memories",
)


def kill_when(process, url, condition):
    """SIGKILL as soon as the condition holds; the work must still be going on then."""
    with psycopg.connect(url, autocommit=True, options="-c search_path=ultron,public") as conn:
        deadline = time.monotonic() + 60
        while not conn.execute(condition).fetchone()[0]:
            assert process.poll() is None and time.monotonic() < deadline, f"never seen: {condition}"
            time.sleep(0.005)
    assert process.poll() is None, "the work was over before it could be killed"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.slow
def test_a_killed_run_that_is_run_again_ends_in_the_same_content(settings, logs, new_database):
    undisturbed = with_url(settings, new_database())
    with Ultron(undisturbed) as ultron:
        ultron.ingest([logs], "agent", process=True)
        ultron.clusters.run_initial_clustering()
        expected = content_digest(ultron.runtime.database, clusters=True)
    for condition in MOMENTS:
        disturbed = with_url(settings, new_database())
        kill_when(start(disturbed, logs), disturbed.store.database_url, condition)
        with Ultron(disturbed) as ultron:
            ultron.ingest([logs], "agent", process=True)
            ultron.clusters.run_initial_clustering()
            assert content_digest(ultron.runtime.database, clusters=True) == expected, (
                f"killed when {condition}"
            )


def test_a_log_that_grew_ends_in_the_content_of_one_read_at_once(settings, tmp_path, new_database):
    tasks = [solved("alpha", "pandas"), task("beta"), solved("gamma", "lxml")]
    once, grown = with_url(settings, new_database()), with_url(settings, new_database())
    path = tmp_path / "log.jsonl"
    with Ultron(grown) as ultron:
        for upto in (1, 2, 3):
            write_log(path, *tasks[:upto])
            ultron.ingest([path], "agent", process=True)
        by_growth = content_digest(ultron.runtime.database)
        with ultron.runtime.database.transaction() as conn:
            # words of a segment that was cut again belong to the segment that gives them now
            left = conn.execute(
                "SELECT count(*) AS n FROM memory_contributions WHERE source_id IS NULL"
            ).fetchone()
        assert left["n"] == 0
    with Ultron(once) as ultron:
        ultron.ingest([path], "agent", process=True)
        assert content_digest(ultron.runtime.database) == by_growth


def test_doing_it_again_changes_no_digest_and_a_changed_word_does(settings, tmp_path):
    path = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))
    with Ultron(settings) as ultron:
        ultron.ingest([path], "agent", process=True)
        before = content_digest(ultron.runtime.database)
        ultron.ingest([path], "agent", process=True)
        assert content_digest(ultron.runtime.database) == before
        write_log(path, solved("alpha", "polars"))
        ultron.ingest([path], "agent", process=True)
        assert content_digest(ultron.runtime.database) != before


def test_an_open_task_is_not_judged_until_the_log_is_quiet(settings, tmp_path):
    live = settings.model_copy(update={"sessions": SessionSettings(quiet_minutes=30)})
    path = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))
    with Ultron(live) as ultron:
        ultron.ingest([path], "agent", process=True)
        stats = ultron.trajectory_service.get_trajectory_stats()["segments"]
        assert (stats["total"], stats["open"], stats["labeled"]) == (1, 1, 0)
    os.utime(path, (time.time() - 3600,) * 2)
    with Ultron(settings) as ultron:
        ultron.process_pending()
        stats = ultron.trajectory_service.get_trajectory_stats()["segments"]
        assert (stats["open"], stats["labeled"], stats["memory_extracted"]) == (0, 1, 1)
