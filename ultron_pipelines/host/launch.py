"""Start Dagster on Ultron's database: what `ultron dev` and the demo use.

The top command owns the embedded server; the processes below it get the URLs from the environment.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from ultron_core.display import plain
from ultron_core.errors import SettingsError, StoreError, UltronError
from ultron_core.folders import make_folders, make_home
from ultron_core.settings import Settings
from ultron_core.store.database import ensure_database, sibling_url
from ultron_core.store.server import EmbeddedServer
from ultron_core.store.watch import DatabaseWatch
from ultron_pipelines.host.supervise import dagster_parts, only_one, supervise

__all__ = ["dagster_environment", "main", "sqlalchemy_url"]

_PACKAGE = Path(__file__).resolve().parents[1]
_PROJECT = _PACKAGE.parent


@contextmanager
def dagster_environment(settings: Settings) -> Iterator[dict[str, str]]:
    """Environment variables for Dagster's processes, with both databases ready; the server stops at the end."""
    server: EmbeddedServer | None = None
    url = settings.store.database_url
    if url is None:
        server = EmbeddedServer.open(settings.store.home)
        url = server.url()
    try:
        dagster_url = settings.store.dagster_database_url or sibling_url(url, "dagster")
        ensure_database(dagster_url)
        yield {
            "ULTRON_HOME": str(settings.store.home),
            "ULTRON_DATABASE_URL": url,
            "ULTRON_DAGSTER_SQLALCHEMY_URL": sqlalchemy_url(dagster_url),
            "DAGSTER_HOME": str(_dagster_home(settings)),
            "DAGSTER_EVENT_BATCH_SIZE": "500",
            "DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS": "300",  # of 60: one look at 20,000 keys on a busy machine
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


def _dagster_home(settings: Settings) -> Path:
    """DAGSTER_HOME inside Ultron's home, with a copy of the dagster.yaml of the settings, else of the project."""
    home = settings.store.home / "dagster"
    make_home(settings.store.home)
    make_folders(home)
    given = settings.runs.dagster_yaml
    if given is not None and not given.is_file():
        raise SettingsError(f"ULTRON_DAGSTER_YAML: {given} is not a file.")
    source = given or next(p for p in (_PROJECT / "dagster.yaml", _PACKAGE / "dagster.yaml") if p.is_file())
    target = home / "dagster.yaml"
    if not target.exists() or target.read_bytes() != source.read_bytes():
        shutil.copyfile(source, target)
    return home


def main() -> None:
    """Run webserver and daemon until stopped."""
    parser = argparse.ArgumentParser(prog="ultron dev")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=3000)
    arguments = parser.parse_args()
    try:
        code = _serve(arguments.host, arguments.port)
    except UltronError as error:
        print(f"ultron: {plain(str(error))}", file=sys.stderr)
        code = 1
    sys.exit(code)


def _serve(host: str, port: int) -> int:
    settings = Settings.load()
    make_home(settings.store.home)
    make_folders(settings.sessions_dir)
    with (
        only_one(settings.store.home),
        _embedded(settings) as server,
        dagster_environment(settings) as variables,
        closing(DatabaseWatch(variables["ULTRON_DATABASE_URL"])) as watch,
        TemporaryDirectory(prefix="ultron-dev-") as folder,
    ):
        print(f"Dagster UI: http://{host}:{port}   drop folder: {settings.sessions_dir}/<agent>/", flush=True)
        return supervise(
            dagster_parts(Path(folder), host, port),
            {**os.environ, **variables, "ULTRON_AUTOSTART": "1"},
            revive_database=lambda: server is not None and not watch.answers() and server.revive(),
            say=lambda text: print(f"ultron: {plain(text)}", file=sys.stderr, flush=True),
        )


def _embedded(settings: Settings) -> AbstractContextManager[EmbeddedServer | None]:
    return nullcontext() if settings.store.database_url else EmbeddedServer.open(settings.store.home)


if __name__ == "__main__":
    main()
