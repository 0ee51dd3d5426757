"""Twenty seeded kills while 300 files go through `ultron dev`: the store ends as if nothing had happened, and Dagster
knows of it.

Victims are runs at work, PostgreSQL, the daemon, and the code server with its runs, in an order that a seed draws, a
few seconds apart; a run is waited for. The moments that chance rarely hits are in test_moments.py.
"""

import math
import os
import random
import re
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
SEED = int(os.environ.get("ULTRON_FAULT_SEED", "20"))
#: of twenty victims; fewer are the first ones in the drawn order
VICTIMS = ("worker",) * 8 + ("postgres",) * 4 + ("daemon",) * 4 + ("code server",) * 4
#: seconds of a quiet machine (see `comes`): until `ultron dev` is up, within which it must be back, until there is
#: one to kill, and after which nothing more is expected: two cycles of the sensors and the start of a run
START, BACK, AT_WORK, STUCK = 60, 30, 120, 180
COMMANDS = {"daemon": "dagster._daemon", "code server": "host.code_server"}


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
        if kind == "worker":
            return [child for parent in self._below("forkserver") for child in parent.children()]
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
        """Whether there was one to kill: what is being started again is not there for a while."""
        try:
            victim = self.victims(kind)[0]
            victim.send_signal(signal.SIGKILL)
        except (IndexError, OSError, psutil.NoSuchProcess):
            return False
        # a killed process is gone at once, but for its entry: else it would pass for the new one
        psutil.wait_procs([victim], timeout=5)
        return True

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

    def labelled(self):
        """How many tasks the runs say they labelled anew."""
        rows = self.rows("SELECT event FROM event_logs WHERE dagster_event_type = 'ASSET_MATERIALIZATION'")
        return sum(
            int(n)
            for (event,) in rows
            for n in re.findall(r'"value": (\d+)}, "label": "newly_labeled"', event)
        )

    def unfinished(self):
        return self.rows(
            "SELECT run_id, status, pipeline_name FROM runs WHERE status NOT IN ('SUCCESS', 'FAILURE', 'CANCELED')"
        )

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def quiet_seconds(since):
    """Seconds since then as a quiet machine has them: where four want two cores, a second is half a one."""
    running = int(Path("/proc/loadavg").read_text().split()[3].split("/")[0])
    return (time.monotonic() - since) / max(1.0, running / (os.cpu_count() or 1))


def comes(condition, seconds):
    """Seconds of a quiet machine until the condition held; infinite where that took longer than so many.

    What else runs on this machine may take most of it: a bound on the clock would measure that.
    """
    passed, looked = 0.0, time.monotonic()
    while passed < seconds:
        try:
            if condition():
                return passed
        except psycopg.Error:  # the server is being started again
            pass
        time.sleep(0.5)
        passed, looked = passed + quiet_seconds(looked), time.monotonic()
    return math.inf


def settles(dev):
    """Waits until every partition is told and no run is left, as long as there is progress."""
    whole, seen = (dict.fromkeys(ASSETS, FILES_DROPPED), []), None

    def moved():
        nonlocal seen
        before, seen = seen, (dev.told(), sorted(dev.unfinished()))
        return seen == whole or seen != before

    while seen != whole:
        assert comes(moved, STUCK) < STUCK, f"stuck for {STUCK} s: {seen}"


def test_kills_leave_the_store_and_its_events_as_if_nothing_had_happened(tmp_path):
    drop = drop_files(tmp_path / "sessions", FILES_DROPPED)
    expected = undisturbed(settings_of(tmp_path / "quiet", drop))
    settings = settings_of(tmp_path / "home", drop)
    draw = random.Random(SEED)
    order = draw.sample(VICTIMS, len(VICTIMS))[:KILLS]
    with Ultron(settings) as ultron:
        dev = Dev(settings.store.home, drop, tmp_path / "dev.log", ultron.server)
        try:
            assert comes(dev.is_up, START) < START, "ultron dev did not start"
            for number, kind in enumerate(order):
                time.sleep(draw.uniform(0.5, 5))
                killed = comes(lambda: dev.kill(kind), AT_WORK)  # noqa: B023 - called at once
                assert killed < AT_WORK, f"no {kind} to kill"
                back = comes(dev.is_up, BACK)
                print(f"{number} {kind}: found after {killed:.1f} s, back after {back:.1f} s", flush=True)
                assert back < BACK, f"not back {BACK} s after kill {number}, of the {kind}"
            settles(dev)
            labelled = dev.labelled()
        finally:
            dev.stop()
    with Ultron(settings) as ultron:
        assert digest(ultron) == expected
        with ultron.runtime.database.connection() as conn:
            ((tasks,),) = (row.values() for row in conn.execute("SELECT count(*) FROM ultron.task_segments"))
            assert 0 < labelled <= tasks, (
                "no task was labelled by two runs; what a killed run did, none tells"
            )
            assert conn.execute("SELECT * FROM ultron.leases").fetchall() == []
