"""A server as a process of its own, with a home and a database of its own."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.conftest import drop_database, with_database
from ultron_core.store.database import ensure_database


@dataclass
class Running:
    home: Path
    env: dict
    process: subprocess.Popen | None = None

    @property
    def address(self):
        return json.loads((self.home / "serve.json").read_text())["address"]

    @property
    def key(self):
        return (self.home / "access.key").read_text().strip()

    def start(self, *arguments):
        self.process = subprocess.Popen(
            [*PROGRAM, "serve", "--port", "0", *arguments],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return self.wait()

    def wait(self, seconds=120):
        """Until it is ready."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if self.ask("GET", "/health").json()["data"]["status"] == "ready" and self.key:
                    return self
            except (OSError, httpx.HTTPError, ValueError):
                assert self.process is None or self.process.poll() is None, self.process.stdout.read()
            time.sleep(0.1)
        raise AssertionError("the server did not become ready")

    def ask(self, method, path, **more):
        headers = {"Authorization": f"Bearer {self.key}"} if (self.home / "access.key").exists() else {}
        return httpx.request(method, self.address + path, headers=headers, timeout=60, **more)

    def settle(self, seconds=60):
        """Until the worker has taken up everything, also what hooks noted: a server is ready before it reads that."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            noted = list(
                (self.home / "spool").glob("*.json")
            )  # before what waits: a note goes once its log waits
            waiting = self.ask("GET", "/stats").json()["data"]["waiting"]
            if not noted and not any(waiting.values()):
                return
            time.sleep(0.2)
        raise AssertionError(f"still waiting: {noted}, {waiting}")

    def stop(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(60) == 0, self.process.stdout.read()
            self.process = None

    def run(self, *command, **more):
        """A command of this installation, such as `ultron-hook`, as a client starts it."""
        return subprocess.run(command, env=self.env, capture_output=True, timeout=120, **more)


PROGRAM = [sys.executable, "-m", "ultron_core.cli.main"]
SCRIPTS = Path(sys.executable).parent


def make_running(server_url, folder):
    """Yields a server that is not started yet; its database goes at the end."""
    name = f"ultron_test_{secrets.token_hex(6)}"
    url = with_database(server_url, name)
    ensure_database(url)
    env = {key: value for key, value in os.environ.items() if not key.startswith("ULTRON_")}
    env |= {
        "ULTRON_HOME": str(folder / "home"),
        "ULTRON_DATABASE_URL": url,
        "ULTRON_OFFLINE": "1",
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
    }
    running = Running(folder / "home", env)
    try:
        yield running
    finally:
        if running.process is not None and running.process.poll() is None:
            running.process.kill()
            running.process.wait()
        drop_database(server_url, name)
