"""Twenty seeded kills while 300 files go through `ultron dev`: the store ends as if nothing had happened, and Dagster
knows of it.

Victims are runs at work, PostgreSQL, the daemon, and the code server with its runs, in an order that a seed draws, a
few seconds apart; a run is waited for. The moments that chance rarely hits are in test_moments.py.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import psycopg

from tests.faults.world import ASSETS, digest, drop_files, settings_of, undisturbed
from ultron_core.client import Ultron

FILES_DROPPED = int(os.environ.get("ULTRON_FAULT_FILES", "300"))
KILLS = int(os.environ.get("ULTRON_FAULT_KILLS", "20"))
SEED = 20
#: of twenty victims; fewer are the first ones in the drawn order
VICTIMS = ("worker",) * 8 + ("postgres",) * 4 + ("daemon",) * 4 + ("code server",) * 4
#: seconds after which `ultron dev` must be back, where it has a core for itself; until a run is at work; and after
#: which nothing more is expected: two cycles of the sensors and the start of a run on a busy machine
BACK, AT_WORK, STUCK = 30, 240, 240
COMMANDS = {"worker": "spawn_main", "daemon": "dagster._daemon", "code server": "host.code_server"}


class Dev:
    """`ultron dev` on a home of its own, on the embedded server that the test holds too."""

    def __init__(self, home: Path, sessions: Path, log: Path, server):
        self.log, self.url = log, server.url("dagster")
        self._pid_file = Path(server.describe()["data"]) / "postmaster.pid"
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

    def victims(self, kind):
        if kind == "postgres":
            return [psutil.Process(int(self._pid_file.read_text().splitlines()[0]))]
        return self._below(COMMANDS[kind])

    def _below(self, word):
        """Processes below the supervisor whose command has this word."""
        found = []
        for process in psutil.Process(self.process.pid).children(recursive=True):
            try:
                if word in " ".join(process.cmdline()):
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def is_up(self):
        assert self.process.poll() is None, self.log.read_text()[-2000:]
        return bool(self._below(COMMANDS["code server"]) and self._below(COMMANDS["daemon"])) and self.rows(
            "SELECT true"
        )

    def kill(self, kind):
        victims = self.victims(kind)
        victims[0].send_signal(signal.SIGKILL)
        # a killed process is gone at once, but for its entry: else it would pass for the new one
        psutil.wait_procs(victims[:1], timeout=5)

    def rows(self, query):
        with psycopg.connect(self.url, connect_timeout=5) as conn:
            return conn.execute(query).fetchall()

    def told(self):
        """Partitions with a materialization by asset."""
        rows = self.rows(
            "SELECT asset_key, count(DISTINCT partition) FROM event_logs "
            "WHERE dagster_event_type = 'ASSET_MATERIALIZATION' AND partition IS NOT NULL GROUP BY 1"
        )
        return {key.strip('[]"'): count for key, count in rows}

    def unfinished(self):
        return self.rows(
            "SELECT run_id, status, pipeline_name FROM runs WHERE status NOT IN ('SUCCESS', 'FAILURE', 'CANCELED')"
        )

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def comes(condition, seconds):
    """Whether the condition holds within so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if condition():
                return True
        except psycopg.Error:  # the server is being started again
            pass
        time.sleep(0.5)
    return False


def settles(dev):
    """Waits until every partition is told and no run is left, as long as there is progress."""
    whole, done, seen, since = dict.fromkeys(ASSETS, FILES_DROPPED), False, None, time.monotonic()

    def look():
        nonlocal done, seen, since
        now = dev.told(), sorted(dev.unfinished())
        done = now == (whole, [])
        if now != seen:
            seen, since = now, time.monotonic()
        return done or time.monotonic() - since > STUCK

    assert comes(look, 1800) and done, f"stuck for {STUCK} s: {seen}"


def test_kills_leave_the_store_and_its_events_as_if_nothing_had_happened(tmp_path):
    drop = drop_files(tmp_path / "sessions", FILES_DROPPED)
    expected = undisturbed(settings_of(tmp_path / "quiet", drop))
    settings = settings_of(tmp_path / "home", drop)
    draw = random.Random(SEED)
    order = draw.sample(VICTIMS, len(VICTIMS))[:KILLS]
    with Ultron(settings) as ultron:
        dev = Dev(settings.store.home, drop, tmp_path / "dev.log", ultron._server)
        try:
            assert comes(dev.is_up, 120), "ultron dev did not start"
            for number, kind in enumerate(order):
                time.sleep(draw.uniform(0.5, 5))
                assert kind != "worker" or comes(lambda: dev.victims("worker"), AT_WORK), "no run started"
                dev.kill(kind)
                patience = BACK * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
                assert comes(dev.is_up, patience), (
                    f"not back {patience:.0f} s after kill {number}, of the {kind}"
                )
            settles(dev)
        finally:
            dev.stop()
    with Ultron(settings) as ultron:
        assert digest(ultron) == expected
        with ultron.runtime.database.connection() as conn:
            assert conn.execute("SELECT * FROM ultron.leases").fetchall() == []
