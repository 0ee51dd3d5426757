"""Where the server of a home is, how it is asked, and how it is started in the background."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

__all__ = ["Answer", "Away", "ask", "default_home", "note", "start", "wait_until_ready"]

Answer = tuple[int, bytes, str]
#: a longer log is begun anew
_MOST_LOG = 1_000_000


class Away(Exception):
    """No server answers for this home."""


def default_home() -> Path:
    """ULTRON_HOME, else the user's data folder. `ultron connect` writes the home into the commands that it enters."""
    if os.environ.get("ULTRON_HOME"):
        return Path(os.environ["ULTRON_HOME"]).expanduser()
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "ultron"


def ask(
    home: Path,
    method: str,
    path: str,
    body: bytes | None = None,
    *,
    agent: str | None = None,
    timeout: float,
    headers: dict[str, str] | None = None,
) -> Answer:
    """Status, body and content type of one request. Raises Away when nobody answers in time."""
    try:
        where = urlsplit(json.loads((home / "serve.json").read_text("utf-8"))["address"])
        key = os.environ.get("ULTRON_ACCESS_KEY") or (home / "access.key").read_text("utf-8")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Away(f"no server has written its address into {home}") from error
    sent: dict[str, str | bytes] = {
        "Authorization": f"Bearer {key.strip()}",
        "Content-Type": "application/json",
        # as bytes: names are of any script, headers latin-1
        **({"X-Ultron-Agent": agent.encode()} if agent else {}),
        **(headers or {}),
    }
    connection = http.client.HTTPConnection(where.hostname or "127.0.0.1", where.port, timeout=timeout)
    try:
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.getheader("Content-Type") or ""
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Away(f"{where.netloc} does not answer: {type(error).__name__}") from error
    finally:
        connection.close()


def start(home: Path) -> None:
    """Start the server of this home in the background; a second one ends by itself."""
    home.mkdir(parents=True, exist_ok=True)
    with open(os.open(home / "serve.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as log:
        subprocess.Popen(
            [sys.executable, "-m", "ultron_core.cli.main", "--home", str(home), "serve", "--background"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=home,
            start_new_session=True,
        )


def wait_until_ready(home: Path, seconds: float) -> bool:
    """Whether a server with its models loaded answers within so many seconds."""
    until = time.monotonic() + seconds
    while True:
        try:
            status, body, _ = ask(home, "GET", "/health", timeout=2)
            if status == 200 and json.loads(body)["data"]["status"] == "ready":
                return True
        except (Away, ValueError):
            pass  # it is not there yet
        if time.monotonic() > until:
            return False
        time.sleep(0.1)


def note(home: Path, text: str) -> None:
    """One line into the log of the bridge."""
    path = home / "bridge.log"
    home.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > _MOST_LOG:
        path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as log:
        log.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {text}\n")
