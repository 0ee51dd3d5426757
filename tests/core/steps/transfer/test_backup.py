"""The whole store as one file and back: between embedded and external servers, after kills, and never into a store
that holds something."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.conftest import drop_database, with_database
from tests.core.steps.transfer.worlds import NEAR, fill
from tests.support.memories import StubEmbedder, rows
from tests.support.recount import counters_off
from tests.support.watched import Watched
from ultron_core.client import Ultron
from ultron_core.errors import ConflictError, ExportError, InputError, SettingsError, StoreError
from ultron_core.facade.transferring import restore_backup
from ultron_core.folders import only_one
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.steps.transfer import backup, restore
from ultron_core.store import content_digest
from ultron_core.store.database import ensure_database
from ultron_core.store.server import dumps
from ultron_core.store.server.place import binaries

SETTINGS = """# mine
llm_api_key = "sk-secret"
session_quiet_minutes = 5
database_url = "postgresql://u:pass@h/d"
"""


@pytest.fixture(autouse=True)
def _tools_on_the_path(monkeypatch):
    """Those of the package, as client programs that fit the test's server."""
    monkeypatch.setenv("PATH", f"{binaries()}{os.pathsep}{os.environ['PATH']}")


def settings_of(home, *urls):
    return Settings(
        store=StoreSettings(home=home, database_url=urls[0], dagster_database_url=urls[1]),
        sessions=SessionSettings(quiet_minutes=0),
        llm=LLMSettings(offline=True),
    )


@pytest.fixture
def place(tmp_path, new_database):
    """Settings of a new home on two empty databases of its own."""
    return lambda name: settings_of(tmp_path / name, new_database(), new_database())


def open_store(settings):
    return Ultron(settings, embedder=StubEmbedder(NEAR))


@pytest.fixture(scope="module")
def databases(server_url):
    urls = [with_database(server_url, f"ultron_test_{secrets.token_hex(6)}") for _ in range(2)]
    for url in urls:
        ensure_database(url)
    yield urls
    for url in urls:
        drop_database(server_url, conninfo_to_dict(url)["dbname"])


@pytest.fixture(scope="module")
def source(databases, tmp_path_factory):
    """An open store with memories, a log in its drop folder, settings with keys, and a history of Dagster. Whoever
    changes it puts it back."""
    folder = tmp_path_factory.mktemp("source")
    settings = settings_of(folder / "home", *databases)
    drop = settings.sessions_dir / "me" / "deep"
    drop.mkdir(parents=True)
    (drop / "one.jsonl").write_text('{"role": "user", "content": "hello"}\n')
    (settings.store.home / "ultron.toml").write_text(SETTINGS)
    with psycopg.connect(settings.store.dagster_database_url) as conn:
        conn.execute(
            "CREATE TABLE runs (id int PRIMARY KEY, body text); INSERT INTO runs VALUES (1, 'a run')"
        )
    with open_store(settings) as ultron:
        fill(ultron, folder)
        yield ultron


@pytest.fixture(scope="module")
def made(source, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", f"{binaries()}{os.pathsep}{os.environ['PATH']}")
        return source.back_up(tmp_path_factory.mktemp("made") / "one.backup", logs=True).file


@pytest.fixture
def file(made, tmp_path):
    """A backup of the source, to be damaged."""
    return Path(shutil.copy2(made, tmp_path / "one.backup"))


def digest(settings):
    with open_store(settings) as ultron:
        assert counters_off(ultron) == []
        return content_digest(ultron.runtime.database, clusters=True, windows=True)


def history(settings):
    with psycopg.connect(settings.store.dagster_database_url) as conn:
        return conn.execute("SELECT id, body FROM runs").fetchall()


def test_everything_is_there_again(source, file, place):
    target = place("target")
    before = content_digest(source.runtime.database)
    done = restore_backup(file, target)
    assert done.digests == {"default": before} and (done.dagster, done.logs, done.settings) == (True, 1, True)
    assert digest(target) == digest(source.settings) and history(target) == [(1, "a run")]
    with open_store(target) as ultron:
        (hit,) = ultron.search_memories("wheel docker", limit=1, record_hits=False)
        assert "wheel" in hit.record.summary_l0
        every = "SELECT to_jsonb(v)::text AS row FROM memory_vectors v ORDER BY memory_id"
        assert rows(ultron, every) == rows(source, every)
    log = Path("me") / "deep" / "one.jsonl"
    here, there = source.settings.sessions_dir / log, target.sessions_dir / log
    assert there.read_bytes() == here.read_bytes() and there.stat().st_mtime_ns == here.stat().st_mtime_ns
    assert not (target.store.home / "restoring").exists()


def test_the_settings_go_along_without_keys(file, place):
    target = place("target")
    restore_backup(file, target)
    assert (target.store.home / "ultron.toml").read_text() == "# mine\nsession_quiet_minutes = 5\n"
    with zipfile.ZipFile(file) as found:
        assert not any(
            b"sk-secret" in found.read(name) or b"u:pass" in found.read(name) for name in found.namelist()
        )


def test_settings_that_the_home_has_stay(file, place):
    target = place("target")
    target.store.home.mkdir()
    (target.store.home / "ultron.toml").write_text("batch_size = 7\n")
    assert not restore_backup(file, target).settings
    assert (target.store.home / "ultron.toml").read_text() == "batch_size = 7\n"


def test_a_key_that_cannot_be_left_out_is_said(source, tmp_path):
    path = source.settings.store.home / "ultron.toml"
    path.write_text('llm_api_key = """\nsk-secret"""\n')
    try:
        with pytest.raises(SettingsError, match="a line of its own"):
            source.back_up(tmp_path / "one.backup")
    finally:
        path.write_text(SETTINGS)
    assert list(tmp_path.glob("one.backup*")) == []


def test_logs_stay_out_unless_asked_for(source, tmp_path, place):
    assert source.back_up(tmp_path / "bare.backup").logs == 0
    target = place("target")
    assert restore_backup(tmp_path / "bare.backup", target).logs == 0 and not target.sessions_dir.exists()


def test_a_backup_is_of_one_moment_and_nobody_else_s(source, place, tmp_path, monkeypatch):
    before = content_digest(source.runtime.database)
    real = backup.digests_of

    came = []

    def meanwhile(conn):
        came.append(source.upload_memory("A fact that came while it was written."))
        return real(conn)

    monkeypatch.setattr(backup, "digests_of", meanwhile)
    done = source.back_up(tmp_path / "two.backup")
    monkeypatch.setattr(backup, "digests_of", real)
    assert done.digests == {"default": before} and done.file.stat().st_mode & 0o777 == 0o600
    target = place("target")
    restore_backup(tmp_path / "two.backup", target)
    assert digest(target) != digest(source.settings)
    source.delete_memory(came[0].id)
    assert digest(target) == digest(source.settings)


@pytest.fixture
def home():
    """A home that the account of the server can get into also for root."""
    folder = Path(tempfile.mkdtemp(prefix="ultron-backup-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_from_external_to_embedded_and_back(source, file, place, home, tmp_path):
    inner = Settings(store=StoreSettings(home=home / "h"), llm=LLMSettings(offline=True))
    restore_backup(file, inner)
    with open_store(inner) as embedded:
        assert embedded.server is not None and counters_off(embedded) == []
        done = embedded.back_up(tmp_path / "two.backup", logs=True)
        assert done.dagster and done.logs == 1
    target = place("target")
    restore_backup(tmp_path / "two.backup", target)
    assert digest(target) == digest(source.settings) and history(target) == history(source.settings)


def refused(file, target, kind=InputError):
    """The message; nothing was written."""
    watched = Watched(target.store.home.parent)
    with pytest.raises(kind) as error:
        restore_backup(file, target)
    assert watched.changes() == []
    with psycopg.connect(target.store.database_url) as conn:
        assert conn.execute("SELECT to_regnamespace('ultron')").fetchone() == (None,)
    return str(error.value)


@pytest.mark.parametrize("where", [0.1, 0.5, 0.9])
def test_a_damaged_backup_is_refused(file, place, where):
    body = bytearray(file.read_bytes())
    body[int(len(body) * where)] ^= 0xFF
    file.write_bytes(body)
    assert str(file) in refused(file, place("target"))


def test_half_a_backup_a_foreign_file_and_none_are_refused(file, place, tmp_path):
    target = place("target")
    file.write_bytes(file.read_bytes()[:-500])
    assert "no backup" in refused(file, target)
    (tmp_path / "text").write_text("hello")
    assert "no backup" in refused(tmp_path / "text", target)
    assert "There is no file" in refused(tmp_path / "none", target)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("a.txt", "a")
    assert "no manifest.json" in refused(tmp_path / "other.zip", target)


def rewritten(file, **fields):
    """The same backup with another manifest."""
    with zipfile.ZipFile(file) as found:
        entries = {name: found.read(name) for name in found.namelist()}
    entries["manifest.json"] = json.dumps(json.loads(entries["manifest.json"]) | fields).encode()
    with zipfile.ZipFile(file, "w") as made:
        for name, body in entries.items():
            made.writestr(name, body)


@pytest.mark.parametrize("newer", [{"format": 2}, {"schema": "9999_later"}], ids=str)
def test_a_newer_backup_is_refused(file, place, newer):
    rewritten(file, **newer)
    assert "update Ultron first" in refused(file, place("target"))


def test_a_backup_of_an_older_version_is_brought_in_and_up_to_date(source, file, place):
    """Its digests told of other things: they are not compared, and the store is migrated when it is opened."""
    rewritten(file, schema="0020_sft_drafted", digests={"default": "of another kind"})
    target = place("target")
    assert restore_backup(file, target).digests == {}
    assert digest(target) == digest(source.settings)


def test_a_store_that_is_not_what_was_backed_up_is_told(file, place):
    rewritten(file, digests={"default": "0" * 64})
    with pytest.raises(StoreError, match="their digests differ"):
        restore_backup(file, place("target"))


def test_a_log_that_leads_out_of_the_drop_folder_is_refused(file, place):
    rewritten(file, logs={"sessions/00001": {"path": "../../evil.jsonl", "changed": 1}})
    assert "out of its folder" in refused(file, place("target"))


def test_an_older_server_is_refused(file, place):
    rewritten(file, postgres=99)
    assert "use 99 or newer" in refused(file, place("target"), StoreError)


def test_tools_that_are_older_than_the_server_are_refused(source, file, place, monkeypatch, tmp_path):
    monkeypatch.setattr(dumps, "_major", lambda program: 14)
    assert "PATH" in refused(file, place("target"), StoreError)
    with pytest.raises(StoreError, match="of PostgreSQL 14, the server is of"):
        source.back_up(tmp_path / "two.backup")
    assert list(tmp_path.glob("two.backup*")) == []


def test_tools_that_are_missing_are_named(source, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StoreError, match="pg_dump is not on the PATH"):
        source.back_up(tmp_path / "two.backup")


def test_a_store_that_holds_something_is_left_alone(source, file, place):
    target = place("target")
    with open_store(target) as ultron:
        ultron.upload_memory("I am here already.")
    before = digest(target)
    with pytest.raises(InputError, match="The store is not empty"):
        restore_backup(file, target)
    assert digest(target) == before and history(source.settings) == [(1, "a run")]


def test_a_store_that_was_only_opened_is_empty(source, file, place):
    target = place("target")
    open_store(target).close()
    restore_backup(file, target)
    assert digest(target) == digest(source.settings)


def test_a_history_and_logs_that_are_there_are_left_alone(file, place):
    target = place("target")
    with psycopg.connect(target.store.dagster_database_url) as conn:
        conn.execute("CREATE TABLE mine (id int)")
    assert "Dagster's database is not empty" in refused(file, target)
    other = place("other")
    (other.sessions_dir / "me" / "deep").mkdir(parents=True)
    (other.sessions_dir / "me" / "deep" / "one.jsonl").write_text("mine")
    assert "me/deep/one.jsonl" in refused(file, other)


def test_an_existing_file_is_not_overwritten(source, file):
    before = file.read_bytes()
    with pytest.raises(InputError, match="name a new file"):
        source.back_up(file)
    assert file.read_bytes() == before


def test_two_at_once_are_told_of_each_other(source, file, place, tmp_path):
    with only_one(tmp_path / "two.backup.part"), pytest.raises(ConflictError, match="Another backup"):
        source.back_up(tmp_path / "two.backup")
    target = place("target")
    with restore._alone(target.store.database_url), pytest.raises(ConflictError, match="Another restore"):
        restore_backup(file, target)


def test_a_full_disk_leaves_no_backup(source, tmp_path):
    """/dev/full takes no byte."""
    (tmp_path / "two.backup.part").symlink_to("/dev/full")
    with pytest.raises(ExportError, match="No space left"):
        source.back_up(tmp_path / "two.backup")
    assert list(tmp_path.glob("two.backup*")) == []


def test_a_restore_that_fails_leaves_the_database_empty(file, place, monkeypatch):
    target = place("target")
    real = dumps.subprocess.Popen

    class Full(real):
        def __init__(self, command, **more):
            wrong = ["--jobs=wrong"] if "--version" not in command else []
            super().__init__([command[0], *wrong, *command[1:]], **more)

    monkeypatch.setattr(dumps.subprocess, "Popen", Full)
    with pytest.raises(StoreError, match="pg_restore failed"):
        restore_backup(file, target)
    monkeypatch.setattr(dumps.subprocess, "Popen", real)
    assert not (target.store.home / "restoring").exists()
    assert restore_backup(file, target).dagster


KILLED = """
import os, signal, sys
from ultron_core.client import Ultron
from ultron_core.facade.transferring import restore_backup
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.steps.transfer import archive, backup, restore
from tests.core.steps.transfer.worlds import NEAR
from tests.support.memories import StubEmbedder

verb, home, url, dagster, file, moment, count = sys.argv[1:]
module, _, name = moment.partition(":")
target = {"archive": archive, "backup": backup, "restore": restore}[module]
while "." in name:
    first, _, name = name.partition(".")
    target = getattr(target, first)
real, left = getattr(target, name), [int(count)]

def killed(*given, **named):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given, **named)

setattr(target, name, killed)
settings = Settings(
    store=StoreSettings(home=home, database_url=url, dagster_database_url=dagster),
    sessions=SessionSettings(quiet_minutes=0), llm=LLMSettings(offline=True),
)
if verb == "restore":
    restore_backup(file, settings)
else:
    with Ultron(settings, embedder=StubEmbedder(NEAR)) as ultron:
        ultron.back_up(file, logs=True)
"""


def killed(verb, settings, file, moment, count):
    store = settings.store
    done = subprocess.run(
        [
            *(sys.executable, "-c", KILLED, verb, str(store.home), store.database_url),
            *(store.dagster_database_url, str(file), moment, str(count)),
        ],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(Path.cwd())}, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]


@pytest.mark.parametrize(
    ("moment", "count"),
    [
        ("restore:_write_whole", 1),
        ("restore:make_extension", 1),
        ("restore:restore_into", 1),
        ("restore:ensure_database", 1),
        ("restore:restore_into", 2),
        ("restore:_Restoring._put_log", 1),
        ("restore:_Restoring._put_settings", 1),
        ("restore:_write_whole", 2),
        ("restore:digests_of", 1),
        ("restore:Restored", 1),
    ],
)
def test_after_a_kill_the_same_restore_completes(source, file, place, moment, count):
    target = place("target")
    killed("restore", target, file, moment, count)
    done = restore_backup(file, target) if moment != "restore:Restored" else None
    assert done is None or done.digests == {"default": content_digest(source.runtime.database)}
    assert digest(target) == digest(source.settings) and history(target) == [(1, "a run")]
    assert len(list(target.sessions_dir.rglob("*"))) == 3
    assert not (target.store.home / "restoring").exists()


def test_another_backup_does_not_go_on_where_one_was_killed(source, file, place, tmp_path):
    target = place("target")
    killed("restore", target, file, "restore:ensure_database", 1)
    source.back_up(tmp_path / "two.backup")
    with pytest.raises(InputError, match="not empty"):
        restore_backup(tmp_path / "two.backup", target)


@pytest.mark.parametrize(
    ("moment", "count"),
    [
        ("backup:digests_of", 1),
        ("backup:dumped", 1),
        ("backup:dumped", 2),
        ("archive:Writer.add", 1),
        ("archive:Writer.add", 3),
        ("archive:Writer.add", 4),
        ("archive:Writer.end", 1),
    ],
)
def test_after_a_kill_the_same_backup_completes(source, place, tmp_path, moment, count):
    file = tmp_path / "one.backup"
    killed("backup", source.settings, file, moment, count)
    assert not file.exists()
    source.back_up(file, logs=True)
    assert [path.name for path in tmp_path.glob("one.backup*")] == ["one.backup"]
    target = place("target")
    restore_backup(file, target)
    assert digest(target) == digest(source.settings)


def test_what_a_killed_restore_left_at_work_is_ended(file, place):
    """A program that goes on after its parent would be in the way of the next one."""
    target = place("target")
    left = psycopg.connect(target.store.database_url, application_name=dumps.RESTORING)
    left.execute("CREATE SCHEMA ultron")
    assert restore_backup(file, target).digests
    with pytest.raises(psycopg.OperationalError):
        left.execute("SELECT 1")
