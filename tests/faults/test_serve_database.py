"""`ultron serve` whose database is killed: it comes back, requests fail for ten seconds at most, nothing is lost."""

import json
import os
import signal
import subprocess
import threading
import time
from itertools import pairwise
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.core.serve.running import PROGRAM, Running
from ultron_core.store.server.place import choose_place
from ultron_core.store.server.process import read_pid_file

CLIENTS, KILLS = 8, int(os.environ.get("ULTRON_FAULT_DATABASE_KILLS", "3"))
#: seconds within which requests work again, and by which `/health` may be behind
BACK, BEHIND = 10, 1.5
#: the longest that any request may take meanwhile, also where others use the machine: it was 30 and more
LONGEST = 15


class Serving(Running):
    """A server on an embedded database of its own."""

    @property
    def place(self):
        return choose_place(self.home)

    @property
    def postmaster(self):
        return read_pid_file(self.place).pid

    def kill_database(self):
        os.kill(self.postmaster, signal.SIGKILL)

    def database_answers(self):
        there = read_pid_file(self.place)
        try:
            psycopg.connect(
                host=str(there.socket_dir), dbname="ultron", user="ultron", connect_timeout=2
            ).close()
        except psycopg.Error:
            return False
        return True

    def status(self):
        return httpx.get(f"{self.address}/health", timeout=2).json()["data"]["status"]


@pytest.fixture
def serving(tmp_path):
    env = {name: value for name, value in os.environ.items() if not name.startswith("ULTRON_")}
    env |= {"ULTRON_HOME": str(tmp_path / "home"), "ULTRON_OFFLINE": "1", "HOME": str(tmp_path)}
    serving = Serving(tmp_path / "home", env)
    yield serving.start()
    if serving.process is not None and serving.process.poll() is None:
        serving.stop()


class Client(threading.Thread):
    """Uploads one memory after the other, each with words of its own, and notes what was acknowledged when."""

    def __init__(self, serving, number, stop):
        super().__init__()
        self.serving, self.number, self.stop = serving, number, stop
        self.tried, self.acknowledged = [], []

    def run(self):
        headers = {"Authorization": f"Bearer {self.serving.key}"}
        with httpx.Client(base_url=self.serving.address, headers=headers, timeout=30) as http:
            count = 0
            while not self.stop.is_set():
                count += 1
                words = f"Client {self.number} noted as item {count} that valve {self.number * 1000 + count} sticks"
                began = time.monotonic()
                answer = http.post("/memories/upload", json={"content": words})
                self.tried.append((began, time.monotonic(), answer.status_code))
                if answer.status_code == 200:
                    self.acknowledged.append(answer.json()["data"]["id"])
                else:
                    assert answer.status_code == 503 and answer.headers["retry-after"], answer.text
                    time.sleep(0.1)


class Watcher(threading.Thread):
    """What `/health` said, and whether the database answered, four times a second."""

    def __init__(self, serving, stop):
        super().__init__()
        self.serving, self.stop, self.seen = serving, stop, []

    def run(self):
        while not self.stop.wait(0.25):
            before = self.serving.database_answers()
            status = self.serving.status()
            self.seen.append((time.monotonic(), status, before, self.serving.database_answers()))

    def wrong(self):
        """Moments at which it said other than what had been so for longer than it may be behind."""
        wrong = []
        for at, status, _, _ in self.seen:
            recent = [b and a for when, _, b, a in self.seen if 0 <= at - when <= BEHIND]
            wanted = {"ready" if answers else "degraded" for answers in recent}
            if status not in wanted:
                wrong.append((at, status, recent))
        return wrong


def test_requests_of_eight_clients_work_again_within_ten_seconds_and_nothing_acknowledged_is_lost(serving):
    stop = threading.Event()
    clients = [Client(serving, number, stop) for number in range(CLIENTS)]
    watcher = Watcher(serving, stop)
    for thread in (*clients, watcher):
        thread.start()
    kills = []
    for _ in range(KILLS):
        time.sleep(4)
        kills.append(time.monotonic())
        serving.kill_database()
        until(
            lambda: all(c.tried and c.tried[-1][2] == 200 and c.tried[-1][0] > kills[-1] for c in clients), 60
        )
    time.sleep(2)
    stop.set()
    for thread in (*clients, watcher):
        thread.join()
    for client in clients:
        failed = [(began, ended) for began, ended, status in client.tried if status != 200]
        for killed, after in pairwise([*kills, float("inf")]):
            times = [ended - killed for began, ended in failed if killed <= ended < after]
            print(
                f"client {client.number}: {len(times)} failed, until {max(times, default=0):.1f} s after the kill"
            )
            assert max(times, default=0) < BACK
        longest = max(ended - began for began, ended, _ in client.tried)
        print(f"client {client.number}: {len(client.tried)} requests, the longest took {longest:.1f} s")
        assert longest < LONGEST
    assert {status for _, status, _, _ in watcher.seen} == {"ready", "degraded"}
    assert watcher.wrong() == []
    sent = [memory for client in clients for memory in client.acknowledged]
    assert len(sent) > 20
    for begin in range(0, len(sent), 50):
        found = serving.ask("POST", "/memories/details", json={"ids": sent[begin : begin + 50]}).json()[
            "data"
        ]
        assert {one["id"] for one in found} == set(sent[begin : begin + 50])


def until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("command", ["stats", "sessions"])
def test_a_command_that_finds_its_server_without_a_database_starts_it_again(serving, command):
    serving.kill_database()
    done = serving.run(*PROGRAM, command)
    assert done.returncode == 0, done.stderr
    assert serving.database_answers()
    until(lambda: serving.status() == "ready", BACK)


def test_a_stop_while_the_database_cannot_come_back_takes_ten_seconds_at_most(serving):
    control = serving.place.data_dir / "global" / "pg_control"
    whole = control.read_bytes()
    control.write_bytes(b"")
    try:
        serving.kill_database()
        until(lambda: serving.status() == "degraded", 5)
        asked = serving.ask("GET", "/stats")
        assert asked.status_code == 503 and asked.headers["retry-after"]
        assert seconds_to_stop(serving) < 10
    finally:
        control.write_bytes(whole)


def test_a_stop_while_requests_hang_takes_ten_seconds_at_most(serving):
    there = read_pid_file(serving.place)
    holds = psycopg.connect(host=str(there.socket_dir), dbname="ultron", user="ultron")
    holds.execute("LOCK TABLE ultron.api_keys, ultron.memories IN ACCESS EXCLUSIVE MODE")
    asking = [
        subprocess.Popen(
            ["curl", "-s", "-H", f"Authorization: Bearer {serving.key}", f"{serving.address}/stats"]
        )
        for _ in range(CLIENTS + 4)
    ]
    time.sleep(2)
    assert serving.status() == "ready", "no thread is left, and it answers"
    assert seconds_to_stop(serving) < 10
    for one in asking:
        one.kill()
        one.wait()
    holds.close()
    assert not Path(serving.place.data_dir, "postmaster.pid").exists(), "its database has stopped, too"


def seconds_to_stop(serving):
    began = time.monotonic()
    serving.process.send_signal(signal.SIGTERM)
    assert serving.process.wait(60) == 0
    took = time.monotonic() - began
    print(f"stopped after {took:.1f} s")
    return took


def test_a_server_tells_that_it_loads_and_takes_nothing_until_it_is_ready(tmp_path):
    env = {name: value for name, value in os.environ.items() if not name.startswith("ULTRON_")}
    env |= {"ULTRON_HOME": str(tmp_path / "home"), "ULTRON_OFFLINE": "1", "HOME": str(tmp_path)}
    serving = Serving(tmp_path / "home", env)
    serving.process = subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        until((serving.home / "serve.json").exists, 60)
        seen = []
        while "ready" not in seen:
            asked = httpx.post(
                f"{serving.address}/memories/upload",
                json={"content": "x"},
                headers={"Authorization": "Bearer ult_0a1b2c3d4e5f_" + "a" * 43},
            )
            seen.append(serving.status())
            if seen[-1] == "loading":
                assert (
                    asked.status_code == 503 and json.loads(asked.content)["error"]["code"] == "unavailable"
                )
        assert set(seen) == {"loading", "ready"} and seen == sorted(seen)
    finally:
        serving.stop()
