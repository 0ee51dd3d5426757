"""What every test may ask for: a database of its own, settings that touch nothing outside, a clean environment."""

import os
import secrets
import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings as hypothesis_settings
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.store.database import Database, ensure_database
from ultron_core.store.migrate import migrate
from ultron_core.store.server import EmbeddedServer

hypothesis_settings.register_profile("ultron", deadline=None)
hypothesis_settings.load_profile("ultron")

GIVEN_URL = os.environ.get("ULTRON_TEST_DATABASE_URL") or os.environ.get("ULTRON_DATABASE_URL")
HOME_VARIABLE = "ULTRON_TEST_HOME"  # set by the first process, inherited by the workers of pytest-xdist


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        os.environ[HOME_VARIABLE] = str(Path(tempfile.gettempdir()) / f"ultron-test-{secrets.token_hex(6)}")
    config.ultron_home = Path(os.environ[HOME_VARIABLE])


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        shutil.rmtree(config.ultron_home, ignore_errors=True)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch):
    for name in list(os.environ):
        if name.startswith("ULTRON_") or name in ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "OPENAI_BASE_URL"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def server_url(request):
    """A server that may make databases: the one of the environment, else an embedded one for all workers."""
    if GIVEN_URL:
        yield GIVEN_URL
        return
    with EmbeddedServer.open(request.config.ultron_home) as server:
        yield server.url("postgres")


@pytest.fixture(scope="session")
def database_url(server_url):
    """A new, empty database of this worker, dropped at the end."""
    name = f"ultron_test_{secrets.token_hex(6)}"
    url = with_database(server_url, name)
    with psycopg.connect(server_url, autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))  # fails when there is one
    yield url
    drop_database(server_url, name)


@pytest.fixture(scope="session")
def _migrated(database_url):
    with Database.open(database_url) as database:
        migrate(database)
        _refuse_rows(database)
        yield database


@pytest.fixture
def database(_migrated):
    """The migrated database with all tables of schema `ultron` empty."""
    _empty(_migrated)
    return _migrated


@pytest.fixture
def settings(tmp_path, database_url, database):
    """Offline settings on the test's database, with a home in the test's own folder."""
    return Settings(
        store=StoreSettings(home=tmp_path / "home", database_url=database_url),
        sessions=SessionSettings(quiet_minutes=0),
        llm=LLMSettings(offline=True),
    )


@pytest.fixture
def new_database(server_url):
    """Makes empty databases: `new_database()` returns a URL; all are dropped after the test."""
    names = []

    def make():
        names.append(f"ultron_test_{secrets.token_hex(6)}")
        url = with_database(server_url, names[-1])
        ensure_database(url)
        return url

    yield make
    for name in names:
        drop_database(server_url, name)


def with_database(url, name):
    """The same URL with another database; in URL form, which SQLAlchemy reads as well."""
    base, _, query = url.partition("?")
    if "://" not in base:
        return psycopg.conninfo.make_conninfo(url, dbname=name)
    scheme, _, rest = base.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/{name}" + (f"?{query}" if query else "")


def drop_database(url, name):
    assert name.startswith("ultron_test_"), "only a test's own database may be dropped"
    assert conninfo_to_dict(url).get("dbname") != name
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _tables(conn):
    rows = conn.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'ultron' AND tablename <> 'schema_migrations'"
    )
    return [sql.Identifier("ultron", row["tablename"]) for row in rows]


def _filled(conn):
    query = sql.SQL(" UNION ALL ").join(
        sql.SQL("SELECT {} AS name WHERE EXISTS (SELECT 1 FROM {})").format(sql.Literal(t.as_string()), t)
        for t in _tables(conn)
    )
    return [row["name"] for row in conn.execute(query)]


def _refuse_rows(database):
    with database.connection() as conn:
        name = conn.execute("SELECT current_database() AS name").fetchone()["name"]
        if not name.startswith("ultron_test_") or _filled(conn):
            pytest.exit(f"database {name} is not an empty test database; nothing was touched")


def _empty(database):
    with database.connection() as conn:
        if _filled(conn):
            conn.execute(sql.SQL("TRUNCATE {} CASCADE").format(sql.SQL(", ").join(_tables(conn))))
