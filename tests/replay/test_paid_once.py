"""Nothing is paid twice: every answer that arrived counts, whatever happens to the process afterwards."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.gold import sessions
from tests.support.model.recorded import Recorded, notes
from tests.support.model.server import model_server
from tests.support.walk import stored, with_server
from ultron_core.client import Ultron

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("baby-encryption", "car-makers", "copy-files", "house-price", "zh-select-test")
PATHS = [session.path for session in sessions() if session.name in SMALL]


def key(request):
    return hashlib.sha256(json.dumps(request["messages"], sort_keys=True).encode()).hexdigest()


class Paid:
    """Gives the recorded answers and counts them; at some requests it kills the asking process instead."""

    def __init__(self, kill_at=()):
        self.answers, self.answered, self.asked = Recorded(), Counter(), 0
        self._kill_at, self.process = set(kill_at), None

    def __call__(self, handler, request):
        self.asked += 1
        if self.asked in self._kill_at:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            return
        self.answered[key(request)] += 1
        self.answers(handler, request)


@pytest.mark.slow
def test_a_process_that_is_killed_pays_for_no_answer_again(settings, plain, database):
    paid = Paid(kill_at=(2, 5))
    with model_server() as server:
        server.always = paid
        with Ultron(settings, **plain) as ultron:
            ultron.ingest(PATHS, "agent")
        runs = 0
        while runs < 10:
            runs += 1
            arguments = [settings.store.database_url, str(settings.store.home), server.url]
            command = [sys.executable, "-m", "tests.support.process_once", *arguments]
            paid.process = subprocess.Popen(command, cwd=ROOT)
            if paid.process.wait(timeout=60) == 0:
                break
            with database.transaction() as conn:  # time passes: nobody renews what the dead process held
                conn.execute("UPDATE leases SET expires_at = clock_timestamp()")
        assert runs == 3, "two kills, and the run that completes"
        with Ultron(with_server(settings, server), **plain) as ultron:
            assert ultron.process_pending()["pending"] == 0
            done = stored(ultron, server, {}, {})
    assert set(paid.answered.values()) == {1}
    assert len(done.segments) == len(SMALL)
    assert len(done.memories) == len(notes(*SMALL))


def test_the_same_logs_under_other_names_cost_nothing(settings, plain, tmp_path):
    paid = Paid()
    with model_server() as server:
        server.always = paid
        with Ultron(with_server(settings, server), **plain) as ultron:
            ultron.ingest(PATHS, "agent", process=True)
            asked = paid.asked
            copies = [tmp_path / f"copy-{path.name}" for path in PATHS]
            for copy, path in zip(copies, PATHS, strict=True):
                copy.write_bytes(path.read_bytes())
            ultron.ingest(copies, "other", process=True)
    assert paid.asked == asked


def test_a_log_that_grows_is_paid_for_once_when_it_is_quiet(settings, plain, tmp_path):
    """Eight appends, each followed by a cycle, cost what the whole log costs in one go."""
    quiet = settings.model_copy(
        update={"sessions": settings.sessions.model_copy(update={"quiet_minutes": 30})}
    )
    lines = (
        next(s.path for s in sessions() if s.name == "zh-questions").read_bytes().splitlines(keepends=True)
    )
    log, now, paid = tmp_path / "live.jsonl", [datetime(2026, 11, 22, 9, tzinfo=UTC)], Paid()
    with model_server() as server:
        server.always = paid
        with Ultron(with_server(quiet, server), clock=lambda: now[0], **plain) as ultron:
            for end in range(3, len(lines) + 1):
                log.write_bytes(b"".join(lines[:end]))
                os.utime(log, (now[0].timestamp(),) * 2)
                ultron.ingest([log], "agent", process=True)
                now[0] += timedelta(minutes=2)
            assert paid.asked == 0, "somebody is still writing"
            now[0] += timedelta(minutes=30)
            ultron.process_pending()
            done = stored(ultron, server, {}, {})
    assert len(done.segments) == 5 and all(segment["labeler"] for segment in done.segments)
    assert set(paid.answered.values()) == {1}
    assert paid.asked == 1, "one call for the cuts and all tasks"
