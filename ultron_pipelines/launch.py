"""Start Dagster on Ultron's database: what `ultron dev` and the demo use.

The top command owns the embedded server; the processes below it get the URLs from the environment.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ultron_core.errors import StoreError, UltronError
from ultron_core.folders import make_folders, make_home
from ultron_core.settings import Settings
from ultron_core.store.database import ensure_database
from ultron_core.store.server import EmbeddedServer

__all__ = ["dagster_environment", "main", "sqlalchemy_url"]

_PROJECT = Path(__file__).resolve().parent.parent
_PACKAGE = Path(__file__).resolve().parent


@contextmanager
def dagster_environment(settings: Settings) -> Iterator[dict[str, str]]:
    """Environment variables for Dagster's processes, with both databases ready; the server stops at the end."""
    server: EmbeddedServer | None = None
    url = settings.store.database_url
    if url is None:
        server = EmbeddedServer.open(settings.store.home)
        url = server.url()
    try:
        dagster_url = settings.store.dagster_database_url or _sibling_url(url, server)
        ensure_database(dagster_url)
        yield {
            "ULTRON_HOME": str(settings.store.home),
            "ULTRON_DATABASE_URL": url,
            "ULTRON_DAGSTER_SQLALCHEMY_URL": sqlalchemy_url(dagster_url),
            "ULTRON_DAGSTER_FILES": str(settings.store.home / "dagster" / "files"),
            "DAGSTER_HOME": str(_dagster_home(settings)),
            "DAGSTER_EVENT_BATCH_SIZE": "50",
            "PYTHONWARNINGS": "ignore",
        }
    finally:
        if server is not None:
            server.close()


def sqlalchemy_url(url: str) -> str:
    """The URL with the driver named: a bare `postgresql://` would pick psycopg 3, which Dagster cannot use."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        raise StoreError(
            "ULTRON_DAGSTER_DATABASE_URL is not valid: use postgresql://user:password@host/dagster."
        )
    return f"postgresql+psycopg2://{rest}" if scheme in {"postgres", "postgresql"} else url


def _sibling_url(url: str, server: EmbeddedServer | None) -> str:
    """Database `dagster` on the same server."""
    if server is not None:
        return server.url("dagster")
    head, _, query = url.partition("?")
    base, _, _ = head.rpartition("/")
    return f"{base}/dagster" + (f"?{query}" if query else "")


def _dagster_home(settings: Settings) -> Path:
    """DAGSTER_HOME inside Ultron's home, with a copy of the project's dagster.yaml."""
    home = settings.store.home / "dagster"
    make_home(settings.store.home)
    make_folders(home / "files")
    source = next(p for p in (_PROJECT / "dagster.yaml", _PACKAGE / "dagster.yaml") if p.is_file())
    target = home / "dagster.yaml"
    if not target.exists() or target.read_bytes() != source.read_bytes():
        shutil.copyfile(source, target)
    return home


def _workspace() -> list[str]:
    for path in (_PROJECT / "workspace.yaml", _PACKAGE / "workspace.yaml"):
        if path.is_file():
            return ["-w", str(path)]
    return ["-m", "ultron_pipelines.definitions"]


def main() -> None:
    """Run webserver and daemon until stopped."""
    parser = argparse.ArgumentParser(prog="ultron dev")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=3000)
    arguments = parser.parse_args()
    try:
        code = _serve(arguments.host, arguments.port)
    except UltronError as error:
        print(f"ultron: {error}", file=sys.stderr)
        code = 1
    sys.exit(code)


def _serve(host: str, port: int) -> int:
    settings = Settings.load()
    make_home(settings.store.home)
    make_folders(settings.sessions_dir)
    with dagster_environment(settings) as variables:
        print(f"Dagster UI: http://{host}:{port}   drop folder: {settings.sessions_dir}/<agent>/", flush=True)
        command = [sys.executable, "-m", "dagster", "dev", *_workspace(), "--host", host, "--port", str(port)]
        environment = {**os.environ, **variables, "ULTRON_AUTOSTART": "1"}
        # its own process group: Ctrl-C reaches this process alone, which then ends Dagster's processes in order
        child = subprocess.Popen(command, env=environment, start_new_session=True)
        return _wait(child)


def _wait(child: subprocess.Popen[bytes]) -> int:
    """Wait for Dagster. Ctrl-C or SIGTERM asks its processes to end, then terminates, then kills them."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    while child.poll() is None and not stop.wait(0.2):
        pass
    for number, seconds in ((signal.SIGINT, 6), (signal.SIGTERM, 4), (signal.SIGKILL, 4)):
        if _group_ended(child, seconds, number):
            break
    return 0 if stop.is_set() else child.returncode or 0


def _group_ended(child: subprocess.Popen[bytes], seconds: float, number: signal.Signals) -> bool:
    """Send a signal to Dagster's process group; returns whether all of it ended in time."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, number)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        child.poll()
        try:
            os.killpg(child.pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.2)
    return False


if __name__ == "__main__":
    main()
