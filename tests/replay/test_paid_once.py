"""Nothing is paid twice: every answer that arrived counts, whatever happens to the process afterwards."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support import hostile
from tests.support.good_faith import GoodFaith, sessions
from tests.support.model_server import model_server
from tests.support.walk import stored, with_server
from ultron_core.client import Ultron

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("baby-encryption", "car-makers", "copy-files", "house-price", "zh-select-test")
PATHS = [session.path for session in sessions() if session.name in SMALL]


def key(request):
    return hashlib.sha256(json.dumps(request["messages"], sort_keys=True).encode()).hexdigest()


class Paid:
    """Answers in good faith and counts what it answered; at some requests it kills the asking process instead."""

    def __init__(self, kill_at=()):
        self.good, self.answered, self.asked = GoodFaith(), Counter(), 0
        self._kill_at, self.process = set(kill_at), None

    def __call__(self, handler, request):
        self.asked += 1
        if self.asked in self._kill_at:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            return
        self.answered[key(request)] += 1
        handler._send(200, hostile.said(self.good(request)))


@pytest.mark.slow
def test_a_process_that_is_killed_pays_for_no_answer_again(settings, plain):
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
        assert runs == 3, "two kills, and the run that completes"
        with Ultron(with_server(settings, server), **plain) as ultron:
            assert ultron.process_pending()["pending"] == 0
            done = stored(ultron, server, {}, {})
    assert set(paid.answered.values()) == {1}
    assert len(done.segments) == len(SMALL)
    assert len(done.memories) == sum(len(t.memories) for s in sessions() if s.name in SMALL for t in s.tasks)


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
