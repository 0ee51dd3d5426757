"""Twenty seeded kills while 300 files go through `ultron dev`: the store ends as if nothing had happened, and Dagster
knows of it.

Victims are the daemon, the code server with its runs, a run alone, and PostgreSQL; when each is killed is drawn, so
that some kills fall between a commit and its event and between segments and windows.
"""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.steps.stages.table import FILES, STAGES
from ultron_core.store.digest import content_digest

FILES_DROPPED = int(os.environ.get("ULTRON_FAULT_FILES", "300"))
KILLS = int(os.environ.get("ULTRON_FAULT_KILLS", "20"))
#: seconds after which `ultron dev` must be back, two cycles of the sensors, and the end of the patience
BACK, SETTLED = 30, 420
ASSETS = (FILES, *(stage.name for stage in STAGES))


def settings_of(home, sessions):
    return Settings(
        store=StoreSettings(home=home),
        llm=LLMSettings(offline=True),
        sessions=SessionSettings(sessions_dir=sessions, quiet_minutes=0),
    )


@pytest.fixture
def drop(tmp_path):
    """Files that settled long ago."""
    folder = tmp_path / "sessions"
    for number in range(FILES_DROPPED):
        name = f"part{number}"
        tasks = [solved(name, f"lib{number}")] if number % 5 == 0 else [task(name), task(f"{name}b")]
        path = write_log(folder / "agent" / f"{number:04}.jsonl", *tasks)
        os.utime(path, (time.time() - 600,) * 2)
    return folder


def windows_digest(database):
    query = """SELECT s.session_file, w.thread, w.place, w.digest FROM ultron.message_windows w
        JOIN ultron.sessions s ON s.id = w.session_id ORDER BY 1, 2, 3"""
    with database.connection() as conn:
        rows = [tuple(row.values()) for row in conn.execute(query)]
    return len(rows), hashlib.sha256(repr(rows).encode()).hexdigest()


def undisturbed(tmp_path, drop):
    with Ultron(settings_of(tmp_path / "quiet", drop)) as ultron:
        ultron.ingest([drop / "agent"], "agent", process=True)
        return content_digest(ultron.runtime.database), windows_digest(ultron.runtime.database)


class Dev:
    """`ultron dev` on a home of its own."""

    def __init__(self, home: Path, sessions: Path, log: Path):
        self.home = home
        environment = {
            **os.environ,
            "ULTRON_HOME": str(home),
            "ULTRON_SESSIONS_DIR": str(sessions),
            "ULTRON_OFFLINE": "1",
            "ULTRON_SESSION_QUIET_MINUTES": "0",
            "ULTRON_RUN_FILES": "50",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ultron_pipelines.host.launch", "--port", "3987"],
            env=environment, stdout=log.open("wb"), stderr=subprocess.STDOUT,
        )  # fmt: skip

    def below(self, *words):
        """Processes below the supervisor whose command has these words."""
        found = []
        for process in psutil.Process(self.process.pid).children(recursive=True):
            try:
                command = " ".join(process.cmdline())
            except psutil.Error:
                continue
            if all(word in command for word in words):
                found.append(process)
        return found

    def victims(self, kind):
        if kind == "postgres":
            (pid_file,) = self.home.rglob("postmaster.pid")
            return [psutil.Process(int(pid_file.read_text().splitlines()[0]))]
        if kind == "worker":
            return self.below("spawn_main")
        return self.below({"daemon": "dagster._daemon", "code server": "api grpc"}[kind])

    def kill(self, kind):
        """Whether somebody was there to be killed."""
        try:
            victims = self.victims(kind)
        except (psutil.Error, ValueError, IndexError):
            return False
        for victim in victims[:1]:
            victim.send_signal(signal.SIGKILL)
        return bool(victims)

    def is_up(self):
        return self.process.poll() is None and bool(self.below("api grpc") and self.below("dagster._daemon"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def dagster_says(url, query):
    with psycopg.connect(url, connect_timeout=5) as conn:
        return conn.execute(query).fetchall()


def told(url):
    """Partitions with a materialization by asset."""
    rows = dagster_says(
        url,
        "SELECT asset_key, count(DISTINCT partition) FROM event_logs "
        "WHERE dagster_event_type = 'ASSET_MATERIALIZATION' AND partition IS NOT NULL GROUP BY 1",
    )
    return {key.strip('[]"'): count for key, count in rows}


def unfinished(url):
    return dagster_says(
        url, "SELECT run_id, status FROM runs WHERE status NOT IN ('SUCCESS', 'FAILURE', 'CANCELED')"
    )


def until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except psycopg.Error:  # the server is being started again
            pass
        assert time.monotonic() < deadline, what() if callable(what) else what
        time.sleep(1)


def test_kills_leave_the_store_and_its_events_as_if_nothing_had_happened(tmp_path, drop):
    expected = undisturbed(tmp_path, drop)
    home = tmp_path / "home"
    settings = settings_of(home, drop)
    with Ultron(settings) as ultron:  # knows the address of the embedded server
        dagster = ultron._server.url("dagster")
        dev = Dev(home, drop, tmp_path / "dev.log")
        try:
            until(dev.is_up, 120, "ultron dev did not start")
            draw = random.Random(20)
            killed: list[str] = []
            while len(killed) < KILLS:
                time.sleep(draw.uniform(1, 9))
                # a run is there only while it works: where none is, somebody else dies
                kind = draw.choice(["worker", "worker", "daemon", "code server", "postgres"])
                if not dev.kill(kind) and not dev.kill(kind := draw.choice(["daemon", "code server"])):
                    continue
                killed.append(kind)
                until(dev.is_up, BACK, f"not back {BACK} s after {kind} was killed")
            whole = dict.fromkeys(ASSETS, FILES_DROPPED)
            until(lambda: told(dagster) == whole and not unfinished(dagster), SETTLED,
                  lambda: f"{told(dagster)} {unfinished(dagster)}")  # fmt: skip
            assert dev.process.poll() is None
        finally:
            dev.stop()
    with Ultron(settings) as ultron:
        found = content_digest(ultron.runtime.database), windows_digest(ultron.runtime.database)
        with ultron.runtime.database.connection() as conn:
            leases = conn.execute("SELECT * FROM ultron.leases").fetchall()
    assert found == expected
    assert leases == []
