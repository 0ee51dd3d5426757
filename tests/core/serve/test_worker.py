"""The worker behind the server: it takes up what an ingest left, unless Dagster of the same home does."""

import threading
import time

import pytest

from ultron_core.folders import DAGSTER_LOCK, is_taken, make_home, only_one
from ultron_core.serve.worker import Worker
from ultron_core.steps.overview import stats


@pytest.fixture
def home(settings):
    make_home(settings.store.home)
    return settings.store.home


@pytest.fixture
def worker(backend, home):
    worker = Worker(backend, home)
    yield worker
    worker.stop()


def until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_worker_leaves_pending_work_to_dagster_and_takes_it_up_after(ultron, backend, worker, home, log):
    looks = []
    backend.roots = _Counted(backend.roots, looks)
    ultron.ingest([log], "a", over=True)
    waiting = stats(ultron.runtime)["waiting"]
    assert not is_taken(home / DAGSTER_LOCK)
    with only_one(home / DAGSTER_LOCK) as alone:
        assert alone and is_taken(home / DAGSTER_LOCK)
        worker.start()
        for round_ in (1, 2):  # the second look begins when the first has ended
            worker.wake()
            until(lambda round_=round_: len(looks) >= round_)
        assert any(waiting.values()) and stats(ultron.runtime)["waiting"] == waiting
    worker.wake()
    until(lambda: not any(stats(ultron.runtime)["waiting"].values()))
    assert ultron.get_memory_stats()["total"] == 1


def test_a_server_that_ends_does_not_wait_for_long_work(backend, home, monkeypatch, caplog):
    begun, over = threading.Event(), threading.Event()

    def long_work(*_, **__):
        begun.set()
        over.wait(60)

    monkeypatch.setattr(backend.ultron, "process_pending", long_work)
    worker = Worker(backend, home)
    worker.start()
    assert begun.wait(60)
    worker.stop(0.2)
    assert "the next start takes it up again" in caplog.text
    over.set()
    worker.stop()
    assert caplog.text.count("under way") == 1


class _Counted(list):
    """Roots that note when the worker asks for them, once a look."""

    def __init__(self, roots, looks):
        super().__init__(roots)
        self._looks = looks

    def __bool__(self):
        self._looks.append(1)
        return True
